package simulator

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"windsock/probe/sorted"
)

// maxTranscript is the maximum number of characters in a transcript; the rest is cut
// off (PROTOCOL.md 7.3).
const maxTranscript = 200_000

// transcript writes the steps from an offset on, numbered from there. It escapes
// nothing, so a text that contains a header line is ambiguous.
func transcript(steps []step, offset int) string {
	steps = steps[min(offset, len(steps)):]
	order := make([]int, len(steps))
	for i := range order {
		order[i] = i
	}
	sorted.By(order, func(a, b int) int { return steps[a].rank - steps[b].rank })

	const most = maxTranscript * utf8.UTFMax // the most bytes that can count
	var text strings.Builder
	for _, i := range order {
		if steps[i].unseen {
			continue
		}
		if text.Len() > most {
			break
		}
		fmt.Fprintf(&text, "=== MESSAGE %d - %s ===\n", i, steps[i].role())
		if steps[i].role() == "Tool" {
			text.WriteString("[" + steps[i].kind.String() + "]")
		} else {
			shown := steps[i].shown()
			text.WriteString(shown[:min(most, len(shown))])
		}
		text.WriteString("\n\n")
	}
	return capped(text.String(), maxTranscript)
}

// capped is the text, cut to at most so many characters.
func capped(text string, characters int) string {
	if len(text) <= characters || utf8.RuneCountInString(text) <= characters {
		return text
	}
	for i := range text {
		if characters == 0 {
			return text[:i]
		}
		characters--
	}
	return text
}
