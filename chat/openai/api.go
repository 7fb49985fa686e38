// Package openai serves the models of the plan to other programs of the same user:
// an HTTP server on loopback that speaks as much of OpenAI's API as a prompt can
// keep.
//
//	POST /v1/chat/completions   an answer, streamed or not
//	GET  /v1/models             the models that the plan has now
//	GET  /v1/usage              what is left, as `windsock status --json` writes it
//	GET  /health                whether it is there; the only one without the key
//
// A request becomes one prompt in a cascade of its own, which is archived however
// it ends. There is no conversation at the server, and no setting of a model but
// its name, and it is said in each answer what had no effect. The files below
// decide what that means; their comments are the reference.
//
//   - fold.go: how messages, tools and formats become one prompt;
//   - toolcall.go: what counts as a call of a tool, and what becomes of the rest;
//   - stream.go: what a client sees of an answer that the server writes anew;
//   - failed.go: which prompts are not sent a second time.
//
// Who may connect is for package loopback to say. Neither the key nor what is
// asked and answered is ever logged.
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
