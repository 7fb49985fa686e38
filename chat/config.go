package chat

import (
	"strings"
	"unicode"
)

// Config is a person's choices about prompts: the section [chat] of the configuration
// file.
type Config struct {
	// Model is the model for prompts that name none, as [Catalogue.Resolve] takes it;
	// empty is the editor's default. Only a server knows which models there are.
	Model string `comment:"The model to ask where none is named; without one, the editor's own choice." empty:"the editor's own choice" takes:"a name as windsock models lists it" toml:"model"`
}

// DefaultConfig returns the values of keys that are not in the file.
func DefaultConfig() Config { return Config{} }

// Invalid returns the keys with invalid values.
func (c Config) Invalid() []string {
	if len(c.Model) > MaxModelName || strings.ContainsFunc(c.Model, unicode.IsControl) {
		return []string{"model"}
	}
	return nil
}
