package status

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"

	"windsock/probe/say"
	"windsock/usage"
	"windsock/usage/poll"
	"windsock/usage/usagetest"
	"windsock/usage/windsurf"
)

func fetchOf(r poll.Reading) poll.Fetch {
	return one(func(context.Context, string) (poll.Reading, error) { return r, nil })
}

// one is a Fetch with one reading of Windsurf.
func one(fetch func(ctx context.Context, variant string) (poll.Reading, error)) poll.Fetch {
	return func(ctx context.Context, ask poll.Ask) []poll.Reading {
		if !slices.Contains(ask.Products, usage.Windsurf) {
			return nil
		}
		reading, err := fetch(ctx, ask.Variant)
		reading.Err = err
		return []poll.Reading{reading}
	}
}

// outcome is main's handling of an error.
type outcome struct {
	Code int
	Said string
}

func outcomeOf(err error) outcome {
	if err == nil {
		return outcome{}
	}
	return outcome{say.Exit(err), say.Sentence(err, err.Error())}
}

// commandLine is one that makes sense or none.
type commandLine struct {
	name string
	args []string
	want outcome
}

// commandLines runs the command with an answer that has plenty left.
func commandLines(t *testing.T, lines []commandLine) {
	t.Helper()
	for _, tt := range lines {
		t.Run(tt.name, func(t *testing.T) {
			_, err := runStatus(t, &statusCommand{Parts: Parts{Fetch: fetchOf(poll.Reading{Raw: []byte(usagetest.Plenty)})}}, nil, tt.args...)
			if diff := cmp.Diff(tt.want, outcomeOf(err)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestStatusExits(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	half := write("half.json", `{"planStatus":{"availablePromptCredits":20000,"usedPromptCredits":10000}}`)
	tight := write("tight.json", `{"planStatus":{"dailyQuotaRemainingPercent":8,"dailyQuotaResetAtUnix":"1770130800",
		"weeklyQuotaRemainingPercent":12,"weeklyQuotaResetAtUnix":"1770562800"}}`)
	odd := write("odd.json", `{"planStatus":{"dailyQuotaRemainingPercent":101}}`)
	notApplicable := write("not_applicable.json", `{"planStatus":{"dailyQuotaRemainingPercent":-1,"weeklyQuotaRemainingPercent":12}}`)
	huge := write("huge.json", strings.Repeat(" ", maxAnswer+1))
	badAt := outcome{2, "--at takes a time in RFC 3339, such as 2026-02-03T10:00:00Z."}
	badUnder := outcome{2, "--fail-under takes a percentage from 0 to 100."}
	tests := []struct {
		name string
		args []string
		want outcome
	}{
		{"fine", []string{"--from", half}, outcome{}},
		{"under_is_crossed", []string{"--from", half, "--fail-under", "51"}, outcome{5, ""}},
		{"under_is_met_exactly", []string{"--from", half, "--fail-under", "50"}, outcome{}},
		{"under_is_crossed_in_json", []string{"--from", half, "--fail-under", "51", "--json"}, outcome{5, ""}},
		{"under_is_crossed_by_what_runs_out_later", []string{"--from", tight, "--at", "2026-02-03T10:00:00Z", "--fail-under", "10"}, outcome{5, ""}},
		{"unknown_binding_crosses_nothing", []string{"--from", odd, "--fail-under", "100"}, outcome{}},
		{"what_is_not_applicable_crosses_nothing", []string{"--from", notApplicable, "--fail-under", "12"}, outcome{}},
		{"under_too_low", []string{"--from", half, "--fail-under=-1"}, badUnder},
		{"under_too_high", []string{"--from", half, "--fail-under", "101"}, badUnder},
		{"at_without_zone", []string{"--from", half, "--at", "2026-02-03T10:00:00"}, badAt},
		{"at_empty", []string{"--from", half, "--at", ""}, badAt},
		{"at_of_year_one", []string{"--from", half, "--at", "0001-01-01T00:00:00Z"}, badAt},
		{"at_of_year_ten_thousand_in_utc", []string{"--from", half, "--at", "9999-12-31T23:59:59-01:00"}, badAt},
		{
			"from_with_variant",
			[]string{"--from", half, "--variant", "windsurf"},
			outcome{2, "--from reads a saved answer. Leave out --variant."},
		},
		{"from_empty", []string{"--from", ""}, outcome{2, "--from takes a file, or - for standard input."}},
		{
			"file_too_large",
			[]string{"--from", huge},
			outcome{1, "The file given to --from is larger than 16 MB, which no answer is. Give it a saved answer."},
		},
		{"no_server", nil, outcome{3, "Start Windsurf and try again."}},
		{"no_server_in_json", []string{"--json"}, outcome{3, ""}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dead := one(func(context.Context, string) (poll.Reading, error) {
				return poll.Reading{}, usagetest.ErrNotRunning
			})
			_, err := runStatus(t, &statusCommand{Parts: Parts{Fetch: dead}}, nil, tt.args...)
			if diff := cmp.Diff(tt.want, outcomeOf(err)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestStatusFileMissing(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "alice", "answer.json")
	_, err := runStatus(t, &statusCommand{}, nil, "--from", name)
	got := outcomeOf(err)
	if got.Code != 1 || !strings.HasPrefix(got.Said, "The file given to --from cannot be read: ") {
		t.Errorf("got %+v", got)
	}
	if strings.Contains(got.Said+err.Error(), "alice") {
		t.Errorf("the path is told: %s", got.Said)
	}
}

func TestStatusErrorAnswer(t *testing.T) {
	t.Parallel()
	reading := poll.Reading{Variant: "windsurf-next", PID: 7}
	fetch := func(context.Context, string) (poll.Reading, error) { return reading, usagetest.ErrNotRunning }
	got, _ := runStatus(t, &statusCommand{Parts: Parts{Fetch: one(fetch)}}, nil, "--json", "--at", "2026-05-01T00:00:00+02:00")
	golden(t, "error_no_server.json", []byte(got))

	got, _ = status(t, []byte(`{"planName":"Free"}`), "--json", "--at", "2026-05-01T00:00:00Z")
	golden(t, "error_cache_without_figures.json", []byte(got))

	got, _ = status(t, []byte(`not json`), "--json", "--at", "2026-05-01T00:00:00Z")
	golden(t, "error_bad_payload.json", []byte(got))

	reading.Raw = []byte(`{"userStatus":{}}`)
	got, _ = runStatus(t, &statusCommand{Parts: Parts{Fetch: fetchOf(reading)}}, nil, "--json")
	golden(t, "error_no_plan_status.json", []byte(got))
}

func TestStatusCancelledIsSilent(t *testing.T) {
	t.Parallel()
	fetch := func(context.Context, string) (poll.Reading, error) { return poll.Reading{}, context.Canceled }
	got, err := runStatus(t, &statusCommand{Parts: Parts{Fetch: one(fetch)}}, nil, "--json")
	if got != "" || !errors.Is(err, context.Canceled) {
		t.Errorf("wrote %q, error %v", got, err)
	}
}

func TestStatusClock(t *testing.T) {
	t.Parallel()
	live := `{"planStatus":{"availablePromptCredits":100}}`
	cache := `{"usage":{"messages":100,"usedMessages":0}}`
	at := []string{"--json", "--at", "2026-05-01T12:00:00.9+02:00"}
	tests := []struct {
		name, raw   string
		from        bool
		args        []string
		wantAt      string
		wantFetched string
	}{
		{"live", live, false, []string{"--json"}, "2026-02-03T10:00:00Z", "2026-02-03T10:00:00Z"},
		{"live_pinned", live, false, at, "2026-05-01T10:00:00Z", "2026-05-01T10:00:00Z"},
		{"file", live, true, []string{"--json"}, "2026-02-03T10:00:00Z", ""},
		{"file_pinned", live, true, at, "2026-05-01T10:00:00Z", "2026-05-01T10:00:00Z"},
		{"cache_file_pinned", cache, true, at, "2026-05-01T10:00:00Z", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			args, kind := tt.args, "language_server"
			if tt.from {
				args, kind = append([]string{"--from", "-"}, args...), "file"
			}
			c := &statusCommand{Parts: Parts{Fetch: fetchOf(poll.Reading{Raw: []byte(tt.raw)})}}
			out, err := runStatus(t, c, bytes.NewReader([]byte(tt.raw)), args...)
			if err != nil {
				t.Fatal(err)
			}
			got := []string{
				gjson.Get(out, "at").Str, gjson.Get(out, "plans.0.source.fetched_at").Str, gjson.Get(out, "plans.0.source.kind").Str,
			}
			if diff := cmp.Diff([]string{tt.wantAt, tt.wantFetched, kind}, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestStatusAsksForVariant(t *testing.T) {
	t.Parallel()
	asked := ""
	fetch := func(_ context.Context, variant string) (poll.Reading, error) {
		asked = variant
		return poll.Reading{Raw: []byte(`{"planStatus":{"availablePromptCredits":100}}`), Variant: variant}, nil
	}
	if _, err := runStatus(t, &statusCommand{Parts: Parts{Fetch: one(fetch)}}, nil, "--variant", "windsurf-next"); err != nil {
		t.Fatal(err)
	}
	if asked != "windsurf-next" {
		t.Errorf("asked for %q", asked)
	}
}

func TestStatusLeavesNamesReadable(t *testing.T) {
	t.Parallel()
	got, err := status(t, []byte(`{"planStatus":{"planInfo":{"planName":"R&D <team>"},"availablePromptCredits":100}}`), "--json")
	if err != nil || !strings.Contains(got, `"plan": "R&D <team>"`) {
		t.Errorf("error %v, wrote %s", err, got)
	}
}

func TestStatusText(t *testing.T) {
	t.Parallel()
	raw := usagetest.Samples(t)["user_status/01-credits-teams"]
	want := `Windsurf · Teams
Prompt credits  ▰▰▰▰▰▰▰▰▰▱  453 of 500 left (91 %)
                ✓ On course · 34–85 % left at the reset · resets in 15d (18 Feb)
Flex credits    ▰▰▰▰▰▰▰▰▰▱  24,994.5 of 26,750 left (93 %)
`
	got, err := runStatus(t, &statusCommand{Parts: Parts{Fetch: fetchOf(poll.Reading{Raw: raw, App: "Windsurf"})}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestStatusColours(t *testing.T) {
	t.Parallel()
	raw := []byte(`{"planStatus":{"dailyQuotaRemainingPercent":3}}`)
	tests := []struct {
		name    string
		environ []string
		want    bool
	}{
		{"piped", []string{"TERM=xterm-256color"}, false},
		{"forced", []string{"TERM=xterm-256color", "CLICOLOR_FORCE=1"}, true},
		{"no_colour", []string{"TERM=xterm-256color", "NO_COLOR=1"}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			c := &statusCommand{environ: tt.environ, lookup: func(string) (string, bool) { return "", false }}
			s, err := windsurf.Decode(raw, usage.Source{})
			if err != nil {
				t.Fatal(err)
			}
			if err := c.writeText(&out, alone(poll.State{Snapshot: s.At(usagetest.Noon)})); err != nil {
				t.Fatal(err)
			}
			if got := strings.Contains(out.String(), "\x1b["); got != tt.want {
				t.Errorf("escape sequences: %v in %q", got, out.String())
			}
		})
	}
}

func TestStatusWidth(t *testing.T) {
	t.Parallel()
	for columns, want := range map[string]int{"": 80, "40": 40} {
		c := &statusCommand{location: time.UTC, lookup: func(name string) (string, bool) { return columns, name == "COLUMNS" }}
		if got := c.textOptions(&strings.Builder{}).Width; got != want {
			t.Errorf("COLUMNS=%s: width %d, want %d", columns, got, want)
		}
	}
}

func TestStatusWriteError(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	w.Close()
	c := &statusCommand{Parts: Parts{Now: func() time.Time { return usagetest.Noon }, Fetch: fetchOf(poll.Reading{Raw: []byte(`{"planStatus":{"availablePromptCredits":100}}`)})}, lookup: os.LookupEnv}
	for _, args := range [][]string{{}, {"--json"}} {
		cmd := quietCommand(c)
		cmd.SetArgs(args)
		cmd.SetOut(w)
		if err := cmd.ExecuteContext(t.Context()); outcomeOf(err).Code != 1 || !errors.Is(err, os.ErrClosed) {
			t.Errorf("%v: error %v", args, err)
		}
	}
}

// A server that is slow was asked before it answered: the figures are of the answer's time.
func TestFiguresOfASlowServer(t *testing.T) {
	t.Parallel()
	now := usagetest.Noon
	out, err := runStatus(t, &statusCommand{Parts: Parts{
		Now: func() time.Time { return now },
		Fetch: func(context.Context, poll.Ask) []poll.Reading {
			now = now.Add(8 * time.Second)
			return []poll.Reading{{Raw: []byte(`{"planStatus":{"availablePromptCredits":100}}`)}}
		},
	}}, nil, "--json")
	if want := usagetest.Noon.Add(8 * time.Second).Format(time.RFC3339); err != nil || strings.Count(out, want) != 2 {
		t.Errorf("%v, not at and fetched_at %s: %s", err, want, out)
	}
}
