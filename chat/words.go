package chat

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// maxWords is as much of a server's words as a person reads.
const maxWords = 400

// cleanWords makes one line of what a server says, without anything that a
// terminal would act on.
func cleanWords(s string) string {
	s = strings.Join(strings.FieldsFunc(ansi.Strip(strings.ToValidUTF8(s, "")), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
	return ansi.Truncate(s, maxWords, "…")
}

func fill(text, app string) string { return strings.ReplaceAll(text, "%[1]s", app) }

func trimStop(s string) string { return strings.TrimRight(s, ". ") }

func upperFirst(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}
