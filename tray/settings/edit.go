package settings

import (
	"bytes"
	"errors"
	"reflect"
	"regexp"
	"slices"
)

// A change keeps what a person has written. A value replaces the previous one, else it
// uses the template's line of its key, else it adds a line to its section. Only if the
// result is wrong, or the file was unreadable from the start, the file is written
// anew. That loses its comments, so the person is asked first.

// change is a setting with its new text, in TOML.
type change struct {
	setting

	text string
}

// changes are the differences between two Ts.
func changes[T any](before, after T) ([]change, error) {
	var all []change
	old := settingsOf(&before)
	for i, s := range settingsOf(&after) {
		if reflect.DeepEqual(s.value.Interface(), old[i].value.Interface()) {
			continue
		}
		text, err := s.inTOML()
		if err != nil {
			return nil, err
		}
		all = append(all, change{s, text})
	}
	return all, nil
}

// edit applies changes to the text; false if that would lose something. It reads the
// result again, to make sure that it is right.
func (f File[T]) edit(text []byte, changes []change, want T) ([]byte, bool) {
	body := bytes.TrimPrefix(text, []byte(byteOrderMark))
	mark := text[:len(text)-len(body)]
	for _, c := range changes {
		next, ok := c.in(body)
		if !ok {
			return nil, false
		}
		body = next
	}
	edited := slices.Concat(mark, body)
	got, err := f.parse(edited)
	return edited, err == nil && reflect.DeepEqual(got, want)
}

// rewritten is the template with all values that are not defaults.
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
		return nil, errors.New("it cannot be read again")
	}
	return edited, nil
}

// in applies the change to a text.
func (c change) in(text []byte) ([]byte, bool) {
	put := func(from, to int, with string) ([]byte, bool) {
		return slices.Concat(text[:from], []byte(with), text[to:]), true
	}
	places := placesIn(text)
	if p, ok := places.values[c.name()]; ok {
		end, ok := valueEnd(text, p.begin)
		if !ok || bytes.ContainsRune(text[p.begin:end], '\n') && bytes.ContainsRune(text[p.begin:end], '#') {
			return nil, false // there may be a comment between the elements
		}
		return put(p.begin, end, c.text)
	}
	newline := "\n"
	if bytes.Contains(text, []byte("\r\n")) {
		newline = "\r\n"
	}
	line := c.key + " = " + c.text + newline
	header, ok := places.headers[c.section]
	if !ok {
		gap := newline
		if len(text) == 0 {
			gap = ""
		} else if !bytes.HasSuffix(text, []byte("\n")) {
			gap += newline
		}
		return put(len(text), len(text), gap+"["+c.section+"]"+newline+line)
	}
	if from, to, ok := c.commentedOut(text, header.begin); ok {
		return put(from, to, line)
	}
	if text[header.begin-1] != '\n' { // the header ends the file
		line = newline + line
	}
	return put(header.begin, header.begin, line)
}

// commentedOut is the template's line of the key behind a #, searched from begin on
// and within the section.
func (s setting) commentedOut(text []byte, begin int) (from, to int, ok bool) {
	s.value = reflect.New(s.value.Type()).Elem() // a trial that sets nothing
	form := regexp.MustCompile(`^# ?` + regexp.QuoteMeta(s.key) + `\s*=\s*(.+?)\s*$`)
	at := begin
	for line := range bytes.Lines(text[begin:]) {
		if bytes.HasPrefix(bytes.TrimLeft(line, " \t"), []byte("[")) {
			return 0, 0, false
		}
		if found := form.FindSubmatch(line); found != nil {
			if value, isValue := valueOf(found[1]); isValue && s.take(value) {
				return at, at + len(line), true
			}
		}
		at += len(line)
	}
	return 0, 0, false
}
