// Package saved writes the parts of an answer that may be public: those that a product's
// decoder reads, and nothing else.
package saved

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tidwall/gjson"

	"windsock/probe/jsoncheck"
	"windsock/usage/field"
)

// Answer returns the known fields of an answer as JSON, indented for review, with a line
// feed at its end.
//
// Of each known field it keeps a number, a boolean, a date (in UTC) or a known word. Any
// other value is replaced by one of the same type that is just as unreadable. All other
// fields go; "windsock" has their number.
//
// Anything but a JSON object becomes a JSON string with its kind and its length. raw is
// neither kept nor written to.
func Answer(raw []byte, known Fields) []byte {
	raw, ok := field.Object(raw)
	if !ok {
		return append(scrap(raw), '\n')
	}
	s := &Saver{}
	s.object(gjson.ParseBytes(raw), known)
	var out bytes.Buffer
	// It fails only for invalid JSON, which s does not write.
	_ = json.Indent(&out, s.withNote(), "", "  ")
	out.WriteByte('\n')
	return out.Bytes()
}

// scrap stands for an answer that is no object.
func scrap(raw []byte) []byte {
	kind := "no JSON"
	if jsoncheck.Valid(raw) {
		kind = "JSON, and no object"
	}
	begins := ""
	if trimmed := bytes.TrimLeft(raw, " \t\r\n"); len(trimmed) > 0 && strings.IndexByte("{[<", trimmed[0]) >= 0 {
		begins = ", begins with " + string(trimmed[0])
	}
	return fmt.Appendf(nil, `"%s: %d bytes%s"`, kind, len(raw), begins)
}

// Saver writes the kept parts of an answer.
type Saver struct {
	out []byte
	// removed counts the removed fields.
	removed int64
}

// Keeper writes the kept part of a field's value, always as exactly one value.
type Keeper func(s *Saver, v gjson.Result)

// Fields are the fields of an object to keep.
type Fields map[string]Keeper

// noteField has the number of removed fields. Decode does not read it.
const noteField = "windsock"

// Text writes a string that needs no escapes.
func (s *Saver) Text(text string) { s.out = append(append(append(s.out, '"'), text...), '"') }

// StandIn writes a value of the same type without information.
func (s *Saver) StandIn(v gjson.Result) {
	switch {
	case v.IsObject():
		s.out = append(s.out, "{}"...)
	case v.IsArray():
		s.out = append(s.out, "[]"...)
	case v.Type == gjson.String && v.Str == "":
		s.Text("")
	case v.Type == gjson.String:
		s.Text("removed")
	case v.Type == gjson.Number:
		s.out = append(s.out, '0')
	default:
		s.out = append(s.out, v.Raw...) // null, true or false
	}
}

// object writes an object with its fields' order and repetitions, which may affect the
// result of Decode.
func (s *Saver) object(v gjson.Result, known Fields) {
	root := len(s.out) == 0
	s.out = append(s.out, '{')
	v.ForEach(func(key, value gjson.Result) bool {
		name := key.Str
		switch keep, ok := known[name]; {
		case ok:
			s.name(name)
			keep(s, value)
			s.out = append(s.out, ',')
		case root && name == noteField: // it was saved before
			s.removed = min(s.removed+max(0, value.Get("removed").Int()), maxRemoved)
		default:
			s.removed = min(s.removed+1, maxRemoved)
		}
		return true
	})
	s.out = append(bytes.TrimSuffix(s.out, []byte(",")), '}')
}

// maxRemoved is more fields than an answer can have.
const maxRemoved = 1 << 24

func (s *Saver) name(name string) { s.out = append(append(s.out, '"'), name+`":`...) }

// withNote is all that was written, after the number of removed fields.
func (s *Saver) withNote() []byte {
	note := fmt.Appendf(nil, `{"%s":{"saved":1,"removed":%d}`, noteField, s.removed)
	if len(s.out) > len("{}") {
		note = append(note, ',')
	}
	return append(note, s.out[1:]...)
}
