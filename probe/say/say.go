// Package say holds what people and scripts are told of an error: a code, a sentence
// with its cure, and an exit code. Every package tells its errors through it; it
// knows none of them.
package say

import (
	"errors"
	"fmt"
	"strings"
)

// Error is what is told of an error. Each field may be empty.
type Error struct {
	Code  string // for programs, as it stands in JSON
	What  string // what happened, as a sentence; its full stop may be left out where a Cure follows
	Cure  string // what to do about it, as a sentence
	Exit  int    // the exit code of a command that ends with it; zero stands for 1
	Cause error  // for the log
}

// Teller is an error that knows what to tell. *Error is one.
type Teller interface {
	error
	Tell() Error
}

// Tell makes an Error a Teller.
func (e *Error) Tell() Error { return *e }

// Error is for the log: the cause, or the sentence where there is none.
func (e *Error) Error() string {
	if e.Cause != nil {
		return e.Cause.Error()
	}
	return e.Sentence()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// Sentence says what happened and what to do about it. It is empty where What is.
func (e *Error) Sentence() string {
	if e.What == "" || e.Cure == "" {
		return e.What
	}
	return strings.TrimSuffix(e.What, ".") + ". " + e.Cure
}

// ExitUsage is the exit code for a command line that means nothing.
const ExitUsage = 2

// Usage is the error for a command line that means nothing. The text, which is
// formatted as fmt.Errorf does it, is told as it is.
func Usage(format string, args ...any) error {
	return &usageError{fmt.Errorf(format, args...)}
}

type usageError struct{ error }

func (e *usageError) Tell() Error   { return Error{What: e.Error(), Exit: ExitUsage} }
func (e *usageError) Unwrap() error { return errors.Unwrap(e.error) }

// Told is the error for a command that has said all there is to say, and ends with
// an exit code. Its text is empty.
func Told(exit int) error { return told(exit) }

type told int

func (told) Error() string { return "" }
func (t told) Tell() Error { return Error{Exit: int(t)} }

// find returns what the first error of err's chain that knows it has to tell.
func find(err error) Error {
	if t, ok := errors.AsType[Teller](err); ok {
		return t.Tell()
	}
	return Error{}
}

// Sentence is what an error says to people; otherwise where it has no sentence of its
// own.
func Sentence(err error, otherwise string) string {
	t := find(err)
	if s := t.Sentence(); s != "" {
		return s
	}
	return otherwise
}

// Code is an error's code; empty where it has none.
func Code(err error) string {
	t := find(err)
	return t.Code
}

// Exit is the exit code of a command that ends with err: 0 for nil, 1 where the error
// asks for no other.
func Exit(err error) int {
	if err == nil {
		return 0
	}
	if t := find(err); t.Exit != 0 {
		return t.Exit
	}
	return 1
}
