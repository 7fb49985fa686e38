package app

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"windsock/probe/doctor"
)

// TestCheckAgy: what doctor says of agy, by agy's settings, the last figures and
// Windsock's settings.
func TestCheckAgy(t *testing.T) {
	now := time.Date(2026, 11, 22, 18, 30, 0, 0, time.UTC)
	const (
		ours    = `{"statusLine":{"type":"command","command":"/opt/windsock antigravity status-line","enabled":true}}`
		figures = `{"at":"2026-11-22T18:22:00Z","quota":{"gemini-5h":{}}}`
		ask     = "[antigravity]\nask_agy = true\n"
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
	}{
		{"nothing", "", "", "", nil},
		{"other_settings", `{}`, "", "", step(true, "Windsock is not its status line", install)},
		{"others_line", `{"statusLine":{"command":"my-line"}}`, "", "", step(true, "another program is its status line", "")},
		{"broken_settings", `{`, "", "", step(false, "agy's settings cannot be used: it is not a JSON object", "")},
		{"ours", ours, "", "", step(true, "Windsock is its status line; it has brought no figures yet", "")},
		{"figures", ours, figures, "", step(true, "Windsock is its status line; its last figures came 8m ago", "")},
		{"figures_alone", "", figures, "", step(true, "Windsock is not its status line; its last figures came 8m ago", install)},
		{"broken_figures", ours, "{", "", step(true, "Windsock is its status line; its figures cannot be used", "")},
		{"ask_agy", ours, "", ask, step(true, "Windsock is its status line; it has brought no figures yet; "+executable+" may be run for them", "")},
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
			} {
				if text == "" {
					continue
				}
				path := filepath.Join(home, name)
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(tt.want, p.checkAgy(t.Context()), cmpopts.IgnoreUnexported(doctor.Step{})); diff != "" {
				t.Error(diff)
			}
		})
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
