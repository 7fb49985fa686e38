package chat

import (
	"context"
	"time"
)

// Engine is one program that answers prompts on the person's own plan. Its methods
// may be called from several goroutines at once.
type Engine interface {
	// ID names it among the engines of a Service.
	ID() string
	// Models asks for the models that there are now.
	Models(ctx context.Context) (Catalogue, error)
	// Ask sends a prompt and follows the answer, which is told as it grows: tell is
	// called from the calling goroutine, and not after Ask has returned. However it
	// ends, it tidies up after itself, which the end of ctx does not cut and which
	// takes TidyTime at most. The answer is as complete as it can be beside an error.
	//
	// The error is ctx's after a cancel, a *Failure with the code TimedOut after the
	// deadline of ctx, else a *Failure or an error that package say can tell.
	Ask(ctx context.Context, p Prompt, tell func(Event)) (Answer, error)
}

// TidyTime is what an engine may take to tidy up after a prompt, on every path out.
const TidyTime = 5 * time.Second
