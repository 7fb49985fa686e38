package cloud

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"windsock/probe/files"
	"windsock/probe/kept"
	"windsock/probe/nearest"
	"windsock/probe/say"
	"windsock/probe/signin"
)

// Choices are a person's answers to what Windsock may ask over the internet: the command
// and the window list and change them through it.
type Choices struct {
	// Dirs are where sign-ins lie.
	Dirs signin.Dirs
	// Config returns the person's settings.
	Config func() Config
	// Save changes the settings. yourself tells what to do in the file by hand where
	// Windsock may not write it.
	Save func(apply func(Config) Config, yourself string) error
	// Kept is the place of a source's last answer at a host; for removing that, the host
	// does not matter.
	Kept func(name, host string) kept.Place
}

// Listed is a source, and what is known of it without opening its file.
type Listed struct {
	Source

	// Host is the one that the source is allowed at, else the only one that it can have;
	// "" if that stands in the sign-in.
	Host string
	// Allowed says that it may be asked.
	Allowed bool
	// State is "off" for a source that may not be asked, "not_asked" before the first
	// answer, "ok" after an answer, and the [Code] of a failure.
	State string
	// Last is the last answer, and why there was none; empty for a source that is off.
	Last kept.Last
}

// The states of a source beside the codes of failures.
const (
	StateOff      = "off"
	StateNotAsked = "not_asked"
	StateOK       = "ok"
)

// List returns all sources, in the order of [Sources]. It opens no sign-in.
func (c Choices) List() []Listed {
	config := c.Config()
	sources := Sources(c.Dirs)
	all := make([]Listed, 0, len(sources))
	for _, source := range sources {
		listed := Listed{Source: source, Host: source.FixedHost(), State: StateOff}
		if host, ok := config.Allowed(source.Name); ok {
			listed.Host, listed.Allowed, listed.Last = host, true, c.Kept(source.Name, host).Read()
			listed.State = stateOf(listed.Last)
		}
		all = append(all, listed)
	}
	return all
}

func stateOf(last kept.Last) string {
	switch {
	case last.Failed != nil:
		return cmp.Or(last.Failed.Code, string(BadResponse))
	case last.Answer != nil:
		return StateOK
	default:
		return StateNotAsked
	}
}

// Wanting reports whether there is a sign-in that may not be asked with, and could be. It
// opens none.
func (c Choices) Wanting() bool {
	return slices.ContainsFunc(c.List(), func(l Listed) bool { return !l.Allowed && l.There() })
}

// Offer is the question to a person whether a source may be asked at a host.
type Offer struct {
	Source Source
	Host   string
	// Wording is what they have to know, in paragraphs.
	Wording []string
}

// Offer prepares the question for a source. typed is the host that the person has named,
// "" for none. Where the host stands in the sign-in, Offer opens that, so the person has
// to have asked for it. The error is a say.Teller: of an unknown name; of a host that
// Windsock does not know, unless it was typed; of a host that the sign-in does not name.
func (c Choices) Offer(ctx context.Context, name, typed string) (Offer, error) {
	source, err := c.find(name)
	if err != nil {
		return Offer{}, err
	}
	typed = strings.ToLower(typed)
	host, known := source.FixedHost(), true
	if host == "" {
		if host, known, err = source.Host(ctx); err != nil {
			return Offer{}, err
		}
	}
	switch {
	case typed != "" && typed != host:
		return Offer{}, &say.Error{
			Code: string(HostNotAllowed), Exit: 4,
			What: "The sign-in of " + source.App + " is used at " + host + ", and Windsock asks at no other host",
			Cure: "`windsock cloud allow " + name + "@" + host + "` allows that one.",
		}
	case typed == "" && !known:
		return Offer{}, &say.Error{
			Code: string(HostNotAllowed), Exit: 4,
			What: "The sign-in of " + source.App + " is used at " + host + ", which Windsock does not know",
			Cure: "If that is your company's host, allow it by name: `windsock cloud allow " + name + "@" + host + "`.",
		}
	}
	return Offer{source, host, source.Wording(host)}, nil
}

// Allow allows what was offered, from now on. It asks nothing. What is kept of another
// host is removed: neither its figures nor its failure say anything of this one.
func (c Choices) Allow(o Offer) error {
	if err := c.Save(func(config Config) Config { return config.With(o.Source.Name, o.Host) },
		"Add \""+o.Source.Name+"@"+o.Host+"\" to the list cloud.allow"); err != nil {
		return err
	}
	return c.forget(o.Source.Name)
}

// Deny ends what was allowed of a source, and removes what is kept of it. It reports
// whether it had been allowed. The error is a say.Teller.
func (c Choices) Deny(name string) (was bool, err error) {
	_, was = c.Config().Allowed(name)
	if _, err := c.find(name); err != nil && !was {
		return false, err
	}
	if was {
		if err := c.Save(func(config Config) Config { return config.Without(name) },
			"Take what begins with "+name+"@ out of the list cloud.allow"); err != nil {
			return was, err
		}
	}
	return was, c.forget(name)
}

func (c Choices) forget(name string) error {
	if err := c.Kept(name, "").Forget(); err != nil {
		return &say.Error{What: "The last answer to " + name + " cannot be removed.", Cure: files.Cure(err, "Check that Windsock's state directory is yours."), Cause: err}
	}
	return nil
}

// find returns the source with a name. The error names what may be meant.
func (c Choices) find(name string) (Source, error) {
	var names []string
	for _, source := range Sources(c.Dirs) {
		if source.Name == name {
			return source, nil
		}
		names = append(names, source.Name)
	}
	unknown := &say.Error{
		Code: "no_source", Exit: say.ExitUsage,
		What: fmt.Sprintf("Windsock knows no sign-in %q", name), Cure: "It knows " + strings.Join(names, ", ") + ".",
	}
	if near := nearest.Of(name, names); len(near) > 0 {
		unknown.Cure = "Did you mean " + strings.Join(near, " or ") + "?"
	}
	return Source{}, unknown
}
