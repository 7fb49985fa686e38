package chat

import (
	"fmt"
	"time"
)

// Prompt is one question.
type Prompt struct {
	Text  string
	Model string // UID
}

// Answer is what became of a prompt. It is also as complete as it can be beside
// an error.
type Answer struct {
	Text      string
	CascadeID string
	Duration  time.Duration
	// Archived is false where the cascade is still in the queue, or Stays.
	Archived bool
	// Stays is set where nobody will archive the cascade: the server cannot, or the
	// queue could not be written.
	Stays bool
	// ToolOnly is set for a turn that ended without text, but not without steps.
	ToolOnly bool
	Cost     Cost
}

// Event is what happens to an answer while it grows.
type Event struct {
	Kind EventKind
	// Text goes to the end of what was told (Grows), takes the place of all of it
	// (Changes), or is a step's type, such as CORTEX_STEP_TYPE_VIEW_FILE (Works).
	Text string
}

// EventKind says what an Event does.
type EventKind int

// The kinds.
const (
	Grows EventKind = iota
	Changes
	Works
)

// Took is how long an answer took: "3.4 s", "1m 3s".
func Took(d time.Duration) string {
	if d = d.Round(100 * time.Millisecond); d < time.Minute {
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	seconds := int(d.Round(time.Second).Seconds())
	return fmt.Sprintf("%dm %ds", seconds/60, seconds%60)
}

// MaxPrompt is what a prompt may have in bytes, far more than any model reads.
const MaxPrompt = 768 << 10
