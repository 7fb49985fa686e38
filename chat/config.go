package chat

import (
	"strings"
	"unicode"
)

// Config is what a person may choose about prompts: the section [chat] of the
// configuration file.
type Config struct {
	// Model is the model that is asked where none is named, as
	// [Catalogue.Resolve] takes it; empty is the editor's default. Which there are,
	// only a server knows.
	Model string `comment:"The model to ask where none is named; without one, the editor's own choice." empty:"the editor's own choice" takes:"a name as windsock models lists it" toml:"model"`
}

// DefaultConfig is what holds for a key that is not in the file.
func DefaultConfig() Config { return Config{} }

// Invalid are the keys that do not take their value.
func (c Config) Invalid() []string {
	if len(c.Model) > MaxModelName || strings.ContainsFunc(c.Model, unicode.IsControl) {
		return []string{"model"}
	}
	return nil
}
