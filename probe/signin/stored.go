package signin

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"windsock/probe/secret"
)

// Credential is what a sign-in says, for one question to its maker's service.
type Credential struct {
	Token secret.Secret
	Form  Form
	// URL is where the sign-in says that it is to be used, as it stands there; "" if it
	// says nothing of that. It may be no URL.
	URL  string
	User User
	// Expires is when the token says that it ends; zero if it does not.
	Expires time.Time
	// From is the file.
	From Place
}

// User is whose sign-in it is, as far as it tells. It is personal.
type User struct{ ID, Team, Email string }

// Place is a file that may hold a sign-in.
type Place struct {
	// Title is its path for people: without the user's name.
	Title string
	// Dir is the data directory of an editor's; "" for others.
	Dir string

	path string
	read func(ctx context.Context) (Credential, error)
}

// Stored is where a program keeps its sign-in, the place that counts first. Only Read opens
// a file.
type Stored []Place

// Faults of a sign-in.
var (
	// ErrSignedOut says that nobody is signed in.
	ErrSignedOut = errors.New("nobody is signed in there")
	// ErrEncrypted says that there is a sign-in, encrypted, which is left alone.
	ErrEncrypted = errors.New("the sign-in is there in an encrypted form only, which Windsock does not read")

	// errNothing is of a place that says nothing of a sign-in: the next one counts.
	errNothing = errors.New("no sign-in")
)

// Read reads the first place that says anything of a sign-in, were it that it cannot be
// read: what lies behind it may be another's, or an older one. The error is a clause that
// holds nothing of the files, and no path.
func (s Stored) Read(ctx context.Context) (Credential, error) {
	none := ErrSignedOut
	for _, place := range s {
		c, err := place.read(ctx)
		switch {
		case errors.Is(err, ErrEncrypted):
			none = err
		case errors.Is(err, errNothing) || errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return Credential{From: place}, err
		default:
			c.From = place
			return c, nil
		}
	}
	return Credential{}, none
}

// There is the first place with a file; false if none has one, with the place that would
// count then. What cannot be looked at is there.
func (s Stored) There() (Place, bool) {
	for _, place := range s {
		if place.there() {
			return place, true
		}
	}
	if len(s) == 0 {
		return Place{}, false
	}
	return s[0], false
}

// Written is when the place was last written to; zero without a file.
func (p Place) Written() time.Time { return stateModified(p.path) }

func (p Place) there() bool {
	_, err := os.Stat(p.path)
	return !errors.Is(err, fs.ErrNotExist)
}

// Mark changes when one of the files is written to: it has their sizes and times of
// change, those of a database's -wal and -journal too. It is "" without a file.
func (s Stored) Mark() string {
	var mark strings.Builder
	for i, place := range s {
		for j, suffix := range stateFiles {
			if info, err := os.Stat(place.path + suffix); err == nil {
				fmt.Fprintf(&mark, "%d%d:%d@%d ", i, j, info.Size(), info.ModTime().UnixNano())
			}
		}
	}
	return strings.TrimSpace(mark.String())
}

// root is a directory in which programs keep sign-ins, with its name for people.
type root struct{ dir, title string }

// configRoot holds the data directories.
func (d Dirs) configRoot() root {
	if d.OS == "windows" {
		return root{d.Config, "%APPDATA%"}
	}
	return d.titled(d.Config, "$XDG_CONFIG_HOME")
}

// dataRoot is the directory for the data of command lines, on all systems but Windows.
func (d Dirs) dataRoot() root {
	if filepath.IsAbs(d.Data) { // any other value is to be ignored
		return d.titled(d.Data, "$XDG_DATA_HOME")
	}
	return d.homeRoot(".local/share")
}

// homeRoot is a directory below the home directory.
func (d Dirs) homeRoot(below string) root {
	return root{filepath.Join(d.Home, filepath.FromSlash(below)), "~/" + below}
}

// titled names a directory by its place below the home directory, otherwise by variable.
func (d Dirs) titled(dir, variable string) root {
	if below, err := filepath.Rel(d.Home, dir); err == nil && filepath.IsLocal(below) && d.Home != "" {
		return root{dir, "~/" + filepath.ToSlash(below)}
	}
	return root{dir, variable}
}

// place adds the place of a file in a root. A root that is not known has none: a relative
// path would depend on the working directory.
func (s Stored) place(in root, file, dir string, read func(ctx context.Context, path string) (Credential, error)) Stored {
	if !filepath.IsAbs(in.dir) {
		return s
	}
	path, title := filepath.Join(in.dir, filepath.FromSlash(file)), in.title+"/"+file
	if strings.HasPrefix(title, "%") {
		title = strings.ReplaceAll(title, "/", `\`)
	}
	return append(s, Place{
		Title: title, Dir: dir, path: path,
		read: func(ctx context.Context) (Credential, error) { return read(ctx, path) },
	})
}
