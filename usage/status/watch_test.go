package status

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/charmbracelet/colorprofile"
	"github.com/google/go-cmp/cmp"

	"windsock/probe/say"
	"windsock/usage"
	"windsock/usage/poll"
	"windsock/usage/usagetest"
	"windsock/usage/windsurf"
)

func TestWatchUsage(t *testing.T) {
	t.Parallel()
	badInterval := outcome{2, "--interval takes a time from 10s to 60m, such as 5m."}
	noPlace := func(flag string) outcome {
		return outcome{2, "--watch shows what a running editor says from now on. Leave out " + flag + "."}
	}
	commandLines(t, []commandLine{
		{"with_from", []string{"--watch", "--from", "-"}, noPlace("--from")},
		{"with_at", []string{"--watch", "--at", "2026-02-03T10:00:00Z"}, noPlace("--at")},
		{"with_fail_under", []string{"--watch", "--fail-under", "0"}, noPlace("--fail-under")},
		{"with_cached", []string{"--watch", "--cached"}, noPlace("--cached")},
		{"with_save", []string{"--watch", "--save", "a.json"}, noPlace("--save")},
		{"with_output", []string{"--watch", "--format", "prometheus", "--output", "a"}, noPlace("--output")},
		{"too_often", []string{"--watch", "--interval", "9.9s"}, badInterval},
		{"too_seldom", []string{"--watch", "--interval", "61m"}, badInterval},
		{"interval_alone", []string{"--interval", "5m"}, outcome{2, "--interval says how often --watch asks; give both."}},
	})
}

// watch runs the command in a synctest bubble for a time; fetch gets the time since the
// start, which is noon.
func watch(t *testing.T, d time.Duration, out io.Writer, fetch func(after time.Duration) (poll.Reading, error), args ...string) error {
	t.Helper()
	start := time.Now()
	c := &statusCommand{Parts: Parts{Fetch: one(func(context.Context, string) (poll.Reading, error) { return fetch(time.Since(start)) }), Now: func() time.Time { return usagetest.Noon.Add(time.Since(start)) }}, lookup: func(string) (string, bool) { return "", false }, location: time.UTC}
	cmd := quietCommand(c)
	cmd.SetArgs(append([]string{"--watch"}, args...))
	cmd.SetOut(out)
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	return cmd.ExecuteContext(ctx)
}

func TestWatchLines(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"--interval", "1m"}, {"--interval", "1m", "--json"}} {
		synctest.Test(t, func(t *testing.T) {
			var out strings.Builder
			err := watch(t, 20*time.Minute, &out, func(after time.Duration) (poll.Reading, error) {
				used := 4700
				switch {
				case after < 30*time.Second:
					return poll.Reading{Variant: "windsurf"}, usagetest.ErrNotRunning
				case after > 10*time.Minute && after < 15*time.Minute:
					return poll.Reading{}, usagetest.ErrNotRunning
				case after > 4*time.Minute:
					used = 4800
				}
				raw := fmt.Sprintf(`{"planStatus":{"planInfo":{"planName":"R&D"},"availablePromptCredits":50000,"usedPromptCredits":%d}}`, used)
				return poll.Reading{Raw: []byte(raw), Variant: "windsurf", PID: 7}, nil
			}, args...)
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("error %v", err)
			}
			golden(t, "watch.jsonl", []byte(maskJitter(out.String())))
		})
	}
}

// maskJitter removes the times, which differ in each run because of jitter.
func maskJitter(lines string) string {
	var masked strings.Builder
	for line := range strings.Lines(lines) {
		for _, field := range []string{`"at":"`, `"fetched_at":"`} {
			if i := strings.Index(line, field); i >= 0 {
				i += len(field)
				line = line[:i] + "…" + line[i+strings.Index(line[i:], `"`):]
			}
		}
		masked.WriteString(line)
	}
	return masked.String()
}

func TestWatchEndsWithSenselessCommand(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		wrong := say.Usage("there is no such editor")
		err := watch(t, time.Hour, &out, func(time.Duration) (poll.Reading, error) { return poll.Reading{}, wrong })
		if !errors.Is(err, wrong) || out.Len() > 0 {
			t.Errorf("error %v, wrote %q", err, out.String())
		}
	})
}

type closedWriter struct{}

func (closedWriter) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestWatchEndsWithItsReader(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		err := watch(t, time.Hour, closedWriter{}, func(time.Duration) (poll.Reading, error) { return poll.Reading{Raw: []byte(usagetest.Plenty)}, nil })
		if !errors.Is(err, io.ErrClosedPipe) || time.Since(start) != 0 {
			t.Errorf("error %v after %v", err, time.Since(start))
		}
	})
}

