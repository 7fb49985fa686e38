package probe

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"connectrpc.com/connect"

	"windsock/probe/say"
)

// Code names the reason why the language server cannot be read.
type Code string

// The codes, in the order of the steps of discovery.
const (
	NotRunning  Code = "not_running"   // no variant has a server process
	NoToken     Code = "no_token"      // there is a server, but its CSRF token cannot be read
	NoPort      Code = "no_port"       // there is a server, but none of its ports answers
	Rejected    Code = "rejected"      // the server refuses the token it was started with
	NotSignedIn Code = "not_signed_in" // no API key, or none that the server knows
	Timeout     Code = "timeout"       // no answer in time
	BadResponse Code = "bad_response"  // an answer that cannot be read
)

// failureTable gives the meaning of each code to people and scripts. In says and cure,
// %s is the name of the app.
var failureTable = map[Code]struct {
	step int // progress of discovery; of several failures the furthest is reported
	exit int
	says string
	cure string
}{
	NotRunning:  {0, 3, "%s is not running", "Start %s and try again."},
	NoToken:     {1, 3, "%s runs, but its language server shows no access token", "Run Windsock as the user who started %[1]s, then restart %[1]s and try again."},
	NoPort:      {2, 3, "%s runs, but its language server does not answer", "If %[1]s has just started, try again in a moment; else restart %[1]s."},
	Rejected:    {3, 4, "The language server of %s refuses the access token that it was started with", "Restart %s and try again."},
	NotSignedIn: {4, 4, "%s is not signed in", "Sign in to %s, then try again."},
	Timeout:     {5, 1, "%s did not answer in time", "Try again in a moment; if it stays so, restart %s."},
	BadResponse: {5, 1, "%s gave an answer that cannot be used", "Try again in a moment; if it stays so, restart %s."},
}

// Failure is the reason for a missing Session or response. Its Error is for logs and
// holds nothing that a server wrote; Tell is for people.
type Failure struct { //nolint:errname // what discovery tells; an error only when it is returned as one
	code    Code
	app     string // the app's display name
	server  Server // what is known of the server; may be zero
	finding string // what was observed, a clause without a full stop; may be empty
	cure    string // replaces the table's, if what was observed needs another one
	cause   error  // may be nil
	says    string // replaces the table's, if no app can be named
	restart bool   // a restart of the editor explains the failure: looking again may help
	reply   reply  // of the failed call; zero if none was made
}

// reply is how a server ended a call.
type reply struct {
	sent  bool         // a byte of the call may have left
	code  connect.Code // zero without a call
	wire  bool         // the code is the server's own
	words string       // the server's message; empty if it repeats a secret
}

// Tell implements say.Teller.
func (f *Failure) Tell() say.Error {
	row := failureTable[f.code]
	what := f.what()
	if f.finding != "" {
		what += ": " + f.finding
	}
	return say.Error{Code: string(f.code), What: what, Cure: cmp.Or(f.cure, fmt.Sprintf(row.cure, f.app)), Exit: row.exit, Cause: f.cause}
}

// Server returns the server that failed, as far as it is known.
func (f *Failure) Server() Server { return f.server }

// Finding is what was observed, else what happened: a clause without a full stop.
func (f *Failure) Finding() string { return cmp.Or(f.finding, f.what()) }

// Refused reports whether the call certainly had no effect: the server refused it, or
// nothing was sent.
func (f *Failure) Refused() bool { return !f.reply.sent || f.reply.wire }

// Unsupported reports whether the server lacks the method: it says so, or it answers
// with a bare 404.
func (f *Failure) Unsupported() bool { return f.reply.code == connect.CodeUnimplemented }

// Gone reports whether the server that was called no longer runs.
func (f *Failure) Gone() bool { return f.restart }

// Refusal is the code with which the server refused a call; ok is false if it sent
// none.
func (f *Failure) Refusal() (code connect.Code, ok bool) { return f.reply.code, f.reply.wire }

// Words are the server's message, to be shown but not stored. It is empty if the server
// sent none or repeated a secret.
func (f *Failure) Words() string { return f.reply.words }

// Error returns the code, the app, the finding and the cause as a chain.
func (f *Failure) Error() string {
	parts := []string{string(f.code), f.app}
	if f.finding != "" {
		parts = append(parts, f.finding)
	}
	if f.cause != nil && f.cause.Error() != f.finding { // the finding may be the cause's text
		parts = append(parts, f.cause.Error())
	}
	return strings.Join(parts, ": ")
}

// Unwrap returns the cause.
func (f *Failure) Unwrap() error { return f.cause }

// what is what happened, without a full stop.
func (f *Failure) what() string {
	return cmp.Or(f.says, fmt.Sprintf(failureTable[f.code].says, f.app))
}

// after adds the failure of the previous attempt to the cause; before may be nil.
func (f *Failure) after(before *Failure) *Failure {
	if before != nil {
		both := *f
		both.cause = errors.Join(f.cause, fmt.Errorf("before the fresh discovery: %w", before.cause))
		return &both
	}
	return f
}

// of turns the failed search for the server into the failure of the call that started
// the search.
func (f *Failure) of(call *Failure) *Failure {
	both := *f.after(call)
	both.reply, both.restart = call.reply, call.restart
	return &both
}

// further returns the failure with the higher step, or a if the steps are equal.
func further(a, b *Failure) *Failure {
	if a == nil {
		return b
	}
	if b == nil || failureTable[a.code].step >= failureTable[b.code].step {
		return a
	}
	return b
}
