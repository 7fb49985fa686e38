// Package jsoncheck stands before gjson wherever another program wrote the text: a
// server, an editor's database, a file. gjson's own check descends by recursion
// without a limit, and a stack that overflows takes the process with it, past any
// recover. So nothing outside this package calls it.
//
// What is decoded by encoding/json or protojson needs no look here: both stop at
// the same depth by themselves.
package jsoncheck

import (
	"bytes"

	"github.com/tidwall/gjson"
)

const (
	// MaxSize is the longest text in bytes, a hundred times the largest answer seen.
	MaxSize = 16 << 20
	// MaxDepth is how deep brackets may nest: as deep as in encoding/json, and far
	// beyond any real answer.
	MaxDepth = 10_000
)

// Valid reports whether text is one JSON value that is Bounded.
func Valid(text []byte) bool { return Bounded(text) && gjson.ValidBytes(text) } //nolint:forbidigo // after the look

// Bounded reports whether text is neither too long nor too deep to be looked into.
// It is far quicker than Valid, and says nothing else of text.
func Bounded(text []byte) bool {
	if len(text) > MaxSize {
		return false
	}
	// Brackets in strings count here too, which only costs a second look.
	return bytes.Count(text, []byte("["))+bytes.Count(text, []byte("{")) <= MaxDepth || depth(text) <= MaxDepth
}

// depth is the deepest nesting of brackets outside strings.
func depth(text []byte) int {
	deepest, open, quoted := 0, 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			open++
			deepest = max(deepest, open)
		case c == ']' || c == '}':
			open = max(open-1, 0)
		}
	}
	return deepest
}
