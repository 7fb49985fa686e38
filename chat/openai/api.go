// Package openai serves the plan's models to other programs of the same user: an HTTP
// server on loopback with the part of OpenAI's API that a prompt can express.
//
//	POST /v1/chat/completions   an answer, streamed or not
//	POST /v1/responses          the same; none is kept
//	GET  /v1/models             the models that the plan has now
//	GET  /v1/usage              what is left, as `windsock status --json` writes it
//	GET  /health                whether it is there; the only one without the key
//
// A request to either API becomes one prompt in a new cascade, which is archived however
// the prompt ends. The server keeps no conversation, and a model has no setting but its
// name; each answer names the fields without effect. The comments of these files are the
// reference:
//
//   - fold.go: how messages, tools and formats become one prompt;
//   - toolcall.go: what counts as a call of a tool, and what becomes of the rest;
//   - stream.go: what a client sees of an answer that the server writes anew;
//   - said.go: what is kept of an answer, in memory;
//   - usage.go: what tokens are told;
//   - failed.go: which prompts are not sent a second time.
//
// Package loopback decides who may connect. The key, prompts and answers are never
// logged.
package openai

import (
	"time"

	"windsock/chat"
)

const (
	// maxBody is the size limit of a request, above any conversation that a model reads:
	// 8 MB beside a prompt's images, which are a third longer in base64.
	maxBody = 8<<20 + (chat.MaxImageBytes+2)/3*4
	// bodyTime is the time limit for a client to send it, writeTime for a client to
	// read a piece of the answer.
	bodyTime  = 30 * time.Second
	writeTime = 30 * time.Second
	// askTime is the time limit of an answer. With the wait for a turn it has to be less
	// than 10 minutes: OpenAI's libraries give up then and send the prompt again.
	askTime = 9 * time.Minute
	// ShutdownTime is how long Run may take after the end of its context to cancel
	// answers and archive their cascades.
	ShutdownTime = 8 * time.Second
)

// Config is the section [api] of the configuration file.
type Config struct {
	// Enabled says whether the app serves it; `windsock serve` always does.
	Enabled bool `comment:"Whether the app serves your plan's models to other programs on this computer." toml:"enabled"`
	// Port is the preferred port; if it is taken, any free one.
	Port int `comment:"The port on 127.0.0.1. If it is taken, Windsock takes another one." takes:"a number from 1024 to 65535" toml:"port"`
	// Concurrency is the limit of simultaneous answers.
	Concurrency int `comment:"How many answers may run at once." takes:"a number from 1 to 16" toml:"concurrency"`
}

// DefaultConfig returns the values of keys that are not in the file.
func DefaultConfig() Config { return Config{Port: 42100, Concurrency: 2} }

// Invalid returns the keys with invalid values.
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
