package cloud

import (
	"context"

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
