package app

import (
	"context"
	"os"
	"time"

	"github.com/spf13/cobra"

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
// does. In order: its status line, while it is fresh; its /usage, if the person has
// allowed it; its status line of before.
func (p parts) agyReading(ctx context.Context, failed poll.Reading) poll.Reading {
	dirs, err := p.agyDirs()
	if err != nil || p.demo {
		return failed
	}
	told := poll.Reading{Product: usage.Antigravity, Variant: "antigravity", App: "Antigravity CLI"}
	line := told
	line.Kind = usage.KindStatusLine
	if line.Raw, line.At, err = dirs.StatusLine(p.clock()); err == nil && p.clock().Sub(line.At) <= poll.StatusLineLasts {
		return line
	}
	if _, found := dirs.Find(); found {
		if c, _ := p.config(); c.Antigravity.AskAgy {
			told.Kind = usage.KindCLI
			if told.Raw, told.Err = dirs.Usage(ctx); told.Err == nil {
				return told
			}
			failed.Err, failed.Kind = told.Err, told.Kind
		}
	}
	if line.Raw != nil {
		line.Err = failed.Err
		return line
	}
	return failed
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
	}
	return []doctor.Step{step}
}
