// Package openai serves the models of the plan to other programs of the same user:
// an HTTP server on loopback that speaks as much of OpenAI's API as a prompt can
// keep.
//
//	POST /v1/chat/completions   an answer, streamed or not
//	GET  /v1/models             the models that the plan has now
//	GET  /v1/usage              what is left, as `windsock status --json` writes it
//	GET  /health                whether it is there; the only one without the key
//
// A request becomes one prompt in a cascade of its own, which is archived however it
// ends. There is no conversation at the server, and no setting of a model but its name;
// each answer names what had no effect. The comments of these files are the reference:
//
//   - fold.go: how messages, tools and formats become one prompt;
//   - toolcall.go: what counts as a call of a tool, and what becomes of the rest;
//   - stream.go: what a client sees of an answer that the server writes anew;
//   - failed.go: which prompts are not sent a second time.
//
// Package loopback decides who may connect. Neither the key nor what is asked and
// answered is ever logged.
package openai

import "time"

const (
	// maxBody is the size of a request; a conversation that a model reads has less.
	maxBody = 8 << 20
	// bodyTime is what a client may take to send it, writeTime what it may take to
	// read a piece of the answer.
	bodyTime  = 30 * time.Second
	writeTime = 30 * time.Second
	// askTime is when an answer is given up.
	askTime = 10 * time.Minute
	// ShutdownTime is what Run may take after the end of its context: answers are
	// cancelled and their cascades archived.
	ShutdownTime = 8 * time.Second
)

// Config is the section [api] of the configuration file.
type Config struct {
	// Enabled says whether the app serves it; `windsock serve` does in any case.
	Enabled bool `comment:"Whether the app serves your plan's models to other programs on this computer." toml:"enabled"`
	// Port is where it is served; any free one where that is taken.
	Port int `comment:"The port on 127.0.0.1; where it is taken, another one is." takes:"a number from 1024 to 65535" toml:"port"`
	// Concurrency is how many answers there may be at once.
	Concurrency int `comment:"How many answers there may be at once." takes:"a number from 1 to 16" toml:"concurrency"`
}

// DefaultConfig is what holds for a key that is not in the file.
func DefaultConfig() Config { return Config{Port: 42100, Concurrency: 2} }

// Invalid are the keys that do not take their value.
func (c Config) Invalid() []string {
	var keys []string
	if c.Port < 1024 || c.Port > 65535 {
		keys = append(keys, "port")
	}
	if c.Concurrency < 1 || c.Concurrency > 16 {
		keys = append(keys, "concurrency")
	}
	return keys
}
