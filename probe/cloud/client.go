// Package cloud asks a maker's own service what is left of a plan, with the sign-in that
// the maker's program keeps on this computer. It is the only package whose bytes leave the
// computer, and it does so only for a sign-in and a host that a person has allowed
// together ([Config]): one call to one host, over https.
//
// It never writes, renews or keeps a token, follows no redirect, keeps no cookie and asks
// no host but those. It knows nothing of what an answer means.
package cloud

import (
	"context"
	"net/http"
	"time"
)

// Client asks.
type Client struct {
	// Version goes into the User-Agent.
	Version string
	// Transport replaces the client's own in a demo and in tests; nil is that one.
	Transport http.RoundTripper
	// Now is the wall clock; nil is time.Now.
	Now func() time.Time
}

// Question is what to ask.
type Question struct {
	Source Source
	// Host is the one that the person has allowed the source at.
	Host string
	// Identify asks for a way that also tells whose account it is, where the sign-in
	// does not.
	Identify bool
	// Before is the last answer, nil for none; parts of it that are asked for daily are
	// taken from it. BeforeAt is when it came.
	Before   []byte
	BeforeAt time.Time
}

// Answer is what the service has answered.
type Answer struct {
	// Raw is one JSON object: for Windsurf {"userStatus": {…, "planStatus": …}} with the
	// user of the sign-in if that tells one, or the answer of GetUserStatus; for Cursor
	// an object with a member for each method that was asked, and "user". It is personal.
	Raw []byte
	// Sign is the mark of the sign-in's file, as in kept.Failure.
	Sign string
}

// Ask reads the sign-in, asks once, and forgets the token. The error is a *Failure, or that
// of a cancelled context.
func (c Client) Ask(ctx context.Context, q Question) (Answer, error) { return Answer{}, nil }
