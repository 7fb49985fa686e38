package settings

import (
	"encoding/json"
	"reflect"
	"time"

	"windsock/probe/say"
)

// Form is the file as a page shows it for editing.
type Form struct {
	Path string `json:"path"`
	// Sections have all keys that a form may have, in order; an unreadable key has its
	// default.
	Sections []Section `json:"sections"`
	// Problem says what is wrong with the file, "" if nothing.
	Problem string `json:"problem"`
	// Comments says that a Fill may lose comments, or unreadable text.
	Comments bool `json:"comments"`
}

// Section is a part of a Form.
type Section struct {
	Name string `json:"name"`
	Keys []Key  `json:"keys"`
}

// Key is one key of a Form.
type Key struct {
	// Name is the full name, such as usage.interval.
	Name    string `json:"key"`
	Comment string `json:"comment"`
	// Help is a sentence about the valid values, for a text box.
	Help string `json:"help"`
	// Choices are all valid values of a string that is limited to them, else null.
	Choices []string `json:"choices"`
	// Empty is the meaning of an empty value, "" if there is nothing to tell.
	Empty string `json:"empty"`
	// Kind is bool, int, string, duration or list.
	Kind string `json:"type"`
	// Value and Default have the type of Kind. A duration is a text such as 5m, and a
	// list is never null.
	Value   any `json:"value"`
	Default any `json:"default"`
}

// Form returns the file's content.
func (f File[T]) Form() Form {
	text, err := f.text()
	r := f.read(text)
	form := Form{Path: f.Path, Comments: len(r.problems) > 0 || f.hasComments(text) && !f.editable(text, r.value)}
	if err == nil {
		err = r.err()
	}
	if err != nil {
		form.Problem = say.Sentence(err, "")
	}
	defaults := f.Defaults()
	usual := settingsOf(&defaults)
	for i, s := range r.settings {
		if s.apart() {
			continue
		}
		if n := len(form.Sections); n == 0 || form.Sections[n-1].Name != s.section {
			form.Sections = append(form.Sections, Section{Name: s.section})
		}
		section := &form.Sections[len(form.Sections)-1]
		section.Keys = append(section.Keys, Key{
			Name: s.name(), Comment: s.tag.Get("comment"), Help: s.help(), Choices: s.choices(), Empty: s.tag.Get("empty"),
			Kind: s.kind(), Value: s.shown(), Default: usual[i].shown(),
		})
	}
	return form
}

func (f File[T]) editable(text []byte, c T) bool {
	_, ok := f.edit(text, nil, c)
	return ok
}

// Check returns a sentence for every invalid value. Values are as in a Form, by their
// keys' full names.
func (f File[T]) Check(values map[string]json.RawMessage) map[string]string {
	text, err := f.text()
	if err != nil {
		text = nil // other faults of the file do not matter here
	}
	return f.fill(&f.read(text).value, values)
}

// Fill stores values in the file, all or none. The error is a *RefusedError for values
// that Check rejects, or one of Save's.
func (f File[T]) Fill(values map[string]json.RawMessage, lose bool) error {
	if wrong := f.Check(values); len(wrong) > 0 {
		return &RefusedError{Sentences: wrong}
	}
	return f.Save(func(c *T) { f.fill(c, values) }, lose)
}

// RefusedError is a set of invalid values, with a sentence for each.
type RefusedError struct{ Sentences map[string]string }

func (*RefusedError) Error() string { return "save settings: a value is not taken" }

// fill sets values, and returns a sentence for each invalid one.
func (f File[T]) fill(c *T, values map[string]json.RawMessage) map[string]string {
	wrong := map[string]string{}
	all := settingsOf(c)
	for name, raw := range values {
		var value any
		s, ok := find(all, name)
		switch {
		case !ok || s.apart():
			wrong[name] = "There is no such setting."
		case json.Unmarshal(raw, &value) != nil || !s.take(value):
			wrong[name] = s.help()
		}
	}
	for _, name := range f.Invalid(*c) {
		s, ok := find(all, name)
		if _, sent := values[name]; sent && ok {
			wrong[name] = s.help()
		}
	}
	return wrong
}

// shown is the value in a Form.
func (s setting) shown() any {
	if d, ok := reflect.TypeAssert[time.Duration](s.value); ok {
		return durationText(d)
	}
	if s.kind() == "list" && s.value.IsNil() {
		return []string{}
	}
	return s.value.Interface()
}
