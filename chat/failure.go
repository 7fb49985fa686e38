package chat

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"windsock/probe/say"
)

// Code names the reason for a missing answer.
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
	TimedOut       Code = "timeout"           // the answer did not end in time
	NeedsPerson    Code = "needs_permission"  // the model waits for a permission that only the editor can give
	TurnFailed     Code = "turn_failed"       // the server ended the turn with an error of its own
	NoArchive      Code = "no_archive"        // the server cannot archive
	NoSpend        Code = "no_spend"          // the server does not tell what steps cost
	// ConversationGone: a further prompt has no conversation any more.
	ConversationGone Code = "conversation_gone"
	NotSignedIn      Code = "not_signed_in" // the agent has no login
	AgentMissing     Code = "agent_missing" // the agent's program is not there
	AgentUnsafe      Code = "agent_unsafe"  // the agent is not to be started, or not to be asked
	AgentTooNew      Code = "agent_too_new" // the agent speaks a later version of the protocol
	NoACP            Code = "no_acp"        // the program does not speak the protocol
	AgentActs        Code = "agent_acts"    // the agent used a tool that acts, and was stopped
)

// failureTable words each code for a person. In says and cure, %[1]s is the name of
// the app.
var failureTable = map[Code]struct{ says, cure string }{
	QuotaExhausted:   {"The plan has nothing left for this model", "Choose a model that costs less, or wait for the reset."},
	RateLimited:      {"This model takes no message at the moment", "Choose another model, or wait a while."},
	NotInPlan:        {"The plan does not include this model", "`windsock models` lists those that it does."},
	Outdated:         {"%[1]s is too old for its own service", "Update %[1]s and try again."},
	Busy:             {"%[1]s is busy with this conversation", "Try again in a moment."},
	CascadeOff:       {"This version of %[1]s has no Cascade any more, so Windsock cannot send prompts through it", "The figures of your plan are not affected."},
	ServerGone:       {"The language server of %[1]s ended before the answer did", "Check that %[1]s runs, then ask again."},
	TimedOut:         {"The answer did not end in time", "Ask again, or give it longer with --timeout."},
	NeedsPerson:      {"The model waits for a permission that only %[1]s itself can give", "Ask so that it needs no tool, or ask it in the Cascade panel."},
	TurnFailed:       {"%[1]s could not answer", "Try again, or choose another model."},
	NoArchive:        {"This version of %[1]s cannot archive cascades", "Update %[1]s, or archive them in its Cascade panel."},
	NoSpend:          {"This version of %[1]s does not tell what the steps of its cascades cost", "The figures of your plan are not affected."},
	ConversationGone: {"The conversation is gone", "Ask anew."},
	NotSignedIn:      {"%[1]s is not signed in", "Sign in with its own program, then ask again."},
	AgentMissing:     {"The agent of %[1]s is not on this computer, or not where Windsock looks for it", "Install it, or put it on the PATH."},
	AgentUnsafe:      {"Windsock does not ask the agent of %[1]s", "Choose another engine."},
	AgentTooNew:      {"The agent of %[1]s speaks a newer protocol than Windsock", "Update Windsock."},
	NoACP:            {"The program of %[1]s does not speak the Agent Client Protocol", "Update it, or choose another engine."},
	AgentActs:        {"The agent of %[1]s did more than answer, so Windsock stopped it", "Check whether anything has changed. Its own settings can forbid it that."},
}

// Failure says why there is no answer, or why nothing can be archived. Error is for
// logs, Tell for people.
type Failure struct { //nolint:errname // what became of a prompt; an error only when it is returned as one
	Code  Code
	App   string        // its name for people
	Words string        // the server's message, cleaned; may be empty, never logged
	Wait  time.Duration // until there is capacity; zero is unknown
	// BackAt and Back say when quota returns, Back as a sentence; each may be empty.
	BackAt time.Time
	Back   string
	// Says and Cure take the place of the code's own words. Each may be empty.
	Says, Cure string
	Cause      error // may be nil; has none of the server's text
}

// signedOutExit is the exit code of every command that finds nobody signed in.
const signedOutExit = 4

// Tell says what happened and what to do about it, with the server's message if there
// is one.
func (f *Failure) Tell() say.Error {
	row := failureTable[f.Code]
	app := strings.NewReplacer("%[1]s", f.App)
	what, cure := app.Replace(cmp.Or(f.Says, row.says)), app.Replace(cmp.Or(f.Cure, row.cure))
	if f.Words != "" {
		what += ": " + trimStop(f.Words)
	}
	switch {
	case f.Back != "":
		cure = "Choose a model that costs less, or wait. " + trimStop(f.Back) + "."
	case f.Wait > 0:
		cure = fmt.Sprintf("There is capacity again in %s.", f.Wait.Round(time.Second))
	}
	exit := 1
	if f.Code == NotSignedIn {
		exit = signedOutExit
	}
	return say.Error{Code: string(f.Code), What: what + ".", Cure: cure, Exit: exit}
}

// Error returns the code, the app and the cause as a chain.
func (f *Failure) Error() string {
	if f.Cause == nil {
		return fmt.Sprintf("%s: %s", f.Code, f.App)
	}
	return fmt.Sprintf("%s: %s: %v", f.Code, f.App, f.Cause)
}

// Unwrap returns the cause.
func (f *Failure) Unwrap() error { return f.Cause }

// trimStop removes the full stop.
func trimStop(s string) string { return strings.TrimRight(s, ". ") }
