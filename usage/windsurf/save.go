package windsurf

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tidwall/gjson"

	"windsock/probe/jsoncheck"
)

// Anonymize returns the parts of an answer that [Decode] reads, and nothing else, fit
// for a public bug report: JSON, indented for review, with a line feed at its end.
// Decode gives the same result for it as for raw, errors included, with two exceptions:
// the account, and a plan's name that is not one of the product's, which becomes "(name
// removed)".
//
// Of each field that Decode reads, it keeps a number, a boolean, a date (in UTC) or a
// known word of an enum. Any other value is replaced by one of the same type that is
// just as unreadable. All other fields go, the list of models among them; "windsock"
// has their number.
//
// Anything but a JSON object becomes a JSON string with its kind and its length. raw is
// neither kept nor written to.
func Anonymize(raw []byte) []byte {
	raw = bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf"))
	if !isObject(raw) {
		return append(anonymousScrap(raw), '\n')
	}
	s := &saver{}
	s.object(gjson.ParseBytes(raw), rootFields)
	var out bytes.Buffer
	// It fails only for invalid JSON, which s does not write.
	_ = json.Indent(&out, s.withNote(), "", "  ")
	out.WriteByte('\n')
	return out.Bytes()
}

// anonymousScrap stands for an answer that is no object.
func anonymousScrap(raw []byte) []byte {
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

// saver writes the kept parts of an answer.
type saver struct {
	out []byte
	// removed counts the removed fields.
	removed int64
}

// keeper writes the kept part of a field's value, always as exactly one value.
type keeper func(s *saver, v gjson.Result)

// fields are the fields of an object to keep.
type fields map[string]keeper

// noteField has the number of removed fields. Decode does not read it.
const noteField = "windsock"

// object writes an object with its fields' order and repetitions, which may affect the
// result of Decode.
func (s *saver) object(v gjson.Result, known fields) {
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

func (s *saver) name(name string) { s.out = append(append(s.out, '"'), name+`":`...) }

// text writes a string that needs no escapes.
func (s *saver) text(text string) { s.out = append(append(append(s.out, '"'), text...), '"') }

// standIn writes a value of the same type without information.
func (s *saver) standIn(v gjson.Result) {
	switch {
	case v.IsObject():
		s.out = append(s.out, "{}"...)
	case v.IsArray():
		s.out = append(s.out, "[]"...)
	case v.Type == gjson.String && v.Str == "":
		s.text("")
	case v.Type == gjson.String:
		s.text("removed")
	case v.Type == gjson.Number:
		s.out = append(s.out, '0')
	default:
		s.out = append(s.out, v.Raw...) // null, true or false
	}
}

// withNote is all that was written, after the number of removed fields.
func (s *saver) withNote() []byte {
	note := fmt.Appendf(nil, `{"%s":{"saved":1,"removed":%d}`, noteField, s.removed)
	if len(s.out) > len("{}") {
		note = append(note, ',')
	}
	return append(note, s.out[1:]...)
}
