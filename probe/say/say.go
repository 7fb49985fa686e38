// Package say defines how an error is reported to people and scripts: a code, a
// sentence with its cure, and an exit code. Every package reports its errors through
// it; it knows none of them.
package say

import (
	"errors"
	"fmt"
	"strings"
)

// Error is the report of an error. Each field may be empty.
type Error struct {
	Code  string // for programs, as in JSON
	What  string // what happened, as a sentence; before a Cure the full stop may be missing
	Cure  string // what to do about it, as a sentence
	Exit  int    // the exit code of the command; zero stands for 1
	Cause error  // for the log
}

// Teller is an error that has a report. *Error is one.
type Teller interface {
	error
	Tell() Error
}

// Tell makes an Error a Teller.
func (e *Error) Tell() Error { return *e }

// Error is for the log: the cause, or without one the sentence.
func (e *Error) Error() string {
	if e.Cause != nil {
		return e.Cause.Error()
	}
	return e.Sentence()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// Sentence says what happened and what to do about it. It is empty if What is.
func (e *Error) Sentence() string {
	if e.What == "" || e.Cure == "" {
		return e.What
	}
	return strings.TrimSuffix(e.What, ".") + ". " + e.Cure
}

// ExitUsage is the exit code for an invalid command line.
const ExitUsage = 2

// ExitInterrupted is the exit code after a Ctrl-C, as a shell expects it.
const ExitInterrupted = 130

// Usage is the error for an invalid command line. The text is formatted like that of
// fmt.Errorf and shown as it is.
func Usage(format string, args ...any) error {
	return &usageError{fmt.Errorf(format, args...)}
}

type usageError struct{ error }

func (e *usageError) Tell() Error   { return Error{What: e.Error(), Exit: ExitUsage} }
func (e *usageError) Unwrap() error { return errors.Unwrap(e.error) }

// Told is the error of a command that has printed everything already and only sets an
// exit code. Its text is empty.
func Told(exit int) error { return told(exit) }

type told int

func (told) Error() string { return "" }
func (t told) Tell() Error { return Error{Exit: int(t)} }

// find returns the report of the first Teller in err's chain.
func find(err error) Error {
	if t, ok := errors.AsType[Teller](err); ok {
		return t.Tell()
	}
	return Error{}
}

// Sentence is an error's sentence for people, or otherwise if it has none.
func Sentence(err error, otherwise string) string {
	t := find(err)
	if s := t.Sentence(); s != "" {
		return s
	}
	return otherwise
}

// Code is an error's code; empty if it has none.
func Code(err error) string {
	t := find(err)
	return t.Code
}

// Exit is the exit code of a command that ends with err: 0 for nil, 1 if the error sets
// no other.
func Exit(err error) int {
	if err == nil {
		return 0
	}
	if t := find(err); t.Exit != 0 {
		return t.Exit
	}
	return 1
}
