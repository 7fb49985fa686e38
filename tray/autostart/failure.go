package autostart

import (
	"errors"

	"windsock/probe/redact"
)

// action is what was being done when it failed.
type action struct {
	doing string // in a chain
	says  string // to people, before the cause
}

var (
	looking      = action{"read autostart entry", "Windsock cannot tell whether it starts at login"}
	switchingOn  = action{"write autostart entry", "Windsock cannot be set to start at login"}
	switchingOff = action{"remove autostart entry", "Windsock cannot be kept from starting at login"}
)

// failure is why an entry can be neither read nor changed. Paths, which may hold a
// user's name, are in neither of its texts.
type failure struct {
	doing string
	says  string
	cure  string
	cause error // may be nil
}

func (e *Entry) failed(a action, err error) error {
	if refused, ok := errors.AsType[*failure](err); ok {
		return refused
	}
	err = redact.Path(err)
	return &failure{a.doing, a.says + ": " + err.Error(), "Check " + e.place.where() + " and its permissions, then try again.", err}
}

// refusal is a failure of the program itself, before anything was touched.
func refusal(reason, says, cure string) *failure {
	return &failure{switchingOn.doing + ": " + reason, says, cure, nil}
}

// Error is for logs.
func (f *failure) Error() string {
	if f.cause == nil {
		return f.doing
	}
	return f.doing + ": " + f.cause.Error()
}

// Sentence says to a person what happened and what to do about it.
func (f *failure) Sentence() string { return f.says + ". " + f.cure }

// Unwrap returns the cause.
func (f *failure) Unwrap() error { return f.cause }
