package status

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"windsock/probe/say"
	"windsock/probe/terminal"
	"windsock/usage/poll"
	"windsock/usage/words"
)

// checkWatch refuses flags that make no sense beside --watch.
func (c *statusCommand) checkWatch(changed func(flag string) bool) error {
	if !c.watch {
		if changed("interval") {
			return say.Usage("--interval says how often --watch asks; give both.")
		}
		return nil
	}
	for _, flag := range []string{"from", "at", "fail-under", "cached", "save"} {
		if changed(flag) {
			return say.Usage("--watch shows what a running editor says from now on, so --%s has no place beside it.", flag)
		}
	}
	if c.interval < poll.MinWatchInterval || c.interval > poll.MaxInterval {
		return say.Usage("--interval takes a time from 10s to 60m, such as 5m.")
	}
	return nil
}

// watchLook is how soon somebody who watches is told that the editor has ended.
const watchLook = 10 * time.Second

// watching shows every state until the context ends, which is its error.
func (c *statusCommand) watching(ctx context.Context, out io.Writer) error {
	poller := poll.New(poll.Config{
		Settings: poll.Settings{Interval: c.interval, Variant: c.variant, Pace: c.pace()},
		Fetch:    c.fetch, Record: c.record, Runs: c.runs, LookEvery: watchLook, Now: c.now, Speed: c.speed,
	})
	states, unsubscribe := poller.Subscribe()
	defer unsubscribe()
	polling, stop := context.WithCancel(ctx)
	// The poller's goroutine ends with this function, or with its context.
	var run sync.WaitGroup
	defer run.Wait()
	defer stop()
	run.Go(func() { _ = poller.Run(polling) }) // fails only when it is called twice
	show := c.view(out)
	for state := range states {
		if senseless(state.Err) {
			return state.Err
		}
		if err := show(state); err != nil {
			return fmt.Errorf("write status: %w", err)
		}
	}
	return ctx.Err()
}

// view chooses how states are shown: in place where somebody looks or a bar
// does, else one line of JSON for each change.
func (c *statusCommand) view(out io.Writer) func(poll.State) error {
	file, ok := out.(*os.File)
	kind, _ := c.lookup("TERM")
	if c.format == FormatWaybar {
		words := c.config.Words(c.location, c.lookup)
		return (&bar{out: out, write: func(s poll.State) string { return writeWaybar(s, words) }}).show
	}
	if c.format == FormatJSON || !ok || kind == "dumb" || !terminal.Is(file) {
		return (&lines{out: out}).show
	}
	lipgloss.EnableLegacyWindowsANSI(file)
	_, height := terminal.Size(file)
	v := &screen{
		out: out, height: height,
		profile: colorprofile.Detect(out, c.environ),
		options: func() TextOptions { return c.textOptions(out) },
	}
	return v.show
}

// lines writes states as lines of JSON.
type lines struct {
	out  io.Writer
	last string
}

// show writes a state that differs from the last one in more than the time.
func (v *lines) show(s poll.State) error {
	if !s.HasFigures() && s.Err == nil {
		return nil
	}
	answer := StateDocument(s)
	content, err := json.Marshal(answer.timeless())
	if err != nil || string(content) == v.last {
		return err
	}
	v.last = string(content)
	e := json.NewEncoder(v.out)
	e.SetEscapeHTML(false)
	return e.Encode(answer)
}

// screen draws states in place, from the terminal's first line on. It changes
// no mode of the terminal, so that whatever ends the process leaves it usable,
// with the last figures on it.
type screen struct {
	out io.Writer
	// height is the terminal's, in lines; 0 when unknown.
	height  int
	profile colorprofile.Profile
	// options are asked for at each drawing: the width may have changed.
	options func() TextOptions
	last    string
}

func (v *screen) show(s poll.State) error {
	var text strings.Builder
	// A strings.Builder takes everything.
	_, _ = io.WriteString(&colorprofile.Writer{Forward: &text, Profile: v.profile}, watchText(s, v.options()))
	if text.String() == v.last {
		return nil
	}
	drawing := ansi.CursorHomePosition +
		strings.ReplaceAll(text.String(), "\n", ansi.EraseLineRight+"\n") + ansi.EraseScreenBelow
	if v.last == "" {
		// What stood on the screen moves up and can be scrolled back to.
		drawing = strings.Repeat("\n", v.height) + drawing
	}
	v.last = text.String()
	_, err := io.WriteString(v.out, drawing)
	return err
}

// watchText is a state for people.
func watchText(s poll.State, o TextOptions) string {
	o.Width = max(o.Width, 2)
	sentence := s.Sentence(o.Words)
	if sentence != "" {
		sentence = strings.Join(o.wrap(sentence, "", words.TonePlain), "\n") + "\n"
	}
	switch {
	case !s.HasFigures():
		return sentence
	case sentence == "":
		return Text(s.Snapshot, o)
	default:
		return Text(s.Snapshot, o) + "\n" + sentence
	}
}
