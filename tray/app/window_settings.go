package app

import (
	"encoding/json"
	"errors"

	"windsock/tray/settings"
	"windsock/tray/window"
)

// preferences are the settings as the window has them.
type preferences struct {
	file settings.File[config]
	// places are what else there is to be found.
	places []window.Place
}

// Read is what stands in the file.
func (p preferences) Read() window.PreferencesDocument {
	form := p.file.Form()
	d := window.PreferencesDocument{Path: p.file.Path, Comments: form.Comments}
	if form.Broken != nil {
		problem := sentence(form.Broken)
		d.Problem = &problem
	}
	for _, k := range form.Keys {
		if n := len(d.Sections); n == 0 || d.Sections[n-1].Name != k.Section {
			d.Sections = append(d.Sections, window.Section{Name: k.Section})
		}
		section := &d.Sections[len(d.Sections)-1]
		section.Keys = append(section.Keys, window.Preference{
			Key: k.Name, Comment: k.Comment, Takes: k.Takes, Type: k.Kind, Value: k.Value, Default: k.Default,
		})
	}
	return d
}

// Check says what is wrong with values.
func (p preferences) Check(values map[string]json.RawMessage) map[string]string {
	return p.file.Check(values)
}

// Save keeps values in the file.
func (p preferences) Save(values map[string]json.RawMessage, loseComments bool) error {
	err := p.file.Fill(values, loseComments)
	if refused, ok := errors.AsType[*settings.RefusedError](err); ok {
		return &window.RefusedError{Sentences: refused.Sentences}
	}
	if errors.Is(err, settings.ErrComments) {
		return window.ErrComments
	}
	return err
}

// Places are where things lie.
func (p preferences) Places() []window.Place {
	return append([]window.Place{{What: "Settings", Path: p.file.Path}}, p.places...)
}
