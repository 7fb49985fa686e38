package chat

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"windsock/probe/terminal"
)

const (
	// maxLine is how many characters of a title or of a server's words are kept, and
	// maxLineBytes how much of them is looked at.
	maxLine      = 200
	maxLineBytes = 8 << 10
)

// shortLine is the beginning of a text as terminal.Line makes it.
func shortLine(text string) string {
	text = terminal.Line(text[:min(len(text), maxLineBytes)])
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
