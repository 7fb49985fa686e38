package status

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"

	"windsock/probe/say"
	"windsock/usage"
	"windsock/usage/poll"
	"windsock/usage/usagetest"
	"windsock/usage/windsurf"
)

func TestFormatUsage(t *testing.T) {
	t.Parallel()
	unknown := outcome{2, "--format takes text, json, waybar, xbar, tmux or prometheus."}
	both := outcome{2, "--json means --format json. Leave out --json or --format tmux."}
	follows := func(format string) outcome {
		return outcome{2, "--watch keeps writing, which no reader of --format " + format + " expects. Take text, json or waybar."}
	}
	commandLines(t, []commandLine{
		{"text", []string{"--format", "text"}, outcome{}},
		{"unknown", []string{"--format", "polybar"}, unknown},
		{"empty", []string{"--format", ""}, unknown},
		{"upper_case", []string{"--format", "JSON"}, unknown},
		{"json_twice", []string{"--json", "--format", "json"}, outcome{}},
		{"json_and_another", []string{"--json", "--format", "tmux"}, both},
		{"json_and_text", []string{"--format", "text", "--json"}, outcome{2, strings.ReplaceAll(both.Said, "tmux", "text")}},
		{"no_json_and_another", []string{"--json=false", "--format", "tmux"}, outcome{}},
		{"watch_xbar", []string{"--watch", "--format", "xbar"}, follows("xbar")},
		{"watch_tmux", []string{"--watch", "--format", "tmux"}, follows("tmux")},
		{"watch_prometheus", []string{"--watch", "--format", "prometheus"}, follows("prometheus")},
	})
}

func TestFormatJSONIsJSON(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{usagetest.Plenty, "not json"} {
		short, shortErr := status(t, []byte(raw), "--json")
		long, longErr := status(t, []byte(raw), "--format", "json")
		if short != long || outcomeOf(shortErr) != outcomeOf(longErr) {
			t.Errorf("--json: %v, %s; --format json: %v, %s", shortErr, short, longErr, long)
		}
	}
}

// TestFormatExits checks that the exit codes are the same in every format, that the
// text is complete beside each, and that there is no other output.
func TestFormatExits(t *testing.T) {
	t.Parallel()
	reading := poll.Reading{Raw: []byte(usagetest.Plenty), Variant: "windsurf", App: "Windsurf"}
	dead := one(func(context.Context, string) (poll.Reading, error) {
		return poll.Reading{}, usagetest.ErrNotRunning
	})
	tests := []struct {
		name  string
		fetch poll.Fetch
		args  []string
		code  int
	}{
		{"fine", fetchOf(reading), nil, 0},
		{"above", fetchOf(reading), []string{"--fail-under", "1"}, 0},
		{"under", fetchOf(reading), []string{"--fail-under", "100"}, 5},
		{"no_server", dead, nil, 3},
		{"no_plan", fetchOf(poll.Reading{Raw: []byte(`{"userStatus":{}}`)}), nil, 1},
	}
	for _, tt := range tests {
		for _, f := range programs {
			out, err := runStatus(t, &statusCommand{Parts: Parts{Fetch: tt.fetch}}, nil, append(tt.args, "--format", string(f))...)
			if diff := cmp.Diff(outcome{Code: tt.code}, outcomeOf(err)); diff != "" {
				t.Errorf("%s in %s (-want +got):\n%s", tt.name, f, diff)
			}
			s := poll.State{At: usagetest.Noon, Err: usagetest.ErrNotRunning}
			if tt.code == 0 || tt.code == 5 {
				snapshot, err := windsurf.Decode(reading.Raw, usage.Source{Kind: usage.KindLanguageServer, FetchedAt: usagetest.Noon})
				if err != nil {
					t.Fatal(err)
				}
				s = poll.State{At: usagetest.Noon, Snapshot: snapshot.At(usagetest.Noon)}
			}
			parseBack(t, f, alone(s), out)
		}
	}
}

func TestFormatLeavesSenselessCommandsToMain(t *testing.T) {
	t.Parallel()
	wrong := say.Usage("there is no such editor")
	for _, f := range append(programs, FormatJSON, FormatText) {
		fetch := func(context.Context, string) (poll.Reading, error) { return poll.Reading{}, wrong }
		out, err := runStatus(t, &statusCommand{Parts: Parts{Fetch: one(fetch)}}, nil, "--format", string(f))
		if out != "" || !errors.Is(err, wrong) {
			t.Errorf("%s: error %v, wrote %q", f, err, out)
		}
	}
}

func TestFormatTmuxWithoutColour(t *testing.T) {
	t.Parallel()
	raw := []byte(`{"planStatus":{"dailyQuotaRemainingPercent":3}}`)
	for value, want := range map[string]string{"": "Windsurf #[fg=brightwhite,bg=red]3% left (age unknown)#[fg=default,bg=default]\n", "1": "Windsurf 3% left (age unknown)\n"} {
		c := &statusCommand{lookup: func(name string) (string, bool) { return value, name == "NO_COLOR" }}
		s, err := windsurf.Decode(raw, usage.Source{})
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		c.format = FormatTmux
		if err := c.write(&out, alone(poll.State{At: usagetest.Noon, Snapshot: s.At(usagetest.Noon)})); err != nil || out.String() != want {
			t.Errorf("NO_COLOR=%s: %q, %v", value, out.String(), err)
		}
	}
}

// TestWatchWaybar checks that each visible change gives one complete line, and that a
// failure is such a change.
func TestWatchWaybar(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out strings.Builder
		err := watch(t, 30*time.Minute, &out, func(after time.Duration) (poll.Reading, error) {
			switch {
			case after < 30*time.Second, after > 10*time.Minute:
				return poll.Reading{}, usagetest.ErrNotRunning
			default:
				used := 1000 * int(after/(5*time.Minute))
				raw := `{"planStatus":{"availablePromptCredits":50000,"usedPromptCredits":` + strconv.Itoa(used) + `}}`
				return poll.Reading{Raw: []byte(raw), App: "Windsurf"}, nil
			}
		}, "--format", "waybar", "--interval", "1m")
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
		var got []string
		last := ""
		for line := range strings.Lines(out.String()) {
			readWaybar(t, nil, line)
			if line == last {
				t.Errorf("twice in a row: %s", line)
			}
			last = line
			if text := gjson.Get(line, "text").Str + " " + gjson.Get(line, "class").Raw; len(got) == 0 || got[len(got)-1] != text {
				got = append(got, text)
			}
		}
		want := []string{`⚠ ["error","not_running"]`, `100% ["ok"]`, `98% ["ok"]`, `(98%) ["ok","stale"]`}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}
