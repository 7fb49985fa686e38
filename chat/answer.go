package chat

import (
	"cmp"
	"fmt"
	"time"

	"github.com/dustin/go-humanize"
)

// Prompt is one question. It stands by itself unless Further is set.
type Prompt struct {
	Text  string
	Model string // UID
	// Images come with the text. The model has to take images (see [Model.Images]).
	Images []Image
	// Keep leaves the conversation open after the turn, for further prompts and until
	// [Engine.End]. Answer.Left is LeftOpen then. A conversation without any answer, or
	// whose program has ended, is not kept.
	Keep bool
	// Further is the Ref of an open conversation in which the prompt goes on; the answer
	// has the same Ref and only the new text and cost. An empty Model is that of the
	// conversation. If the conversation is open no more, the error is a
	// *Failure with the code ConversationGone, and nothing was sent.
	Further string
}

// Answer is the outcome of a prompt. Beside an error it is as complete as possible.
type Answer struct {
	Text string
	// Engine is the ID of the engine that was asked; empty if none was.
	Engine string
	// Ref is the engine's own name for the conversation. It is empty if there is no
	// conversation; nothing can be left behind then.
	Ref string
	// Sent says that the prompt may have been sent, and so paid for. It is never sent
	// again without the person's wish.
	Sent bool
	// Duration is the engine's time, also for a failure.
	Duration time.Duration
	// Left says what remains of the conversation in the program that was asked.
	Left Leftover
	// ToolOnly is set for a turn that ended without text, but not without steps.
	ToolOnly bool
	// Cut is set for an answer that the program ended at a limit of its own.
	Cut  bool
	Cost Cost
	// Tokens is nil if the program does not tell them.
	Tokens *Tokens
}

// Tokens is what a prompt and its answer were in tokens, with all that the program
// itself has added to the prompt.
type Tokens struct {
	Input  int64 `json:"input"`
	Output int64 `json:"output"`
	// Cached is how many of Input the model had read before; nil is unknown.
	Cached *int64 `json:"cached"`
}

// Words words them in one line.
func (t Tokens) Words() string {
	return humanize.Comma(t.Input) + " tokens in, " + humanize.Comma(t.Output) + " out"
}

// Plus adds the tokens of two steps. Cached stays unknown unless both know it.
func (t Tokens) Plus(other Tokens) Tokens {
	total := Tokens{Input: t.Input + other.Input, Output: t.Output + other.Output}
	if t.Cached != nil && other.Cached != nil {
		cached := *t.Cached + *other.Cached
		total.Cached = &cached
	}
	return total
}

// CostWords words the cost in one line. For an agent the tokens come first, since most
// tell no other cost.
func (a Answer) CostWords() string {
	switch {
	case !IsAgent(a.Engine):
		return a.Cost.Words()
	case a.Tokens == nil && a.Cost == (Cost{}):
		return "neither cost nor tokens told"
	case a.Tokens == nil:
		return "tokens not told · " + a.Cost.Words()
	default:
		return a.Tokens.Words() + " · " + a.Cost.Words()
	}
}

// Leftover says what remains of a prompt's conversation.
type Leftover int

// The kinds.
const (
	NothingLeft Leftover = iota
	LeftForNow           // Windsock archives it when it runs next
	LeftForGood          // it could not be archived, and will not be
	LeftOpen             // it was kept on purpose, and waits for Engine.End
)

// Archived reports whether there was a conversation and it was archived.
func (a Answer) Archived() bool { return a.Ref != "" && a.Left == NothingLeft }

// Account is the outcome of a prompt, as JSON has it beside the text.
type Account struct {
	Engine string `json:"engine"`
	Ref    string `json:"ref"` // the engine's own name for the conversation
	// CascadeID is Ref if the engine is Cascade, else nil.
	CascadeID *string `json:"cascade_id"`
	Duration  int64   `json:"duration_ms"`
	Archived  bool    `json:"archived"` // of an agent: deleted
	ToolOnly  bool    `json:"tool_only"`
	Cost      Cost    `json:"cost"`
	Tokens    *Tokens `json:"tokens"` // nil is unknown
}

// Account is the answer without its text.
func (a Answer) Account() Account {
	account := Account{
		Engine: cmp.Or(a.Engine, Cascade), Ref: a.Ref, Duration: a.Duration.Milliseconds(),
		Archived: a.Archived(), ToolOnly: a.ToolOnly, Cost: a.Cost, Tokens: a.Tokens,
	}
	if !IsAgent(a.Engine) {
		account.CascadeID = &account.Ref
	}
	return account
}

// Event is one change of a growing answer.
type Event struct {
	Kind EventKind
	// Text is appended to the answer (Grows), replaces all of it (Changes), or says
	// what the model is doing, such as "view file…" (Works).
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

// Took words how long an answer took: "3.4 s", "1m 3s".
func Took(d time.Duration) string {
	if d = d.Round(100 * time.Millisecond); d < time.Minute {
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	seconds := int(d.Round(time.Second).Seconds())
	return fmt.Sprintf("%dm %ds", seconds/60, seconds%60)
}

// MaxPrompt is the largest prompt in bytes, far more than any model reads.
const MaxPrompt = 768 << 10
