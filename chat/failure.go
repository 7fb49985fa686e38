package chat

import (
	"errors"
	"fmt"
	"time"
)

// Code names what stands between a person and an answer.
type Code string

// The codes.
const (
	QuotaExhausted Code = "quota_exhausted"   // the plan has nothing left
	RateLimited    Code = "rate_limited"      // the model takes no message for a while
	NotInPlan      Code = "model_not_in_plan" // the server refuses the model for this account
	Outdated       Code = "editor_outdated"   // the cloud wants a newer editor
	Busy           Code = "busy"              // the cascade takes no message now
	CascadeOff     Code = "cascade_off"       // the server has no Cascade
	ServerGone     Code = "server_gone"       // the server ended in the middle
	TimedOut       Code = "timeout"           // no end of the answer in time
	NeedsPerson    Code = "needs_permission"  // the model waits for a permission that only the editor can give
	TurnFailed     Code = "turn_failed"       // the server ended the turn with an error of its own
	NoArchive      Code = "no_archive"        // the server cannot archive
)

// ErrUnsupported is in the chain of every error that says that the server has no
// such RPC (PROTOCOL.md 7.8).
var ErrUnsupported = errors.New("the server has no such call")

// failureTable says what each code means for a person. In says and cure, %[1]s is
// the name of the app.
var failureTable = map[Code]struct{ says, cure string }{
	QuotaExhausted: {"the plan has nothing left for this model", "Choose a model that costs less, or wait for the reset."},
	RateLimited:    {"this model takes no message at the moment", "Choose another model, or wait a while."},
	NotInPlan:      {"the plan does not include this model", "`windsock models` lists those that it does."},
	Outdated:       {"%[1]s is too old for its own service", "Update %[1]s and try again."},
	Busy:           {"%[1]s is busy with this cascade", "Try again in a moment."},
	CascadeOff:     {"this version of %[1]s has no Cascade any more, so Windsock cannot send prompts through it", "The figures of your plan are not affected."},
	ServerGone:     {"the language server of %[1]s ended before the answer did", "Check that %[1]s runs, then ask again."},
	TimedOut:       {"the answer did not end in time", "Ask again, or give it longer with --timeout."},
	NeedsPerson:    {"the model waits for a permission that only %[1]s itself can give", "Ask so that it needs no tool, or ask it in the Cascade panel."},
	TurnFailed:     {"%[1]s could not answer", "Try again, or choose another model."},
	NoArchive:      {"this version of %[1]s cannot archive cascades", "Update %[1]s, or archive them in its Cascade panel."},
}

// Failure is why there is no answer, or why nothing can be archived. Its Error
// is for logs, its Sentence for people.
type Failure struct { //nolint:errname // what became of a prompt; an error only when it is returned as one
	code  Code
	app   string        // as a person calls it
	words string        // what the server says, cleaned; may be empty, never logged
	wait  time.Duration // until there is capacity again; zero is unknown
	back  string        // when there is quota again, a sentence; empty is unknown
	cause error         // may be nil; holds nothing of the server's words
}

// Code returns the code as it stands in JSON.
func (f *Failure) Code() string { return string(f.code) }

// ExitCode returns the exit code of a command that ends with this failure.
func (*Failure) ExitCode() int { return 1 }

// Wait is how long the server says to wait; zero where it does not.
func (f *Failure) Wait() time.Duration { return f.wait }

// ComesBack adds to a used-up quota, in a sentence, when there is some again; an
// empty one adds nothing.
func (f *Failure) ComesBack(sentence string) { f.back = trimStop(sentence) }

// Sentence says to a person what happened and what to do about it, with the
// server's own words where it gave some.
func (f *Failure) Sentence() string {
	row := failureTable[f.code]
	says, cure := fill(row.says, f.app), fill(row.cure, f.app)
	if f.words != "" {
		says += ": " + trimStop(f.words)
	}
	if f.back != "" {
		cure = "Choose a model that costs less, or wait. " + f.back + "."
		return upperFirst(says) + ". " + cure
	}
	if f.wait > 0 {
		cure = fmt.Sprintf("There is capacity again in %s.", f.wait.Round(time.Second))
	}
	return upperFirst(says) + ". " + cure
}

// Error returns the code, the app and the cause as a chain.
func (f *Failure) Error() string {
	if f.cause == nil {
		return fmt.Sprintf("%s: %s", f.code, f.app)
	}
	return fmt.Sprintf("%s: %s: %v", f.code, f.app, f.cause)
}

// Unwrap returns the cause.
func (f *Failure) Unwrap() error { return f.cause }
