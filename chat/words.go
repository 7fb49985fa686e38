package chat

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// trimStop takes the full stop away.
func trimStop(s string) string { return strings.TrimRight(s, ". ") }

func upperFirst(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}
