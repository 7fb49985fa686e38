package chat

import (
	"context"
	"time"
)

// Cascade is the ID of the editor's own engine. All other engines are agents: programs
// that Windsock starts (package acp).
const Cascade = "cascade"

// IsAgent reports whether an engine's ID is that of an agent; "" is Cascade.
func IsAgent(engine string) bool { return engine != "" && engine != Cascade }

// Engine is a program that answers prompts on the person's own plan. Its methods may
// be called from several goroutines at once.
type Engine interface {
	// ID names the kind of engine: Cascade, or that of an agent.
	ID() string
	// Models requests the current list of models.
	Models(ctx context.Context) (Catalogue, error)
	// Ask sends a prompt and follows the answer. It calls tell while the answer grows,
	// from the calling goroutine, and not after it has returned. However the prompt ends,
	// Ask tidies up, unless the prompt keeps its conversation; the end of ctx does not cut
	// that short, and it takes TidyTime at most. Beside an error the answer is as complete
	// as possible.
	//
	// The error is ctx's after a cancel, a *Failure with the code TimedOut after the
	// deadline of ctx, else a *Failure or an error that package say can tell.
	Ask(ctx context.Context, p Prompt, tell func(Event)) (Answer, error)
	// End ends a conversation that a prompt has kept open, and tidies up as Ask does. It
	// waits for a turn under way in it. One that is open no more is left alone.
	End(ctx context.Context, ref string) Leftover
}

// TidyTime is the time limit for an engine to tidy up after a prompt, on every path
// out.
const TidyTime = 5 * time.Second
