package chat

import (
	"slices"
	"strings"
	"unicode"
)

// Config is a person's choices about prompts: the section [chat] of the configuration
// file.
type Config struct {
	// Engine is the ID of the engine that prompts go to. Empty is Cascade, until the
	// person has answered whether an agent may take its place. The local API asks Cascade,
	// whatever this is.
	Engine string `choices:"cascade,devin,cursor,custom" comment:"What answers prompts: the editor's Cascade, or an agent. An agent uses the plan, too, and is a whole program that may act: windsock help agents says more." empty:"Cascade, until another is chosen" toml:"engine"`
	// Agent is the command of the engine "custom": a program and its arguments, run
	// without a shell.
	Agent []string `comment:"The program of the engine custom, with its arguments; no shell runs it." empty:"none" takes:"a program that speaks the Agent Client Protocol, such as [\"opencode\", \"acp\"]" toml:"agent"`
	// Model is the model for prompts that name none, as [Catalogue.Resolve] takes it;
	// empty is the engine's own choice. Only the engine knows which models there are.
	Model string `comment:"The model to ask if none is named. Without one, the engine chooses." empty:"the engine's own choice" takes:"a name as windsock models lists it" toml:"model"`
}

// Engines are the IDs of all engines.
func Engines() []string { return []string{Cascade, "devin", "cursor", "custom"} }

// DefaultConfig returns the values of keys that are not in the file.
func DefaultConfig() Config { return Config{Agent: []string{}} }

const (
	maxAgent    = 64 // words of a command
	maxArgument = 4096
)

// Invalid returns the keys with invalid values.
func (c Config) Invalid() (keys []string) {
	if c.Engine != "" && !slices.Contains(Engines(), c.Engine) {
		keys = append(keys, "engine")
	}
	unfit := func(word string) bool {
		return len(word) > maxArgument || strings.ContainsFunc(word, unicode.IsControl)
	}
	switch {
	case len(c.Agent) > maxAgent, slices.ContainsFunc(c.Agent, unfit),
		len(c.Agent) > 0 && strings.TrimSpace(c.Agent[0]) == "",
		len(c.Agent) == 0 && c.Engine == "custom":
		keys = append(keys, "agent")
	}
	if len(c.Model) > MaxModelName || strings.ContainsFunc(c.Model, unicode.IsControl) {
		keys = append(keys, "model")
	}
	return keys
}
