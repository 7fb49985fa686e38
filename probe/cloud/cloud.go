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

	"windsock/probe/signin"
)

// Source is a sign-in that may be asked with.
type Source struct {
	// Name is its name for programs and settings: the ID of an editor's variant,
	// "devin-cli" or "cursor".
	Name string
	// Product is the product whose figures it has, as in package probe, or "cursor".
	Product string
	// App is the program that has signed in, for people.
	App string
	// File is where the sign-in lies, for people: from ~ on.
	File string

	dirs signin.Dirs
}

// Sources are all sign-ins that Windsock knows how to use, in the order in which their
// plans are shown. No file is opened.
func Sources(dirs signin.Dirs) []Source { return nil }

// There reports whether the file of the sign-in is there. It is not opened.
func (s Source) There() bool { return false }

// FixedHost is the host that the sign-in is always used at; "" where it stands in the
// sign-in.
func (s Source) FixedHost() string { return "" }

// Host opens the sign-in and returns the host that it is to be used at, such as
// eu.windsurf.com. known says that Windsock knows the host as the maker's; another one has
// to be typed by the person. The error is a *Failure.
func (s Source) Host(ctx context.Context) (host string, known bool, err error) { return "", false, nil }

// Wording is what a person has to know before they allow a source: paragraphs of plain
// text. host may be "".
func (s Source) Wording(host string) []string { return nil }

// Config is the section [cloud] of the settings.
type Config struct {
	Allow []string `comment:"What Windsock may ask over the internet, each as NAME@HOST. Use the command windsock cloud, which says what it means." empty:"nothing" takes:"names of sign-ins with their hosts, such as cursor@api2.cursor.sh" toml:"allow"`
}

// DefaultConfig returns the values of keys that are not in the file.
func DefaultConfig() Config { return Config{} }

// Invalid returns the keys with invalid values.
func (c Config) Invalid() []string { return nil }

// Allowed is the host that a source may be asked at; false if it may not be asked.
func (c Config) Allowed(name string) (host string, ok bool) { return "", false }

// With returns the config that allows a source at a host, and at no other; Without one
// that does not allow it.
func (c Config) With(name, host string) Config { return c }

// Without returns the config that does not allow a source.
func (c Config) Without(name string) Config { return c }

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

// Sign is the mark of the sign-in's files, made without opening them; "" without a file.
func (s Source) Sign() string { return "" }
