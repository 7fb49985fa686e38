package chat

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

const (
	// maxLine is how many characters of a title or of a server's words are kept, and
	// maxLineBytes how much of them is looked at.
	maxLine      = 200
	maxLineBytes = 8 << 10
)

// oneLine makes a text from outside fit for one line of a terminal: no escape
// sequences, no control characters, nothing that turns the direction of what
// follows, and blanks made single.
func oneLine(text string) string {
	if plainLine(text) {
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
	}, strings.ToValidUTF8(text, ""))
	return strings.Join(strings.Fields(text), " ")
}

// sevenBit writes what begins and ends a sequence in the way in which ansi finds
// it; terminals know both.
var sevenBit = strings.NewReplacer(
	"\u0090", "\x1bP", "\u0098", "\x1bX", "\u009b", "\x1b[", "\u009c", "\x1b\\",
	"\u009d", "\x1b]", "\u009e", "\x1b^", "\u009f", "\x1b_",
)

func plainLine(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == ' ' && i > 0 && text[i-1] == ' ' {
			return false
		}
	}
	return true
}

// shortLine is the beginning of a text as oneLine makes it.
func shortLine(text string) string {
	text = oneLine(text[:min(len(text), maxLineBytes)])
	if runes := []rune(text); len(runes) > maxLine {
		text = strings.TrimRight(string(runes[:maxLine-1]), " ") + "…"
	}
	return text
}

func fill(text, app string) string { return strings.ReplaceAll(text, "%[1]s", app) }

func trimStop(s string) string { return strings.TrimRight(s, ". ") }

func upperFirst(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}
