package terminal

import (
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

// Line makes a text from outside fit for one line of a terminal, a menu or a log:
// no escape sequences, no control characters, nothing that turns the direction of
// what follows, and blanks made single. What is no UTF-8 is left out.
func Line(text string) string {
	if plain(text) {
		return strings.TrimSpace(text)
	}
	text = ansi.Strip(sevenBit.Replace(strings.ToValidUTF8(text, "")))
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		// The two joiners are format characters that emoji and several scripts need.
		case unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Cf, r) && r != '\u200c' && r != '\u200d':
			return -1
		default:
			return r
		}
	}, strings.ToValidUTF8(text, "")) // a sequence may have ended within a character
	return strings.Join(strings.Fields(text), " ")
}

const (
	// maxShort is how many characters Short keeps, and maxShortBytes how much of a text
	// it looks at.
	maxShort      = 200
	maxShortBytes = 8 << 10
)

// Short is the beginning of a text as Line makes it, of at most 200 characters.
func Short(text string) string {
	text = Line(text[:min(len(text), maxShortBytes)])
	if runes := []rune(text); len(runes) > maxShort {
		text = strings.TrimRight(string(runes[:maxShort-1]), " ") + "…"
	}
	return text
}

// sevenBit writes what begins and ends a sequence in the way in which ansi finds
// it; terminals know both.
var sevenBit = strings.NewReplacer(
	"\u0090", "\x1bP", "\u0098", "\x1bX", "\u009b", "\x1b[", "\u009c", "\x1b\\",
	"\u009d", "\x1b]", "\u009e", "\x1b^", "\u009f", "\x1b_",
)

// plain reports what is fit as it is, as most texts are.
func plain(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == ' ' && i > 0 && text[i-1] == ' ' {
			return false
		}
	}
	return true
}
