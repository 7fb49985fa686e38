package status

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"windsock/probe/say"
	"windsock/probe/terminal"
	"windsock/usage/poll"
)

// checkWatch rejects flags that make no sense with --watch.
func (c *statusCommand) checkWatch(changed func(flag string) bool) error {
	if !c.watch {
		if changed("interval") {
			return say.Usage("--interval says how often --watch asks; give both.")
		}
		return nil
	}
	for _, flag := range []string{"from", "at", "fail-under", "cached", "save", "output"} {
		if changed(flag) {
			return say.Usage("--watch shows what a running editor says from now on. Leave out --%s.", flag)
		}
	}
	if c.interval < poll.MinWatchInterval || c.interval > poll.MaxInterval {
		return say.Usage("--interval takes a time from 10s to 60m, such as 5m.")
	}
	return nil
}

// watchLook is how soon --watch notices that the editor has ended.
const watchLook = 10 * time.Second

// watching shows the plans until the context ends, and returns its error.
func (c *statusCommand) watching(ctx context.Context, out io.Writer) error {
	poller := poll.New(poll.Config{
		Settings: c.settings(), Products: c.products(),
		Fetch: c.Fetch, Record: c.Record, Salt: c.Salt, Runs: c.Runs, LookEvery: watchLook, Now: c.Now, Speed: c.Speed,
	})
	states, unsubscribe := poller.Subscribe()
	defer unsubscribe()
	polling, stop := context.WithCancel(ctx)
	// The poller's goroutine ends with this function, or with its context.
	var run sync.WaitGroup
	defer run.Wait()
	defer stop()
	run.Go(func() { _ = poller.Run(polling) }) // fails only when called twice
	view, last := c.view(out), ""
	for plans := range states {
		plans, err := c.shown(plans)
		if err == nil {
			err = senselessOf(plans)
		}
		if err != nil {
			return err
		}
		seen, text := view(plans)
		if seen == last {
			continue
		}
		last = seen
		if _, err := io.WriteString(out, text); err != nil {
			return fmt.Errorf("write status: %w", err)
		}
	}
	return ctx.Err()
}

// view writes plans as text. seen is the part that matters to a reader: nothing is
// written while it stays the same.
type view func(poll.Plans) (seen, text string)

// view chooses how plans are shown: in place on a terminal and for a bar, else one
// line of JSON per change.
func (c *statusCommand) view(out io.Writer) view {
	file, ok := out.(*os.File)
	kind, _ := c.lookup("TERM")
	switch {
	case c.format == FormatWaybar:
		return known(func(all poll.Plans) (string, string) {
			line := writeWaybar(all, c.words())
			return line, line
		})
	case c.format == FormatJSON, !ok, kind == "dumb", !terminal.Is(file):
		return known(line)
	}
	terminal.EnableANSI(file)
	_, height := terminal.Size(file)
	// The options are read at each drawing: the width may have changed.
	return screen(height, colorprofile.Detect(out, c.environ), func() TextOptions { return c.textOptions(out) })
}

// known shows nothing before the first answer.
func known(v view) view {
	return func(all poll.Plans) (string, string) {
		if !all.HasFigures() && all.Lead().Err == nil {
			return "", ""
		}
		return v(all)
	}
}

// line is all plans as a line of JSON. A change of the time alone writes no new line.
func line(all poll.Plans) (seen, text string) {
	answer := PlansDocument(all)
	return terminal.LineJSON(answer.timeless()), terminal.LineJSON(answer)
}

// screen draws plans in place, from the first line of a terminal with height lines. It
// changes no mode of the terminal, so that the terminal stays usable however the
// process ends, with the last figures on it.
func screen(height int, profile colorprofile.Profile, options func() TextOptions) view {
	return func(all poll.Plans) (seen, text string) {
		var drawn strings.Builder
		// A strings.Builder never fails.
		_, _ = io.WriteString(&colorprofile.Writer{Forward: &drawn, Profile: profile}, textOf(all, options()))
		// At first, the old content moves up, so that it can be scrolled back to.
		above := strings.Repeat("\n", height)
		height = 0
		return drawn.String(), above + ansi.CursorHomePosition +
			strings.ReplaceAll(drawn.String(), "\n", ansi.EraseLineRight+"\n") + ansi.EraseScreenBelow
	}
}
