package cloud

import (
	"context"
	"time"

	"windsock/probe/secret"
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

// Sign is the mark of the sign-in's files, made without opening them; "" without a file.
func (s Source) Sign() string { return "" }

// credential is what a sign-in says, for one question.
type credential struct {
	token secret.Secret
	// url is where the sign-in says that it is to be used, as it stands there; "" if it
	// says nothing of that.
	url string
	// user is whose it is, as JSON, as far as the sign-in tells; nil if it does not. For
	// Windsurf it is an object with some of userId, email and teamId, as in a userStatus;
	// for Cursor the user ID, a string.
	user []byte
	// expires is when the token says that it ends; zero if it does not.
	expires time.Time
	// sign is the mark of the files, made before they were read.
	sign string
	// form is the kind of token, for people.
	form string
}

// read opens the sign-in. A token that has expired is a Failure too.
func (s Source) read(ctx context.Context) (credential, *Failure) {
	return credential{}, &Failure{Code: NoCredential}
}
