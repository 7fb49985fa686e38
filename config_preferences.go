package main

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"time"

	"windsock/chat/window"
)

// preferences are the file as the window's settings view has it.
type preferences struct {
	path string
	// places are what else there is to be found.
	places []window.Place
}

// Read is what stands in the file.
func (p preferences) Read() window.PreferencesDocument {
	d := window.PreferencesDocument{Path: p.path}
	text, err := readConfig(p.path)
	c := salvaged(text)
	if err == nil {
		_, err = parseConfig(text)
	}
	if err != nil {
		problem := sentence(err)
		d.Problem = &problem
	}
	_, whole := editConfig(text, nil, c)
	d.Comments = len(text) > 0 && !whole && (err != nil || hasComments(text))
	defaults := defaultConfig()
	usual := settingsOf(&defaults)
	for i, s := range settingsOf(&c) {
		if n := len(d.Sections); n == 0 || d.Sections[n-1].Name != s.section {
			d.Sections = append(d.Sections, window.Section{Name: s.section})
		}
		section := &d.Sections[len(d.Sections)-1]
		kind, value := s.shown()
		_, standard := usual[i].shown()
		section.Keys = append(section.Keys, window.Preference{
			Key: s.name(), Comment: s.comment, Takes: s.takes, Type: kind, Value: value, Default: standard,
		})
	}
	return d
}

// shown is the kind of a setting's value, and the value as the page has it.
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

// set sets the value that the page has sent, and reports whether it could.
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

// Check says what is wrong with values.
func (p preferences) Check(values map[string]json.RawMessage) map[string]string {
	text, err := readConfig(p.path)
	if err != nil {
		text = nil // what is wrong with the file is no matter here
	}
	c := salvaged(text)
	return settle(&c, values)
}

// settle sets values, and says a sentence for each that its key does not take.
func settle(c *config, values map[string]json.RawMessage) map[string]string {
	wrong := map[string]string{}
	all := settingsOf(c)
	for name, raw := range values {
		i := slices.IndexFunc(all, func(s setting) bool { return s.name() == name })
		switch {
		case i < 0:
			wrong[name] = "There is no such setting."
		case !all[i].set(raw):
			wrong[name] = "It takes " + all[i].takes + "."
		}
	}
	for _, name := range c.invalid() {
		i := slices.IndexFunc(all, func(s setting) bool { return s.name() == name })
		if _, sent := values[name]; sent && i >= 0 {
			wrong[name] = "It takes " + all[i].takes + "."
		}
	}
	return wrong
}

// Save keeps values in the file.
func (p preferences) Save(values map[string]json.RawMessage, loseComments bool) error {
	if wrong := p.Check(values); len(wrong) > 0 {
		return &window.RefusedError{Sentences: wrong}
	}
	return saveConfig(p.path, func(c *config) { settle(c, values) }, loseComments)
}

// Places are where things lie.
func (p preferences) Places() []window.Place {
	return append([]window.Place{{What: "Settings", Path: p.path}}, p.places...)
}
