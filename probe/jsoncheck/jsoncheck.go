// Package jsoncheck checks text of other programs before gjson reads it: from a server,
// an editor's database, a file. gjson's own check recurses without a limit, and a stack
// overflow ends the process; recover does not catch it. So no other package calls
// gjson's check.
//
// Text for encoding/json or protojson needs no check here: both stop at the same depth.
package jsoncheck

import (
	"bytes"

	"github.com/tidwall/gjson"
)

const (
	// MaxSize is the longest text in bytes, a hundred times the largest known answer.
	MaxSize = 16 << 20
	// MaxDepth is the deepest nesting of brackets: that of encoding/json, and far more
	// than any real answer has.
	MaxDepth = 10_000
)

// Valid reports whether text is one JSON value that is Bounded.
func Valid(text []byte) bool { return Bounded(text) && gjson.ValidBytes(text) } //nolint:forbidigo // after the look

// Bounded reports whether the size and depth of text are within the limits. It is far
// quicker than Valid and checks nothing else.
func Bounded(text []byte) bool {
	if len(text) > MaxSize {
		return false
	}
	// Brackets in strings count here too; then depth decides.
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
