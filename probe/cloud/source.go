package cloud

import (
	"context"

	"windsock/probe"
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
	// data are the data directories of an editor of Windsurf's.
	data []string
}

// devinCLI is the name of the sign-in of Devin's command line.
const devinCLI = "devin-cli"

// Sources are all sign-ins that Windsock knows how to use, in the order in which their
// plans are shown. No file is opened.
func Sources(dirs signin.Dirs) []Source {
	variants := probe.VariantsOf(probe.Windsurf)
	all := make([]Source, 0, len(variants)+2)
	for _, v := range variants {
		s := Source{Name: v.ID, Product: probe.Windsurf, App: v.Name, dirs: dirs, data: v.DataDirs()}
		if place, there := s.stored().There(); there {
			s.App = v.AppOf(place.Dir)
		}
		all = append(all, s)
	}
	all = append(all,
		Source{Name: devinCLI, Product: probe.Windsurf, App: "Devin CLI", dirs: dirs},
		Source{Name: cursor, Product: cursor, App: "Cursor", dirs: dirs})
	for i, s := range all {
		place, _ := s.stored().There()
		all[i].File = place.Title
	}
	return all
}

// There reports whether the file of the sign-in is there. It is not opened.
func (s Source) There() bool {
	_, there := s.stored().There()
	return there
}

// FixedHost is the host that the sign-in is always used at; "" where it stands in the
// sign-in.
func (s Source) FixedHost() string {
	if s.Name == cursor {
		return hostCursor
	}
	return ""
}

// Host opens the sign-in and returns the host that it is to be used at, such as
// eu.windsurf.com. known says that Windsock knows the host as the maker's; another one has
// to be typed by the person. The error is a *Failure.
func (s Source) Host(ctx context.Context) (host string, known bool, err error) {
	c, failure := s.read(ctx)
	if failure != nil {
		return "", false, failure
	}
	host, ok := s.hostOf(c.url)
	if !ok {
		return "", false, s.noHost(c.sign)
	}
	return host, isKnown(host), nil
}

// Sign is the mark of the sign-in's files, made without opening them; "" without a file.
func (s Source) Sign() string { return s.stored().Mark() }

func (s Source) stored() signin.Stored {
	switch s.Name {
	case cursor:
		return s.dirs.Cursor()
	case devinCLI:
		return s.dirs.DevinCLI()
	default:
		return s.dirs.Editor(s.data)
	}
}

// hostOf is the host of a sign-in with that URL; false for a URL that is used nowhere.
func (s Source) hostOf(url string) (string, bool) {
	if host := s.FixedHost(); host != "" {
		return host, true
	}
	return hostOf(url)
}
