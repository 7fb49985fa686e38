package windsurf

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"windsock/probe/jsoncheck"
)

// Anonymize returns an answer about the plan without anything personal in it,
// fit for a public bug report: JSON, indented for somebody to look it over, with a
// line feed at its end. [Decode] reads the same from it as from raw, the same error
// included, but for the account and for a plan's name that is not made of the words
// of plans, which becomes "(name removed)".
//
// What is kept is on a list: the fields that Decode reads and those that explain a
// bill, and of each only a value that its type lets be: a number, a boolean, a date,
// in UTC, or a word of an enum. A value of another kind is replaced by one of the
// same type that is as unreadable. Of models, labels and UIDs are kept where they
// are made of the words of public models; the label of a MODEL_PRIVATE_n, which is
// another model for every account, never is (PROTOCOL.md 3.1). A field that is not
// on the list is kept if its name is made of the words of billing and its value is of
// those types; otherwise it goes. The names of those that went are under "windsock"
// where they are made of known words, and counted where not: a name may be somebody's,
// as the key of a map.
//
// What is no JSON object becomes JSON that is none either and tells how long it was.
// raw is not kept, and not written to.
func Anonymize(raw []byte) []byte {
	raw = bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf"))
	if !isObject(raw) {
		return append(anonymousScrap(raw), '\n')
	}
	s := &saver{removed: map[string]bool{}}
	s.object(gjson.ParseBytes(raw), "", rootFields)
	var out bytes.Buffer
	// It fails for what is not JSON, which s does not write.
	_ = json.Indent(&out, s.withNote(), "", "  ")
	out.WriteByte('\n')
	return out.Bytes()
}

// scrapForm is what anonymousScrap writes.
var scrapForm = regexp.MustCompile(`^"(no JSON|JSON, and no object): [0-9]{1,9} bytes(, begins with [{[<])?"\n$`)

// anonymousScrap stands for an answer that is no object.
func anonymousScrap(raw []byte) []byte {
	if scrapForm.Match(raw) {
		return bytes.TrimSuffix(bytes.Clone(raw), []byte("\n"))
	}
	trimmed := bytes.TrimLeft(raw, " \t\r\n")
	kind := "no JSON"
	if jsoncheck.Valid(raw) {
		kind = "JSON, and no object"
	}
	begins := ""
	if len(trimmed) > 0 && strings.IndexByte("{[<", trimmed[0]) >= 0 {
		begins = ", begins with " + string(trimmed[0])
	}
	return fmt.Appendf(nil, `"%s: %d bytes%s"`, kind, len(raw), begins)
}

// saver writes what may be kept of an answer.
type saver struct {
	out []byte
	// removed are the names of what went, as paths.
	removed map[string]bool
	// unnamed is how many more went, whose names went, too.
	unnamed int

	// models counts those seen so far, and private is about the last of them.
	models  int
	private bool
}

// keeper writes what may be kept of a field's value, and always one value.
type keeper func(s *saver, v gjson.Result, path string)

// fields are the fields of an object that may be kept.
type fields map[string]keeper

// noteField is where the saved answer tells what is not in it. Decode does not
// read it.
const noteField = "windsock"

// object writes an object with the order and the repetitions of its fields, upon
// which it may depend what is read.
func (s *saver) object(v gjson.Result, path string, known fields) {
	s.out = append(s.out, '{')
	v.ForEach(func(key, value gjson.Result) bool {
		name := key.Str
		if path == "" && name == noteField {
			s.noted(value)
			return true
		}
		if keep, ok := known[name]; ok {
			s.name(name)
			keep(s, value, path+name)
			s.out = append(s.out, ',')
			return true
		}
		if text := unlisted(name, value); text != "" {
			s.name(name)
			s.out = append(append(s.out, text...), ',')
			return true
		}
		if isField(name, fieldWords) {
			s.removed[path+name] = true
		} else {
			s.unnamed++
		}
		return true
	})
	s.out = append(bytes.TrimSuffix(s.out, []byte(",")), '}')
}

func (s *saver) name(name string) { s.out = append(append(s.out, '"'), name+`":`...) }

// text writes a string that needs no escapes.
func (s *saver) text(text string) { s.out = append(append(append(s.out, '"'), text...), '"') }

// standIn writes a value of the same type that says nothing.
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

// enumName is the form of an enum's value; a single word may be somebody's name.
var enumName = regexp.MustCompile(`^[A-Z]+(_[A-Z0-9]+)+$`)

// unlisted is what is kept of a field that nobody knows yet, "" for nothing.
func unlisted(name string, v gjson.Result) string {
	if !isField(name, billingWords) {
		return ""
	}
	switch v.Type {
	case gjson.True, gjson.False, gjson.Null:
		return v.Raw
	case gjson.Number:
		if _, ok := parseNumber(v.Raw, scaleMicros); ok && len(v.Raw) <= 20 {
			return v.Raw
		}
	case gjson.String:
		if date := dateText(v.Str); date != "" {
			return `"` + date + `"`
		}
		if enumName.MatchString(v.Str) && madeOf(v.Str, billingWords) {
			return `"` + v.Str + `"`
		}
	case gjson.JSON:
	}
	return ""
}

// maxCounted bounds what a note may count.
const maxCounted = 1 << 24

// noted takes over what an answer that was saved before says of the rest.
func (s *saver) noted(note gjson.Result) {
	note.Get("removed").ForEach(func(_, path gjson.Result) bool {
		for part := range strings.SplitSeq(path.Str, ".") {
			if !isField(strings.TrimSuffix(part, "[]"), fieldWords) {
				s.unnamed++
				return true
			}
		}
		s.removed[path.Str] = true
		return true
	})
	if n := note.Get("unnamed").Int(); n > 0 && n <= maxCounted {
		s.unnamed = min(s.unnamed+int(n), maxCounted)
	}
}

// withNote is all that was written, after what is to be said of the rest.
func (s *saver) withNote() []byte {
	names := make([]string, 0, len(s.removed))
	for name := range s.removed {
		names = append(names, strconv.Quote(name))
	}
	slices.Sort(names)
	note := []byte(`{"` + noteField + `":{"saved":1,"removed":[`)
	for i, name := range names {
		if i > 0 {
			note = append(note, ',')
		}
		note = append(note, name...)
	}
	note = fmt.Appendf(note, `],"unnamed":%d}`, s.unnamed)
	if len(s.out) > len("{}") {
		note = append(note, ',')
	}
	return append(note, s.out[1:]...)
}
