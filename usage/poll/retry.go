package poll

import (
	"time"

	"windsock/probe/say"
)

// failureKind groups failures by how soon a retry makes sense.
type failureKind string

// ordinary is any failure that only time can fix.
const ordinary failureKind = "ordinary"

// The kinds that the user can fix at the editor, named by their codes.
const (
	notRunning  failureKind = "not_running"
	noToken     failureKind = "no_token"
	noPort      failureKind = "no_port"
	notSignedIn failureKind = "not_signed_in"
)

// kindOf is the kind of an error, "" for none.
func kindOf(err error) failureKind {
	if err == nil {
		return ""
	}
	switch kind := failureKind(say.Code(err)); kind {
	case notRunning, noToken, noPort, notSignedIn:
		return kind
	default:
		return ordinary
	}
}

// backOff is the pause after the nth failure of this kind in a row.
func (k failureKind) backOff(n int) time.Duration {
	const longest = 30 * time.Minute
	switch {
	case n <= 1:
		return 10 * time.Second
	case k != ordinary:
		return time.Minute
	case n > 6:
		return longest
	default:
		return time.Minute << (n - 2)
	}
}
