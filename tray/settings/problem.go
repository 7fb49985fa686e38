package settings

import (
	"fmt"
	"strings"

	"windsock/probe/say"
)

// BrokenError is the error for an unusable file.
type BrokenError struct {
	// Problems are in the file's order; there is at least one.
	Problems []Problem
	cause    error
}

// Problem is one fault of the file.
type Problem struct {
	// Line counts from 1; it is 0 if unknown, or for the file as a whole.
	Line int
	// text describes it, without the full stop.
	text string
}

// broken is a problem of the file as a whole.
func broken(text string, cause error) error {
	return &BrokenError{Problems: []Problem{{text: text}}, cause: cause}
}

// Sentence tells people where the fault is, and what would be right.
func (p Problem) Sentence() string {
	where := Name
	if p.Line > 0 {
		where = fmt.Sprintf("%s, line %d", Name, p.Line)
	}
	if strings.HasSuffix(p.text, "?") {
		return where + ": " + p.text
	}
	return where + ": " + p.text + "."
}

// Error names every problem.
func (e *BrokenError) Error() string { return "read config: " + e.sentences() }

// Unwrap returns why the file could not be read, or nil.
func (e *BrokenError) Unwrap() error { return e.cause }

// Tell has every problem on a line of its own.
func (e *BrokenError) Tell() say.Error {
	return say.Error{What: e.sentences(), Exit: say.ExitUsage, Cause: e.cause}
}

// sentences are all problems, or the first ones of many.
func (e *BrokenError) sentences() string {
	const most = 20
	var lines []string
	for _, p := range e.Problems[:min(most, len(e.Problems))] {
		lines = append(lines, p.Sentence())
	}
	if more := len(e.Problems) - most; more > 0 {
		lines = append(lines, fmt.Sprintf("There are %d more.", more))
	}
	return strings.Join(lines, "\n")
}
