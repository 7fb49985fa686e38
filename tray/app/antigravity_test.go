package app

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"windsock/probe/agy"
	"windsock/probe/doctor"
	"windsock/probe/say"
	"windsock/usage"
	"windsock/usage/poll"
	"windsock/usage/product"
)

// TestCheckAgy: what doctor says of agy, by agy's settings, the last figures and
// Windsock's settings.
func TestCheckAgy(t *testing.T) {
	now := time.Date(2026, 11, 22, 18, 30, 0, 0, time.UTC)
	const (
		ours    = `{"statusLine":{"type":"command","command":"/opt/windsock antigravity status-line","enabled":true}}`
		figures = `{"at":"2026-11-22T18:22:00Z","quota":{"gemini-5h":{}}}`
		ask     = "[antigravity]\nask_agy = true\n"
		ran     = `{"asked":"2026-11-22T18:27:00Z","at":"2026-11-22T18:27:00Z","answer":{"status":"SUCCESS","command":{"data":{"groups":[{"buckets":[{"id":"gemini-5h"}]}]}}}}`
		install = "`windsock antigravity install` makes it that, for figures of agy."
	)
	step := func(ok bool, finding, cure string) []doctor.Step {
		return []doctor.Step{{Name: "agy", OK: ok, Finding: finding, Cure: cure}}
	}
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name                   string
		agy, figures, windsock string // files; "" for none
		want                   []doctor.Step
		usage                  string // a file
	}{
		{"nothing", "", "", "", nil, ""},
		{"other_settings", `{}`, "", "", step(true, "Windsock is not its status line", install), ""},
		{"others_line", `{"statusLine":{"command":"my-line"}}`, "", "", step(true, "another program is its status line", ""), ""},
		{"broken_settings", `{`, "", "", step(false, "agy's settings cannot be used: it is not a JSON object", ""), ""},
		{"ours", ours, "", "", step(true, "Windsock is its status line; it has brought no figures yet", ""), ""},
		{"figures", ours, figures, "", step(true, "Windsock is its status line; its last figures came 8m ago", ""), ""},
		{"figures_alone", "", figures, "", step(true, "Windsock is not its status line; its last figures came 8m ago", install), ""},
		{"broken_figures", ours, "{", "", step(true, "Windsock is its status line; its figures cannot be used", ""), ""},
		{"ask_agy", ours, "", ask, step(true, "Windsock is its status line; it has brought no figures yet; "+executable+" may be run for them", ""), ""},
		{"ran", "", figures, ask, step(true, "Windsock is not its status line; its last figures came 8m ago; "+executable+" may be run for them, and was last run 3m ago", install), ran},
		{"ran_in_vain", ours, "", ask, step(true, "Windsock is its status line; it has brought no figures yet; "+executable+" may be run for them, and gave none 3m ago", ""), `{"asked":"2026-11-22T18:27:00Z","failed":{"code":"timeout"}}`},
		{"ran_before_it_was_forbidden", ours, "", "", step(true, "Windsock is its status line; it has brought no figures yet", ""), ran},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			home := t.TempDir()
			for _, name := range []string{"HOME", "USERPROFILE"} {
				t.Setenv(name, home)
			}
			t.Setenv("ANTIGRAVITY_CLI_PATH", executable)
			p := parts{settings: configAt(filepath.Join(home, "config.toml")), stateDir: home, clock: func() time.Time { return now }}
			for name, text := range map[string]string{
				".gemini/antigravity-cli/settings.json": tt.agy, "antigravity-status-line.json": tt.figures, "config.toml": tt.windsock,
				"antigravity-usage.json": tt.usage,
			} {
				writeIn(t, home, name, text)
			}
			if diff := cmp.Diff(tt.want, p.checkAgy(t.Context()), cmpopts.IgnoreUnexported(doctor.Step{})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// writeIn writes a file below a directory, unless its text is empty.
func writeIn(tb testing.TB, dir, name, text string) {
	tb.Helper()
	if text == "" {
		return
	}
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		tb.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		tb.Fatal(err)
	}
}

// TestAgyReading: which figures of agy are shown without running it, by what is kept.
func TestAgyReading(t *testing.T) {
	now := time.Date(2026, 11, 22, 18, 30, 0, 0, time.UTC)
	const (
		lineAt = `{"at":"2026-11-22T%sZ","quota":{"gemini-5h":{"remaining_fraction":0.5}}}`
		usedAt = `"at":"2026-11-22T%sZ","answer":{"status":"SUCCESS","command":{"data":{"groups":[{"buckets":[{"id":"gemini-5h"}]}]}}}}`
		ask    = "[antigravity]\nask_agy = true\n"
		slow   = "[usage]\ninterval = \"30m\"\n" + ask
	)
	line := func(at string) string { return fmt.Sprintf(lineAt, at) }
	used := func(at string) string { return "{" + fmt.Sprintf(usedAt, at) }
	failed := func(ran, at string) string {
		return `{"asked":"2026-11-22T` + ran + `Z","failed":{"code":"timeout"},` + fmt.Sprintf(usedAt, at)
	}
	executable, err := os.Executable() // it is not run
	if err != nil {
		t.Fatal(err)
	}
	// reading is what counts of one: of which way, of when, and why it is not fresh.
	type reading struct {
		Kind usage.SourceKind
		At   string
		Code string
	}
	tests := []struct {
		name, line, used, windsock string
		want                       reading
	}{
		{"nothing", "", "", "", reading{"", "", "not_running"}},
		{"fresh_line", line("18:20:00"), "", ask, reading{usage.KindStatusLine, "18:20:00", ""}},
		{"fresh_line_and_older_answer", line("18:29:00"), used("18:28:00"), ask, reading{usage.KindStatusLine, "18:29:00", ""}},
		{"fresh_line_and_newer_answer", line("18:21:00"), used("18:22:00"), ask, reading{usage.KindCLI, "18:22:00", ""}},
		{"old_line", line("18:19:59"), "", "", reading{usage.KindStatusLine, "18:19:59", "not_running"}},
		{"old_line_and_answer", line("18:10:00"), used("18:27:00"), ask, reading{usage.KindCLI, "18:27:00", ""}},
		{"answer_of_the_interval", "", used("18:04:00"), slow, reading{usage.KindCLI, "18:04:00", ""}},
		{"newer_line_within_the_interval", line("18:10:00"), used("18:04:00"), slow, reading{usage.KindStatusLine, "18:10:00", ""}},
		{"failed_run", "", failed("18:29:00", "18:20:00"), ask, reading{usage.KindCLI, "18:20:00", "timeout"}},
		{"failed_run_and_newer_line", line("18:19:00"), failed("18:29:00", "18:18:00"), ask, reading{usage.KindStatusLine, "18:19:00", "timeout"}},
		{"forbidden_since", "", used("18:29:00"), "", reading{usage.KindCLI, "18:29:00", "not_running"}},
		{"forbidden_since_and_newer_line", line("18:10:00"), used("18:09:00"), "", reading{usage.KindStatusLine, "18:10:00", "not_running"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			home := t.TempDir()
			for _, name := range []string{"HOME", "USERPROFILE"} {
				t.Setenv(name, home)
			}
			t.Setenv("ANTIGRAVITY_CLI_PATH", executable)
			writeIn(t, home, "antigravity-status-line.json", tt.line)
			writeIn(t, home, "antigravity-usage.json", tt.used)
			writeIn(t, home, "config.toml", tt.windsock)
			p := parts{settings: configAt(filepath.Join(home, "config.toml")), stateDir: home, clock: func() time.Time { return now }}
			got := p.agyReading(t.Context(), poll.Reading{Product: usage.Antigravity, Err: &say.Error{Code: "not_running"}})
			seen := reading{Kind: got.Kind, Code: say.Code(got.Err)}
			if got.Raw != nil {
				seen.At = got.At.Format(time.TimeOnly)
			}
			if diff := cmp.Diff(tt.want, seen); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestAgyApp: whether doctor counts what is kept of agy, by its age, the settings and the
// variants that are looked at.
func TestAgyApp(t *testing.T) {
	now := time.Date(2026, 11, 22, 18, 30, 0, 0, time.UTC)
	const (
		line = `{"at":"2026-11-22T%sZ","quota":{"gemini-5h":{"remaining_fraction":0.5}}}`
		used = `{"at":"2026-11-22T%sZ","answer":{"status":"SUCCESS","command":{"data":{"groups":[{"buckets":[{"id":"gemini-5h"}]}]}}}}`
		ask  = "[antigravity]\nask_agy = true\n"
	)
	tests := []struct {
		name, file, text, at, windsock, variant, want string
	}{
		{"nothing", "", "", "", "", "", ""},
		{"fresh_line", "line", line, "18:20:00", "", "", "Antigravity CLI"},
		{"fresh_line_of_no_variant", "line", line, "18:20:00", "", "windsurf", ""},
		{"old_line", "line", line, "18:19:59", "", "", ""},
		{"answer", "usage", used, "18:27:00", ask, "", "Antigravity CLI"},
		{"answer_forbidden_since", "usage", used, "18:27:00", "", "", ""},
		{"old_answer", "usage", used, "18:20:00", ask, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			home := t.TempDir()
			for _, name := range []string{"HOME", "USERPROFILE"} {
				t.Setenv(name, home)
			}
			switch tt.file {
			case "line":
				writeIn(t, home, "antigravity-status-line.json", fmt.Sprintf(tt.text, tt.at))
			case "usage":
				writeIn(t, home, "antigravity-usage.json", fmt.Sprintf(tt.text, tt.at))
			}
			writeIn(t, home, "config.toml", tt.windsock)
			p := parts{settings: configAt(filepath.Join(home, "config.toml")), stateDir: home, clock: func() time.Time { return now }}
			list, err := p.askedVariants(tt.variant)
			if err != nil {
				t.Fatal(err)
			}
			if got := p.agyApp(list); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestKeptUsageIsRead: what is kept of an answer of agy means what the whole one does.
func TestKeptUsageIsRead(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../usage/antigravity/testdata/cases/agy_usage.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Cases []struct {
			ID    string          `json:"id"`
			Input json.RawMessage `json:"input"`
		} `json:"cases"`
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	read := 0
	now := time.Date(2026, 9, 19, 0, 0, 0, 0, time.UTC)
	source := usage.Source{Kind: usage.KindCLI, FetchedAt: now}
	for _, c := range file.Cases {
		want, err := product.Decode(usage.Antigravity, c.Input, source)
		if err != nil {
			continue
		}
		state := t.TempDir()
		writeIn(t, state, "antigravity-usage.json", `{"at":"2026-09-19T00:00:00Z","answer":`+string(c.Input)+`}`)
		raw, _ := agy.Dirs{State: state}.LastUsage(now)
		got, err := product.Decode(usage.Antigravity, raw, source)
		if diff := cmp.Diff(want.Meters, got.Meters); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", c.ID, err, diff)
		}
		read++
	}
	if read < 2 {
		t.Errorf("%d cases with figures", read)
	}
}

// TestStatusLineWords: the line of figures as agy has told them.
func TestStatusLineWords(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 6, 20, 8, 59, 16, 0, time.UTC)
	tests := []struct{ name, raw, want string }{
		{"usual", `{"at":"2026-06-20T08:59:16Z","plan_tier":"Google AI Pro","quota":{"3p-weekly":{"remaining_fraction":1.0,"reset_time":"2026-06-27T08:58:32Z"},` +
			`"gemini-5h":{"remaining_fraction":0.5019274,"reset_time":"2026-06-20T11:27:27Z"}}}`, "Gemini 5h 50 % · Claude/GPT 100 %"},
		{"unreadable", `{"quota":{"gemini-5h":{"remaining_fraction":null}}}`, ""},
		{"nothing", `{"quota":{}}`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := statusLine([]byte(tt.raw), at); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
