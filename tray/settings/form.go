package settings

import (
	"encoding/json"
	"reflect"
	"strings"
	"time"
)

// Form is the file as a page shows it to be filled in.
type Form struct {
	// Keys are all, in order; what could not be read of the file has its default.
	Keys []Key
	// Broken is what is wrong with the file, nil for nothing.
	Broken error
	// Comments says that a Fill may lose comments, or what cannot be read.
	Comments bool
}

// Key is one key of a Form.
type Key struct {
	Section string
	// Name is the whole name, such as usage.interval.
	Name string
	// Comment and Takes are as a File has them.
	Comment, Takes string
	// Kind is bool, int, string, duration or list.
	Kind string
	// Value and Default are what their kind says; a duration is a text such as 5m, and a
	// list is never nil.
	Value, Default any
}

// Form is what stands in the file.
func (f File[T]) Form() Form {
	text, broken := read(f.Path)
	c := f.salvage(text)
	if broken == nil {
		_, broken = f.parse(text)
	}
	_, whole := f.edit(text, nil, c)
	form := Form{Broken: broken, Comments: len(text) > 0 && !whole && (broken != nil || f.hasComments(text))}
	defaults := f.Defaults()
	usual := settingsOf(&defaults)
	for i, s := range settingsOf(&c) {
		kind, value := s.shown()
		_, standard := usual[i].shown()
		form.Keys = append(form.Keys, Key{
			Section: s.section, Name: s.name(), Comment: s.comment, Takes: s.takes, Kind: kind, Value: value, Default: standard,
		})
	}
	return form
}

// Check says a sentence for every value that its key does not take. Values are
// as a Form has them, by their keys' whole names; an int may be a text as well.
func (f File[T]) Check(values map[string]json.RawMessage) map[string]string {
	text, err := read(f.Path)
	if err != nil {
		text = nil // what is wrong with the file is no matter here
	}
	c := f.salvage(text)
	return f.fill(&c, values)
}

// Fill keeps values in the file, all or none. The error is a *RefusedError for what
// Check has something to say to, or one of Save's.
func (f File[T]) Fill(values map[string]json.RawMessage, lose bool) error {
	if wrong := f.Check(values); len(wrong) > 0 {
		return &RefusedError{Sentences: wrong}
	}
	return f.Save(func(c *T) { f.fill(c, values) }, lose)
}

// RefusedError is values that their keys do not take, with a sentence for each.
type RefusedError struct{ Sentences map[string]string }

func (*RefusedError) Error() string { return "save settings: a value is not taken" }

// fill sets values, and says a sentence for each that its key does not take.
func (f File[T]) fill(c *T, values map[string]json.RawMessage) map[string]string {
	wrong := map[string]string{}
	all := settingsOf(c)
	for name, raw := range values {
		s, ok := find(all, name)
		switch {
		case !ok:
			wrong[name] = "There is no such setting."
		case !s.set(raw):
			wrong[name] = "It takes " + s.takes + "."
		}
	}
	for _, name := range f.Invalid(*c) {
		s, ok := find(all, name)
		if _, sent := values[name]; sent && ok {
			wrong[name] = "It takes " + s.takes + "."
		}
	}
	return wrong
}

// shown is the kind of a setting's value, and the value as a Form has it.
func (s setting) shown() (kind string, value any) {
	switch v := s.value.Interface().(type) {
	case time.Duration:
		return "duration", durationText(v)
	case bool:
		return "bool", v
	case int:
		return "int", v
	case string:
		return "string", v
	default:
		if s.value.IsNil() {
			return "list", []string{}
		}
		return "list", v
	}
}

// set sets a value of a Form, and reports whether it could.
func (s setting) set(raw json.RawMessage) bool {
	if s.value.Type() == reflect.TypeFor[time.Duration]() {
		var text string
		if json.Unmarshal(raw, &text) != nil {
			return false
		}
		d, err := time.ParseDuration(strings.TrimSpace(text))
		s.value.SetInt(int64(d))
		return err == nil
	}
	if s.value.Kind() == reflect.Int { // which stands in a text box
		var text string
		if json.Unmarshal(raw, &text) == nil {
			raw = json.RawMessage(strings.TrimSpace(text))
		}
	}
	into := reflect.New(s.value.Type())
	if strings.TrimSpace(string(raw)) == "null" || json.Unmarshal(raw, into.Interface()) != nil {
		return false
	}
	s.value.Set(into.Elem())
	return true
}
