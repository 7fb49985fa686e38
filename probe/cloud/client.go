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
	"net/url"
	"time"
)

const (
	// patience is for one question with all its calls.
	patience = 15 * time.Second
	// maxAnswer is six times the longest known answer, in bytes after unzipping.
	maxAnswer = 1 << 20
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
	// BeforeOf reports whether Before is about the user of a sign-in, "" where that tells
	// none. Without it Before is not used: the sign-in may be another person's by now.
	BeforeOf func(user string) bool
}

// Answer is what the service has answered.
type Answer struct {
	// Raw is one JSON object. Windsurf's is {"userStatus": {"planStatus": …}, "planInfo":
	// …} with what tells whose it is: userId, email and teamId of the answer or of the
	// sign-in. Cursor's has a member for each method that was asked (PROTOCOL.md 10.2), and
	// "user". It is personal.
	Raw []byte
	// Sign is the mark of the sign-in's file, as in kept.Failure.
	Sign string
}

// Ask reads the sign-in, asks once, and forgets the token. It asks again only if the
// service does not know the token and the sign-in has got another one meanwhile. A whole
// question takes 15 seconds at most. The error is a *Failure, or that of a cancelled
// context.
func (c Client) Ask(ctx context.Context, q Question) (Answer, error) {
	with, failure := q.Source.readAt(ctx, c.now())
	var answer Answer
	if failure == nil {
		answer, failure = c.ask(ctx, q, with)
	}
	if failure != nil && failure.Code == Rejected {
		again, unread := q.Source.readAt(ctx, c.now())
		switch {
		case unread != nil:
			failure = unread
		case !again.token.Equal(with.token):
			answer, failure = c.ask(ctx, q, again)
		}
	}
	switch {
	case failure == nil:
		return answer, nil
	case ctx.Err() != nil:
		return Answer{}, ctx.Err()
	default:
		return Answer{}, failure
	}
}

// ask asks with one token.
func (c Client) ask(ctx context.Context, q Question, with credential) (answer Answer, failure *Failure) {
	defer func() {
		if failure != nil {
			failure.Sign = with.sign
		}
	}()
	if failure := q.allowed(with); failure != nil {
		return Answer{}, failure
	}
	s, failure := c.service(q)
	if failure != nil {
		return Answer{}, failure
	}
	defer s.http.CloseIdleConnections()
	ctx, cancel := context.WithTimeout(ctx, s.patience)
	defer cancel()
	var raw []byte
	if q.Source.Product == cursor {
		raw, failure = s.askCursor(ctx, q, with)
	} else {
		raw, failure = s.askWindsurf(ctx, q, with)
	}
	if failure != nil {
		return Answer{}, failure
	}
	return Answer{Raw: raw, Sign: with.sign}, nil
}

// allowed checks that the sign-in is for the host that the person has allowed it at: a
// token of one account never goes to the host of another one.
func (q Question) allowed(with credential) *Failure {
	host, ok := q.Source.hostOf(with.url)
	switch {
	case !ok:
		return q.Source.noHost(with.sign)
	case host != q.Host:
		f := q.Source.failure(HostNotAllowed, q.Host, "it is for "+host, nil)
		f.cure = "Run windsock cloud allow " + q.Source.Name + ", which says what that means, and allow that host."
		return f
	}
	return nil
}

func (c Client) now() time.Time {
	if c.Now != nil {
		return c.Now()
	}
	return time.Now()
}

// service is the host of one question.
type service struct {
	source   Source
	host     string
	version  string
	http     *http.Client
	proxy    *url.URL // nil for none
	patience time.Duration
	now      func() time.Time
}

func (c Client) service(q Question) (*service, *Failure) {
	s := &service{source: q.Source, host: q.Host, version: c.Version, patience: patience, now: c.now}
	transport := c.Transport
	if transport == nil {
		proxy, err := proxyFor(q.Host)
		if err != nil {
			f := s.failed(Offline, "the environment names a proxy in a form that cannot be read", err)
			f.cure = "Correct HTTPS_PROXY."
			return nil, f
		}
		s.proxy = proxy
		transport = newTransport(q.Host, proxy)
	}
	s.http = &http.Client{
		Transport: transport,
		// The token goes to this host alone.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return s, nil
}

// failed is a failure at the service.
func (s *service) failed(code Code, finding string, cause error) *Failure {
	return s.source.failure(code, s.host, finding, cause)
}
