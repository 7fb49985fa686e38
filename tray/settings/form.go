package settings

import (
	"encoding/json"
	"reflect"
	"time"

	"windsock/probe/say"
)

// Form is the file as a page shows it to be filled in.
type Form struct {
	Path string `json:"path"`
	// Sections have all keys, in order; what could not be read of the file has its
	// default.
	Sections []Section `json:"sections"`
	// Problem says what is wrong with the file, "" for nothing.
	Problem string `json:"problem"`
	// Comments says that a Fill may lose comments, or what cannot be read.
	Comments bool `json:"comments"`
}

// Section is a part of a Form.
type Section struct {
	Name string `json:"name"`
	Keys []Key  `json:"keys"`
}

// Key is one key of a Form.
type Key struct {
	// Name is the whole name, such as usage.interval.
	Name    string `json:"key"`
	Comment string `json:"comment"`
	// Help says which values the key takes, as a sentence for the text in a box.
	Help string `json:"help"`
	// Choices are all values of a string that takes no others, else null.
	Choices []string `json:"choices"`
	// Empty is what an empty value means, "" where there is nothing to tell.
	Empty string `json:"empty"`
	// Kind is bool, int, string, duration or list.
	Kind string `json:"type"`
	// Value and Default are what their kind says; a duration is a text such as 5m, and a
	// list is never null.
	Value   any `json:"value"`
	Default any `json:"default"`
}

// Form is what stands in the file.
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

// Check says a sentence for every value that its key does not take. Values are
// as a Form has them, by their keys' whole names.
func (f File[T]) Check(values map[string]json.RawMessage) map[string]string {
	text, err := f.text()
	if err != nil {
		text = nil // what is wrong with the file is no matter here
	}
	return f.fill(&f.read(text).value, values)
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
		var value any
		s, ok := find(all, name)
		switch {
		case !ok:
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

// shown is the value as a Form has it.
func (s setting) shown() any {
	if d, ok := reflect.TypeAssert[time.Duration](s.value); ok {
		return durationText(d)
	}
	if s.kind() == "list" && s.value.IsNil() {
		return []string{}
	}
	return s.value.Interface()
}
