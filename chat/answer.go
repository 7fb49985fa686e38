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
	Text string
	// Ref is the engine's own name for the conversation; empty where there is none, of
	// which nothing is left then.
	Ref string
	// Sent says that the prompt may have been sent. It may have been paid for then, so
	// it is not sent again without a person's wish.
	Sent bool
	// Duration is how long the engine took, also where it failed.
	Duration time.Duration
	// Left is what stays of the conversation in the program that was asked.
	Left Leftover
	// ToolOnly is set for a turn that ended without text, but not without steps.
	ToolOnly bool
	Cost     Cost
}

// Leftover is what stays of a prompt's conversation.
type Leftover int

// The kinds.
const (
	NothingLeft Leftover = iota
	LeftForNow           // it is put away when Windsock runs next
	LeftForGood          // it could not be put away, and nobody will
)

// Archived reports whether there was a conversation, and it was put away.
func (a Answer) Archived() bool { return a.Ref != "" && a.Left == NothingLeft }

// Account is what became of a prompt, as JSON has it beside the text.
type Account struct {
	CascadeID string `json:"cascade_id"`
	Duration  int64  `json:"duration_ms"`
	Archived  bool   `json:"archived"`
	ToolOnly  bool   `json:"tool_only"`
	Cost      Cost   `json:"cost"`
}

// Account is the answer without its text.
func (a Answer) Account() Account {
	return Account{a.Ref, a.Duration.Milliseconds(), a.Archived(), a.ToolOnly, a.Cost}
}

// Event is what happens to an answer while it grows.
type Event struct {
	Kind EventKind
	// Text goes to the end of what was told (Grows), takes the place of all of it
	// (Changes), or says what the model does meanwhile, as "view file…" (Works).
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
