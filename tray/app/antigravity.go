package app

import (
	"context"
	"errors"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"windsock/probe"
	"windsock/probe/agy"
	"windsock/probe/doctor"
	"windsock/usage"
	"windsock/usage/poll"
	"windsock/usage/product"
	"windsock/usage/words"
)

// newAntigravityCommand is `windsock antigravity`.
func (p parts) newAntigravityCommand() *cobra.Command {
	executable, _ := os.Executable() // without it, install says so
	return agy.NewCommand(agy.Parts{Dirs: p.agyDirs, Program: executable, Line: statusLine, Now: p.clock})
}

func (p parts) agyDirs() (agy.Dirs, error) { return agy.UserDirs(p.stateDir) }

// statusLine words the figures that agy handed to its status line.
func statusLine(raw []byte, at time.Time) string {
	snapshot, err := product.Decode(usage.Antigravity, raw, usage.Source{Kind: usage.KindStatusLine, FetchedAt: at})
	if err != nil {
		return ""
	}
	return words.StatusLine(snapshot.At(at))
}

// agyReading is what agy tells where no server of Antigravity does; failed says why none
// does. agy is run for its /usage only if the person has allowed it and the figures of its
// status line are not fresh. Of the two, the newer figures are shown.
func (p parts) agyReading(ctx context.Context, failed poll.Reading) poll.Reading {
	dirs, err := p.agyDirs()
	if err != nil || p.demo {
		return failed
	}
	now := p.clock()
	line, report := keptOfAgy(dirs, now)
	if freshLine(line, now) {
		return newer(line, report)
	}
	if c, _ := p.config(); c.Antigravity.AskAgy {
		report.Raw, report.At, err = dirs.Usage(ctx, now, agyEvery(c))
		switch {
		case err == nil:
			return newer(line, report)
		case !errors.Is(err, agy.ErrNotFound):
			failed.Err, failed.Kind = err, report.Kind
		}
	}
	if old := newer(line, report); old.Raw != nil {
		old.Err = failed.Err
		return old
	}
	return failed
}

// keptOfAgy are the last figures of agy's status line, and of its /usage. Without figures
// Raw is nil.
func keptOfAgy(dirs agy.Dirs, now time.Time) (line, report poll.Reading) {
	line = poll.Reading{Product: usage.Antigravity, Kind: usage.KindStatusLine, Variant: "antigravity", App: "Antigravity CLI"}
	report = line
	report.Kind = usage.KindCLI
	line.Raw, line.At, _ = dirs.StatusLine(now) // without it there is the other way
	report.Raw, report.At = dirs.LastUsage(now)
	return line, report
}

// freshLine reports whether agy's status line has told enough, so that agy is not run.
func freshLine(line poll.Reading, now time.Time) bool {
	return line.Raw != nil && now.Sub(line.At) <= poll.StatusLineLasts
}

// agyApp is the app whose fresh figures agy has told of without a server; "" for none. agy
// is not run.
func (p parts) agyApp(list []probe.Variant) string {
	dirs, err := p.agyDirs()
	if err != nil || !slices.ContainsFunc(list, func(v probe.Variant) bool { return v.Product == string(usage.Antigravity) }) {
		return ""
	}
	c, _ := p.config() // the check of the settings reports the error
	now := p.clock()
	line, report := keptOfAgy(dirs, now)
	if freshLine(line, now) || c.Antigravity.AskAgy && report.Raw != nil && now.Sub(report.At) < agyEvery(c) {
		return line.App
	}
	return ""
}

// newer is the reading with the newer figures.
func newer(a, b poll.Reading) poll.Reading {
	if b.At.After(a.At) {
		return b
	}
	return a
}

// agyEvery is how often agy may be run: at each fetch of the app, which comes at the
// interval, give or take a tenth.
func agyEvery(c config) time.Duration {
	return max(c.Usage.Interval, 5*time.Minute) * 9 / 10
}

// checkAgy says how figures come from agy; nothing where nothing of agy is.
func (p parts) checkAgy(context.Context) []doctor.Step {
	c, _ := p.config() // the check of the settings reports the error
	dirs, err := p.agyDirs()
	if err != nil {
		return nil // the check of the settings has said that there is no home
	}
	now := p.clock()
	look := dirs.Look(now)
	if !look.Settings && look.At.IsZero() && !look.Broken && !c.Antigravity.AskAgy {
		return nil
	}
	step := doctor.Step{Name: "agy", OK: true}
	switch {
	case look.Unreadable != "":
		step.OK = false
		step.Finding = "agy's settings cannot be used: " + look.Unreadable
	case look.Line:
		step.Finding = "Windsock is its status line"
	case look.Other:
		step.Finding = "another program is its status line"
	default:
		step.Finding = "Windsock is not its status line"
		step.Cure = "`windsock antigravity install` makes it that, for figures of agy."
	}
	switch {
	case look.Broken:
		step.Finding += "; its figures cannot be used"
	case !look.At.IsZero():
		step.Finding += "; its last figures came " + words.Ago(now.Sub(look.At))
	case look.Line:
		step.Finding += "; it has brought no figures yet"
	}
	if c.Antigravity.AskAgy {
		path, found := dirs.Find()
		if !found {
			step.OK, path = false, "agy, which was not found,"
		}
		step.Finding += "; " + path + " may be run for them"
		switch {
		case look.Failed:
			step.Finding += ", and gave none " + words.Ago(now.Sub(look.Ran))
		case !look.Ran.IsZero():
			step.Finding += ", and was last run " + words.Ago(now.Sub(look.Ran))
		}
	}
	return []doctor.Step{step}
}
