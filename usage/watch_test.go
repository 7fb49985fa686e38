package usage

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
)

func TestWatchUsage(t *testing.T) {
	t.Parallel()
	badInterval := outcome{2, "--interval takes a time from 10s to 60m, such as 5m."}
	noPlace := func(flag string) outcome {
		return outcome{2, "--watch shows what a running editor says from now on, so " + flag + " has no place beside it."}
	}
	tests := []struct {
		name string
		args []string
		want outcome
	}{
		{"with_from", []string{"--watch", "--from", "-"}, noPlace("--from")},
		{"with_at", []string{"--watch", "--at", "2026-02-03T10:00:00Z"}, noPlace("--at")},
		{"with_fail_under", []string{"--watch", "--fail-under", "0"}, noPlace("--fail-under")},
		{"too_often", []string{"--watch", "--interval", "9.9s"}, badInterval},
		{"too_seldom", []string{"--watch", "--interval", "61m"}, badInterval},
		{"interval_alone", []string{"--interval", "5m"}, outcome{2, "--interval says how often --watch asks; give both."}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := runStatus(t, &statusCommand{fetch: fetchOf(Reading{Raw: []byte(credits)})}, nil, tt.args...)
			if diff := cmp.Diff(tt.want, outcomeOf(err)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// watch runs the command in a synctest bubble for a time; fetch is asked with
// the time since its start, which is noon.
func watch(t *testing.T, d time.Duration, out io.Writer, fetch func(after time.Duration) (Reading, error), args ...string) error {
	t.Helper()
	start := time.Now()
	c := &statusCommand{
		fetch:    func(context.Context, string) (Reading, error) { return fetch(time.Since(start)) },
		now:      func() time.Time { return noon.Add(time.Since(start)) },
		lookup:   func(string) (string, bool) { return "", false },
		location: time.UTC,
	}
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
			err := watch(t, 20*time.Minute, &out, func(after time.Duration) (Reading, error) {
				used := 4700
				switch {
				case after < 30*time.Second:
					return Reading{Variant: "windsurf"}, deadServerError{}
				case after > 10*time.Minute && after < 15*time.Minute:
					return Reading{}, deadServerError{}
				case after > 4*time.Minute:
					used = 4800
				}
				raw := fmt.Sprintf(`{"planStatus":{"planInfo":{"planName":"R&D"},"availablePromptCredits":50000,"usedPromptCredits":%d}}`, used)
				return Reading{Raw: []byte(raw), Variant: "windsurf", PID: 7}, nil
			}, args...)
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("error %v", err)
			}
			golden(t, "watch.jsonl", []byte(maskJitter(out.String())))
		})
	}
}

// maskJitter takes the times out, of which jitter makes other ones each time.
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

// wrongError is an error of the command line.
type wrongError struct{ deadServerError }

func (wrongError) ExitCode() int { return 2 }

func TestWatchEndsWithSenselessCommand(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		err := watch(t, time.Hour, &out, func(time.Duration) (Reading, error) { return Reading{}, wrongError{} })
		if !errors.Is(err, wrongError{}) || out.Len() > 0 {
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
		err := watch(t, time.Hour, closedWriter{}, func(time.Duration) (Reading, error) { return Reading{Raw: []byte(credits)}, nil })
		if !errors.Is(err, io.ErrClosedPipe) || time.Since(start) != 0 {
			t.Errorf("error %v after %v", err, time.Since(start))
		}
	})
}

func TestWatchScreen(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	v := &screen{
		out: &out, height: 2, profile: colorprofile.ASCII,
		options: func() TextOptions { return TextOptions{Width: 60} },
	}
	figures := func(reset, had, at time.Duration) PollState {
		reading, _ := daily(reset)
		s, err := Decode(reading.Raw, Source{FetchedAt: noon.Add(had)})
		if err != nil {
			t.Fatal(err)
		}
		return PollState{At: noon.Add(at), Snapshot: s.At(noon.Add(at))}
	}
	const home, line, below = "\x1b[H", "\x1b[K\n", "\x1b[J"
	first := figures(time.Hour, 0, 0)
	fetching := figures(time.Hour, 0, 30*time.Second)
	fetching.Fetching = true
	failed := figures(time.Hour, 0, 5*time.Minute)
	failed.Err = deadServerError{}
	later := figures(time.Hour, 6*time.Minute, 6*time.Minute)
	steps := []struct {
		name  string
		state PollState
		want  string
	}{
		{"nothing_yet", PollState{At: noon, Fetching: true}, "\n\n" + home + "Asking for the figures…" + line + below},
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
		out.Reset()
		if err := v.show(step.state); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(step.want, out.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.name, diff)
		}
	}
	v.out = closedWriter{}
	if err := v.show(first); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("error %v of a closed terminal", err)
	}
}

func TestPollStateSentence(t *testing.T) {
	t.Parallel()
	with := func(err error, stale bool, after time.Duration) PollState {
		s := PollState{At: noon.Add(after), Snapshot: creditsAt(t, 0, after), Err: err}
		s.Snapshot.Source.Stale = stale
		return s
	}
	tests := []struct {
		name  string
		state PollState
		words Words
		want  string
	}{
		{"fresh", with(nil, false, 0), Words{}, ""},
		{"none_yet", PollState{}, Words{}, "Asking for the figures…"},
		{"none_and_why", PollState{Err: deadServerError{}}, Words{}, "Start Windsurf and try again."},
		{"none_and_no_words", PollState{Err: io.EOF}, Words{}, "EOF"},
		{"today", with(deadServerError{}, false, time.Hour), Words{}, "Showing figures of 10:00 (Start Windsurf and try again)"},
		{
			"twelve_hours", with(deadServerError{}, true, time.Hour),
			Words{TwelveHour: true},
			"Showing figures of 10:00 AM (Start Windsurf and try again)",
		},
		{"yesterday", with(deadServerError{}, true, 20*time.Hour), Words{}, "Showing figures of Tue 10:00 (Start Windsurf and try again)"},
		{"long_ago", with(deadServerError{}, true, 240*time.Hour), Words{}, "Showing figures of 3 Feb (Start Windsurf and try again)"},
		{"stale", with(nil, true, time.Hour), Words{}, "Showing figures of 10:00 (newer ones have not come yet)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := tt.state.Sentence(tt.words); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestPollStateAnswerBeforeFigures(t *testing.T) {
	t.Parallel()
	got := PollState{At: noon, Snapshot: Snapshot{Source: Source{Kind: KindLanguageServer}}}.Answer()
	want := newAnswer(Source{Kind: KindLanguageServer}, noon, "")
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(stamp{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