func TestWatchScreen(t *testing.T) {
	t.Parallel()
	show, last := screen(2, colorprofile.ASCII, func() TextOptions { return TextOptions{Width: 60} }), ""
	figures := func(reset, had, at time.Duration) poll.State {
		reading := poll.Reading{Raw: fmt.Appendf(nil, `{"planStatus":{"dailyQuotaRemainingPercent":40,"dailyQuotaResetAtUnix":"%d"}}`, usagetest.Noon.Add(reset).Unix())}
		s, err := windsurf.Decode(reading.Raw, usage.Source{FetchedAt: usagetest.Noon.Add(had)})
		if err != nil {
			t.Fatal(err)
		}
		return poll.State{At: usagetest.Noon.Add(at), Snapshot: s.At(usagetest.Noon.Add(at))}
	}
	const home, line, below = "\x1b[H", "\x1b[K\n", "\x1b[J"
	first := figures(time.Hour, 0, 0)
	fetching := figures(time.Hour, 0, 30*time.Second)
	fetching.Fetching = true
	failed := figures(time.Hour, 0, 5*time.Minute)
	failed.Err = usagetest.ErrNotRunning
	later := figures(time.Hour, 6*time.Minute, 6*time.Minute)
	steps := []struct {
		name  string
		state poll.State
		want  string
	}{
		{"nothing_yet", poll.State{At: usagetest.Noon, Fetching: true}, "\n\n" + home + "Asking for the figures…" + line + below},
		{
			"figures", first,
			home + "Windsurf" + line + "Daily quota  ▰▰▰▰▱▱▱▱▱▱  40 % left" + line +
				"             resets in 1h (Tue 11:00)" + line + below,
		},
		{"nothing_changed", first, ""},
		{"nothing_changed_but_the_fetch", fetching, ""},
		{
			"failed", failed,
			home + "Windsurf" + line + "Daily quota  ▰▰▰▰▱▱▱▱▱▱  40 % left" + line +
				"             resets in 55m (Tue 11:00)" + line + line +
				"Showing figures of 10:00 (Start Windsurf and try again)" + line + below,
		},
		{
			"fine_again", later,
			home + "Windsurf" + line + "Daily quota  ▰▰▰▰▱▱▱▱▱▱  40 % left" + line +
				"             resets in 54m (Tue 11:00)" + line + below,
		},
	}
	for _, step := range steps {
		seen, text := show(alone(step.state))
		if seen == last {
			text = ""
		}
		last = seen
		if diff := cmp.Diff(step.want, text); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.name, diff)
		}
	}
}

func TestDocumentBeforeFigures(t *testing.T) {
	t.Parallel()
	got := PlansDocument(alone(poll.State{At: usagetest.Noon, Snapshot: usage.Snapshot{Source: usage.Source{Kind: usage.KindLanguageServer}}}))
	want := Document{
		Schema: 2, At: stamp(usagetest.Noon),
		Plans: []documentPlan{{
			Product: usage.Windsurf, Lead: true, Source: documentSource{Kind: usage.KindLanguageServer}, Billing: usage.BillingUnknown,
			Meters: []documentMeter{}, Notices: []documentMessage{}, Problems: []documentMessage{},
		}},
		Problems: []documentMessage{},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(stamp{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A bar that follows with the default interval fades within seconds of the editor's
// end, without more fetches.
func TestWatchSeesEditorEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const end = 65 * time.Second
		start, fetches := time.Now(), 0
		ended := func() bool { return time.Since(start) >= end }
		c := &statusCommand{
			Parts: Parts{
				Fetch: one(func(context.Context, string) (poll.Reading, error) {
					fetches++
					if ended() {
						return poll.Reading{}, usagetest.ErrNotRunning
					}
					return poll.Reading{Raw: []byte(usagetest.Plenty), PID: 7}, nil
				}),
				Runs: func(pid int) bool { return pid == 7 && !ended() },
				Now:  func() time.Time { return usagetest.Noon.Add(time.Since(start)) },
			},
			lookup:   func(string) (string, bool) { return "", false },
			location: time.UTC,
		}
		var out strings.Builder
		cmd := quietCommand(c)
		cmd.SetArgs([]string{"--watch", "--format", "waybar"})
		cmd.SetOut(&out)
		ctx, cancel := context.WithTimeout(t.Context(), end+watchLook)
		defer cancel()
		if err := cmd.ExecuteContext(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
		lines := strings.SplitAfter(out.String(), "\n")
		if len(lines) != 3 || strings.Contains(lines[0], "stale") || !strings.Contains(lines[1], `"text":"(91%)"`) ||
			!strings.Contains(lines[1], `"class":["ok","stale"]`) {
			t.Errorf("wrote %s", out.String())
		}
		if fetches != 2 {
			t.Errorf("asked %d times", fetches)
		}
	})
}
