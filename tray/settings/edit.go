package settings

import (
	"bytes"
	"errors"
	"reflect"
	"regexp"
	"slices"
)

// A change keeps what a person has written: a value is put in the place of the one
// before, else its key's line of the template is used, else a line is added to its
// section. Only a file that is not what it should be after that, as one that could
// not be read in the first place, is written anew, and that costs its comments, so
// it is asked for.

// change is a key with the value that it shall have, in TOML.
type change struct{ section, key, value string }

func (c change) name() string { return c.section + "." + c.key }

// changes are what makes one T another.
func changes[T any](before, after T) ([]change, error) {
	var all []change
	old := settingsOf(&before)
	for i, s := range settingsOf(&after) {
		if reflect.DeepEqual(s.value.Interface(), old[i].value.Interface()) {
			continue
		}
		value, err := s.inTOML()
		if err != nil {
			return nil, err
		}
		all = append(all, change{s.section, s.key, value})
	}
	return all, nil
}

// edit is the text with changes in it; false where they cannot be put in without a
// loss. What comes out is read again, so that it is what it should be.
func (f File[T]) edit(text []byte, changes []change, want T) ([]byte, bool) {
	edited := text
	for _, c := range changes {
		next, ok := c.in(edited, newReader(edited, settingsOf(new(T))))
		if !ok {
			return nil, false
		}
		edited = next
	}
	got, err := f.parse(edited)
	return edited, err == nil && reflect.DeepEqual(got, want)
}

// rewritten is the template with the values that are not the defaults.
func (f File[T]) rewritten(c T) ([]byte, error) {
	text, err := f.template()
	if err != nil {
		return nil, err
	}
	all, err := changes(f.Defaults(), c)
	if err != nil {
		return nil, err
	}
	edited, ok := f.edit([]byte(text), all, c)
	if !ok {
		return nil, errors.New("write config: it cannot be read again")
	}
	return edited, nil
}

// in is a text with the change in it; r is a new reader of that.
func (c change) in(text []byte, r *reader) ([]byte, bool) {
	if !r.checkBytes() || !r.readAll() {
		return nil, false
	}
	mark := len(text) - len(r.text)
	put := func(from, to int, with string) []byte {
		return slices.Concat(text[:mark+from], []byte(with), text[mark+to:])
	}
	if span, ok := r.values[c.name()]; ok {
		if raw := r.text[span[0]:span[1]]; bytes.ContainsRune(raw, '\n') && bytes.ContainsRune(raw, '#') {
			return nil, false // there may be a comment between the elements
		}
		return put(span[0], span[1], c.value), true
	}
	newline := "\n"
	if bytes.Contains(r.text, []byte("\r\n")) {
		newline = "\r\n"
	}
	line := c.key + " = " + c.value + newline
	begin, ok := r.headers[c.section]
	if !ok {
		gap := newline
		if len(r.text) == 0 {
			gap = ""
		} else if !bytes.HasSuffix(r.text, []byte("\n")) {
			gap += newline
		}
		return put(len(r.text), len(r.text), gap+"["+c.section+"]"+newline+line), true
	}
	if from, to, ok := r.commentedOut(c, begin); ok {
		return put(from, to, line), true
	}
	if begin > 0 && r.text[begin-1] != '\n' { // the header ends the file
		line = newline + line
	}
	return put(begin, begin, line), true
}

// commentedOut is the line, from begin on and within its section, on which the
// template has the key behind a #.
func (r *reader) commentedOut(c change, begin int) (from, to int, ok bool) {
	known := r.keys[c.name()]
	form := regexp.MustCompile(`^# ?` + regexp.QuoteMeta(c.key) + `\s*=\s*(.+?)\s*$`)
	for at := begin; at < len(r.text); {
		line := r.text[at:]
		if end := bytes.IndexByte(line, '\n'); end >= 0 {
			line = line[:end+1]
		}
		if bytes.HasPrefix(bytes.TrimLeft(line, " \t"), []byte("[")) {
			return 0, 0, false
		}
		scratch := known
		scratch.value = reflect.New(known.value.Type()).Elem()
		if found := form.FindSubmatch(bytes.TrimRight(line, "\r\n")); found != nil && scratch.decode(found[1]) {
			return at, at + len(line), true
		}
		at += len(line)
	}
	return 0, 0, false
}
