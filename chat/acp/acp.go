// Package acp asks models through a program that speaks the Agent Client Protocol, as
// the agent that Devin Desktop ships, and Cursor's command line (PROTOCOL.md 11). It
// is a [chat.Engine].
//
// Behind the protocol is a whole agent with tools of its own, and no client can switch
// those off. What is done: the agent's own settings at its start, its mode for
// answering, nothing offered, every permission refused, an empty directory, few
// variables, and an end at the first tool call that acts. That is no wall, and no
// sentence here may say so.
//
// No text of a prompt, an answer or an agent is in a log. Package wire reads and writes
// messages, package process runs the program. A program is started by a question alone.
package acp

import (
	"context"

	"windsock/chat/touched"
)

// Queue holds the sessions that are still to be deleted; a touched.Table is one. Its
// entries outlive the process.
type Queue interface {
	// Add notes a session by its engine and its id.
	Add(ctx context.Context, engine, id string) error
	Remove(ctx context.Context, engine, id string) error
	// Hold notes that this process keeps a session open, and how many prompts that has
	// had; Release takes that back.
	Hold(ctx context.Context, engine, id string, prompts int) error
	Release(ctx context.Context, engine, id string) error
	// Waiting returns all of them, also those of other engines.
	Waiting(ctx context.Context) ([]touched.Waiting, error)
}
