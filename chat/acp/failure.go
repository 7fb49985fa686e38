package acp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/tidwall/gjson"

	"windsock/chat"
	"windsock/chat/acp/wire"
	"windsock/probe/terminal"
)

// startError says that the program could not be started.
type startError struct{ cause error }

func (e *startError) Error() string { return "start agent: " + e.cause.Error() }
func (e *startError) Unwrap() error { return e.cause }

// callError is an agent's own error.
type callError struct {
	method string
	answer *wire.Error
}

func (e *callError) Error() string { return e.method + ": " + e.answer.Error() }

// slowError says that nothing came in time.
type slowError struct {
	method string
	limit  time.Duration
}

func (e *slowError) Error() string { return fmt.Sprintf("%s: nothing for %s", e.method, e.limit) }

// words are "45 seconds" or "3 minutes".
func (e *slowError) words() string {
	if e.limit >= time.Minute {
		return fmt.Sprintf("%d minutes", int(e.limit.Minutes()))
	}
	return fmt.Sprintf("%d seconds", int(e.limit.Seconds()))
}

// goneError says that nothing can be read any more.
type goneError struct{ cause error }

func (e *goneError) Error() string { return "read agent: " + e.cause.Error() }
func (e *goneError) Unwrap() error { return e.cause }

// actsError says that a tool acts.
type actsError struct{ kind string }

func (e *actsError) Error() string { return "the agent acts: " + e.kind }

// Errors of the agent's answers.
var (
	errTooNew = errors.New("another version of the protocol")
	errDaring = errors.New("each mode acts unasked")
	errNoID   = errors.New("session/new gave no session")
)

// failure turns an error into one that a person can act on, and nil into nil. An error
// of ctx stays as it is, but for its deadline.
func (p Profile) failure(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if known, ok := errors.AsType[*chat.Failure](err); ok {
		return known
	}
	if errors.Is(ctx.Err(), context.Canceled) {
		return ctx.Err()
	}
	f := &chat.Failure{Code: chat.TurnFailed, App: p.name, Cause: err}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		f.Code = chat.TimedOut
		return f
	}
	call, isCall := errors.AsType[*callError](err)
	slow, isSlow := errors.AsType[*slowError](err)
	acts, isActs := errors.AsType[*actsError](err)
	start, isStart := errors.AsType[*startError](err)
	switch {
	case isStart:
		f.Says, f.Words, f.Cure = "Windsock could not start the agent of %[1]s", start.cause.Error(), p.install
	case isCall:
		p.read(f, call)
	case isActs:
		f.Code, f.Words = chat.AgentActs, deed(acts.kind)
	case isSlow:
		f.Code = chat.TimedOut
		f.Says, f.Cure = "Nothing came from the agent of %[1]s for "+slow.words(), "Ask again."
		if slow.method != methodPrompt {
			f.Says += ", and it had not begun"
			f.Cure = "MCP servers of its own settings may hang. Look at those, then ask again."
		}
	case errors.Is(err, errTooNew):
		f.Code = chat.AgentTooNew
	case errors.Is(err, errDaring):
		f.Code, f.Words = chat.AgentUnsafe, "in every mode that it has it acts without asking"
	case errors.Is(err, io.EOF), errors.Is(err, wire.ErrClosed):
		f.Code, f.Says, f.Cure = chat.ServerGone, "The agent of %[1]s ended before the answer did", "Ask again. If it ends each time, update it."
	case errors.Is(err, wire.ErrLine), errors.Is(err, wire.ErrStream), errors.Is(err, errAnswerLong):
		f.Words = "it sent more than Windsock reads"
	case errors.Is(err, wire.ErrNoise), errors.Is(err, wire.ErrBroken):
		f.Words = "it sent something that is no message"
	case errors.Is(err, wire.ErrStuck):
		f.Words = "it does not take messages"
	}
	return f
}

// read takes the meaning of an agent's own error (PROTOCOL.md 11.4). Its code decides:
// the text is shown and not interpreted.
func (p Profile) read(f *chat.Failure, e *callError) {
	f.Words = terminal.Short(e.answer.Message)
	switch {
	case e.answer.Code == wire.AuthRequired:
		f.Code, f.Cure = chat.NotSignedIn, p.login
	case e.answer.Code == wire.Exhausted, e.answer.Data.Get(`cognition\.ai/errorKind`).String() == "resource_exhausted":
		f.Code = chat.QuotaExhausted
		if wait := retryAfter(e.answer.Data); wait > 0 {
			f.Code, f.Wait = chat.RateLimited, wait
		}
	case e.answer.Code == wire.Locked:
		f.Code = chat.Busy
	case e.answer.Code == wire.NotFound && e.method == methodSetOption, e.answer.Code == wire.NotFound && e.method == methodSetModel:
		f.Code, f.Cure = chat.NotInPlan, "`windsock models --engine "+p.id+"` lists those that it does."
	case e.answer.Code == wire.MethodNotFound && e.method == methodInitialize:
		f.Code, f.Words = chat.NoACP, ""
	}
}

// retryAfter is zero if it is not told.
func retryAfter(data gjson.Result) time.Duration {
	const most = 30 * 24 * time.Hour
	n := amount(data.Get(`cognition\.ai/retryAfterSeconds`))
	if n == nil || *n > most.Seconds() {
		return 0
	}
	return time.Duration(*n * float64(time.Second))
}
