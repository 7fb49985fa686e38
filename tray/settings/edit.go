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

// change is a setting with the text that it gets, in TOML.
type change struct {
	setting

	text string
}

// changes are what makes one T another.
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

// edit is the text with changes in it; false where they cannot be put in without a
// loss. What comes out is read again, so that it is what it should be.
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
		return nil, errors.New("it cannot be read again")
	}
	return edited, nil
}

// in is a text with the change in it.
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

// commentedOut is the line, from begin on and within its section, on which the
// template has the key behind a #.
func (s setting) commentedOut(text []byte, begin int) (from, to int, ok bool) {
	s.value = reflect.New(s.value.Type()).Elem() // a trial, which sets nothing
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
