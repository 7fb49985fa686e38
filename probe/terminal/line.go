package terminal

import (
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"
)

// Line makes a text from outside fit for one line of a terminal, a menu or a log: it
// drops escape sequences, control characters, characters that change the text
// direction, and invalid UTF-8. It joins runs of blanks.
func Line(text string) string {
	if plain(text) {
		return strings.TrimSpace(text)
	}
	text = ansi.Strip(sevenBit.Replace(strings.ToValidUTF8(text, "")))
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		// Emoji and several scripts need the two joiners, which are format characters.
		case unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Cf, r) && r != '\u200c' && r != '\u200d':
			return -1
		default:
			return r
		}
	}, strings.ToValidUTF8(text, "")) // a sequence may have ended within a character
	return strings.Join(strings.Fields(text), " ")
}

const (
	// maxShort is how many characters Short keeps. maxShortBytes is how much of a text
	// it reads.
	maxShort      = 200
	maxShortBytes = 8 << 10
)

// Short is the beginning of Line's result, of at most 200 characters.
func Short(text string) string {
	text = Line(text[:min(len(text), maxShortBytes)])
	if runes := []rune(text); len(runes) > maxShort {
		text = strings.TrimRight(string(runes[:maxShort-1]), " ") + "…"
	}
	return text
}

// sevenBit rewrites the start and end of sequences to the form that ansi knows.
// Terminals know both forms.
var sevenBit = strings.NewReplacer(
	"\u0090", "\x1bP", "\u0098", "\x1bX", "\u009b", "\x1b[", "\u009c", "\x1b\\",
	"\u009d", "\x1b]", "\u009e", "\x1b^", "\u009f", "\x1b_",
)

// plain reports whether a text is fit unchanged, as most texts are.
func plain(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == ' ' && i > 0 && text[i-1] == ' ' {
			return false
		}
	}
	return true
}
