package cascade

import (
	"cmp"
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"

	pb "windsock/probe/languageserver"
	"windsock/probe/sorted"
)

const (
	transcriptUser   = " - User ===\n"
	transcriptHeader = "\n\n=== MESSAGE "
	// transcriptLimit is the approximate limit of a transcript in characters: servers
	// cut it near 200,000.
	transcriptLimit = 199_000
)

var errTranscriptCut = errors.New("the server shows only the first 200,000 characters of the conversation")

// readTranscript reads the steps behind the prompt from the transcript of a cascade in
// which nobody has written since (PROTOCOL.md 7.3): answers with their text, other steps
// by their kind, in the order of their index. base is the least index that the prompt may
// have. The format escapes nothing, so an answer that quotes a transcript may be read as
// several.
func readTranscript(text, prompt string, base int) ([]trajectoryStep, error) {
	if len(text) >= transcriptLimit && utf8.RuneCountInString(text) >= transcriptLimit {
		return nil, errTranscriptCut
	}
	text = afterPrompt(text, strings.Trim(prompt, whiteSpace), base)

	type message struct {
		index int
		role  string
		text  string
	}
	var messages []message
	known := map[int]bool{}
	begin := 0 // of the text of the last message
	for at := 0; ; {
		next := strings.Index(text[at:], transcriptHeader)
		if next < 0 {
			break
		}
		end := at + next
		at = end + len(transcriptHeader)
		line, _, _ := strings.Cut(text[at:], "\n")
		index, role, ok := parseHeader(line)
		if !ok || known[index] {
			continue // a line of the surrounding message
		}
		known[index] = true
		if len(messages) > 0 {
			messages[len(messages)-1].text = text[min(begin, end):end]
		}
		messages = append(messages, message{index: index, role: role})
		begin = min(at+len(line)+1, len(text))
	}
	if len(messages) > 0 {
		messages[len(messages)-1].text = text[begin:]
	}
	sorted.By(messages, func(a, b message) int { return cmp.Compare(a.index, b.index) })

	var steps []trajectoryStep
	for _, m := range messages {
		switch body := strings.TrimRight(m.text, "\r\n"); m.role {
		case "Assistant":
			steps = append(steps, trajectoryStep{kind: pb.CortexStepType_CORTEX_STEP_TYPE_PLANNER_RESPONSE.String(), text: body})
		case "Tool":
			kind, _, _ := strings.Cut(body, "\n")
			steps = append(steps, trajectoryStep{kind: strings.Trim(kind, "[]\r")})
		}
	}
	return steps, nil
}

// afterPrompt cuts the text behind the prompt off: behind the first message of the
// person, or the first with that index and text.
func afterPrompt(text, prompt string, base int) string {
	for {
		before, after, found := strings.Cut(text, transcriptUser)
		if !found {
			return ""
		}
		body := strings.TrimLeft(after, whiteSpace)
		if base == 0 {
			return strings.TrimPrefix(body, prompt)
		}
		line := before[strings.LastIndex(before, "\n")+1:]
		index, err := strconv.Atoi(strings.TrimPrefix(line, strings.TrimLeft(transcriptHeader, "\n")))
		if rest, ours := strings.CutPrefix(body, prompt); ours && err == nil && index >= base {
			return rest
		}
		text = after
	}
}

const whiteSpace = " \t\r\n\v\f"

// parseHeader reads the rest of a line after "=== MESSAGE ". Only the prompt has the
// user's role.
func parseHeader(line string) (index int, role string, ok bool) {
	number, role, _ := strings.Cut(line, " - ")
	role, ok = strings.CutSuffix(role, " ===")
	index, err := strconv.Atoi(number)
	speaks := role == "Assistant" || role == "Tool" || role == "System"
	return index, role, ok && speaks && err == nil
}
