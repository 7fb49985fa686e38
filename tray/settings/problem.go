package settings

import (
	"fmt"
	"strings"
)

// BrokenError is a file that cannot be used.
type BrokenError struct {
	// Problems are all that were found, in the order of the file; at least one.
	Problems []Problem
	cause    error
}

// Problem is one thing that is wrong with the file.
type Problem struct {
	// Line is where, from 1; 0 when it is the file as a whole.
	Line int
	// text says it, without the full stop.
	text string
}

// broken is a problem of the file as a whole.
func broken(text string, cause error) error {
	return &BrokenError{Problems: []Problem{{text: text}}, cause: cause}
}

// Sentence says to people where something is wrong, and what would be right.
func (p Problem) Sentence() string {
	if strings.HasSuffix(p.text, "?") {
		return p.where() + ": " + p.text
	}
	return p.where() + ": " + p.text + "."
}

func (p Problem) where() string {
	if p.Line == 0 {
		return Name
	}
	return fmt.Sprintf("%s, line %d", Name, p.Line)
}

// Error tells the first problem.
func (e *BrokenError) Error() string {
	text := "read config: " + e.Problems[0].where() + ": " + e.Problems[0].text
	if more := len(e.Problems) - 1; more > 0 {
		text += fmt.Sprintf(" (and %d more)", more)
	}
	return text
}

// Unwrap returns why the file could not be read, nil where it could.
func (e *BrokenError) Unwrap() error { return e.cause }

// ExitCode returns 2.
func (*BrokenError) ExitCode() int { return 2 }

// Sentence says every problem on a line of its own; of a great many, the first.
func (e *BrokenError) Sentence() string {
	const most = 10
	if more := len(e.Problems) - most; more > 0 {
		return sentences(e.Problems[:most]) + fmt.Sprintf("\nThere are %d more; `windsock config --check` tells them all.", more)
	}
	return sentences(e.Problems)
}

func sentences(problems []Problem) string {
	lines := make([]string, len(problems))
	for i, p := range problems {
		lines[i] = p.Sentence()
	}
	return strings.Join(lines, "\n")
}
