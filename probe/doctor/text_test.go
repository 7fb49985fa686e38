package doctor

import (
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"windsock/probe"
	"windsock/probe/probetest"
)

// build is the part of a text's head that varies between machines.
var build = regexp.MustCompile(`, \w+/\w+, go\S+`)

func diagnoses() map[string]Diagnosis {
	const windsurf, next, insiders = "windsurf", "windsurf-next", "windsurf-insiders"
	absent := func(id, app string) Step {
		return Step{Variant: id, app: app, Name: stepProcess, Absent: true, Finding: "not running"}
	}
	desktop := []Step{
		{Name: "settings", OK: true, Finding: "config.toml is fine"},
		{Name: "history", OK: true, Finding: "history.db opens, 84 kB", Duration: 3 * time.Millisecond},
		{Name: "session_bus", OK: true, Finding: "reachable"},
		{Name: "tray_host", Finding: "no panel shows tray icons", Cure: "On GNOME, the AppIndicator extension brings tray icons back."},
	}
	process := Step{Variant: windsurf, app: "Devin Desktop", Name: stepProcess, OK: true, Finding: "4242 language_server_linux_x64 1.48.2, started 3h ago", Duration: 5 * time.Millisecond}
	signIn := "Sign in to Devin Desktop, then try again."
	const antigravity = "antigravity"
	agy := "Turn on its status line with `windsock antigravity install`, or open the Antigravity app."
	keeps := "agy runs, but since version 1.2.2 it keeps its access token to itself"
	return map[string]Diagnosis{
		"antigravity": {
			Steps: []Step{
				absent(windsurf, "Windsurf (Devin Desktop)"),
				{Variant: antigravity, app: "Antigravity IDE", Name: stepProcess, OK: true, Finding: "4343 language_server_linux_x64, started 3h ago"},
				{Variant: antigravity, app: "Antigravity IDE", Name: probe.StepToken, OK: true, Finding: "in its flag --csrf_token, UUID of 36 characters"},
				{Variant: antigravity, app: "Antigravity IDE", Name: probe.StepCall, OK: true, Finding: "GetUserStatus answered with 154 kB", Duration: 41 * time.Millisecond},
			},
			Verdict: "Windsock can read the plan from Antigravity IDE.",
		},
		"agy": {
			Steps: []Step{
				absent(windsurf, "Windsurf (Devin Desktop)"),
				{Variant: antigravity, app: "Antigravity CLI", Name: stepProcess, OK: true, Finding: "4343 agy, started 3h ago"},
				{Variant: antigravity, app: "Antigravity CLI", Name: probe.StepToken, Finding: keeps, Cure: agy},
			},
			Err:     errors.New("no_token"),
			Verdict: keeps + ". " + agy,
		},
		"works": {
			Steps: append([]Step{
				process,
				{Variant: windsurf, app: "Devin Desktop", Name: probe.StepToken, OK: true, Finding: "in its environment, UUID of 36 characters"},
				{Variant: windsurf, app: "Devin Desktop", Name: probe.StepHandshake, OK: true, Finding: "port 36011 answers over http (3 were asked)", Duration: 2 * time.Millisecond},
				{
					Variant: windsurf, app: "Devin Desktop", Name: probe.StepKey, OK: true,
					Finding: "devin-session-token of 812 characters in state.vscdb of Devin; UUID of 36 characters in ~/.codeium/config.json",
				},
				{Variant: windsurf, app: "Devin Desktop", Name: probe.StepCall, OK: true, Finding: "GetUserStatus answered with 154 kB", Duration: 41 * time.Millisecond},
				process,
				{Variant: windsurf, app: "Devin Desktop", Name: probe.StepPorts, Absent: true, Finding: "process 4241 listens on no port of this computer"},
				absent(next, "Windsurf Next"), absent(insiders, "Windsurf Insiders"),
			}, desktop...),
			Verdict: "Windsock can read the plan from Devin Desktop.",
		},
		"signed_out": {
			Steps: []Step{
				process,
				{Variant: windsurf, app: "Devin Desktop", Name: probe.StepKey, Finding: "state.vscdb of Devin: nobody is signed in there", Cure: signIn},
				absent(next, "Windsurf Next"),
			},
			Err:     errors.New("not_signed_in"),
			Verdict: "Devin Desktop is not signed in: state.vscdb of Devin: nobody is signed in there. " + signIn,
		},
		"nothing": {
			Steps: []Step{
				{Variant: windsurf, app: "Windsurf", Name: stepProcess, Finding: "not running", Cure: "Start Windsurf and try again."},
				{Variant: windsurf, app: "Windsurf", Name: stepCaches, Absent: true, Finding: "nothing is kept of the plan"},
				absent(next, "Windsurf Next"),
				{Variant: next, app: "Windsurf Next", Name: stepCaches, Absent: true, Finding: "nothing is kept of the plan"},
			},
			Err:     errors.New("not_running"),
			Verdict: "Windsurf is not running. Start Windsurf and try again.",
		},
	}
}

func TestDoctorText(t *testing.T) {
	t.Parallel()
	for name, g := range diagnoses() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := Doctor{Version: "1.0"}.Text(g, DefaultWidth)
			for line := range strings.Lines(text) {
				if width := ansi.StringWidth(line); width > DefaultWidth {
					t.Errorf("%d columns: %s", width, line)
				}
			}
			got := build.ReplaceAllString(ansi.Strip(text), ", SYSTEM, GO")
			probetest.Golden(t, name+".txt", []byte(got))
		})
	}
}

// A number is never separated from its unit, at any width.
func TestDoctorTextKeepsFigures(t *testing.T) {
	t.Parallel()
	g := Diagnosis{Steps: []Step{{
		Name: "history", OK: true, Finding: "opens, 84 kB or 1 MB, 2 B, started 3 h and 4 min ago, 50 s, 3 days", Duration: 12 * time.Millisecond,
	}}}
	for width := range DefaultWidth {
		for line := range strings.Lines(ansi.Strip(Doctor{}.Text(g, width))) {
			if strings.Contains(line, noBreak) || regexp.MustCompile(`\d\s*$`).MatchString(line) && !strings.HasPrefix(line, "Windsock") {
				t.Errorf("in %d columns: %q", width, line)
			}
		}
	}
}

func TestDoctorJSON(t *testing.T) {
	t.Parallel()
	var got strings.Builder
	g := Diagnosis{
		Err: errors.New("x"),
		Steps: []Step{
			{Variant: "windsurf", Name: "call", Finding: "<slow>", Cure: "Wait.", Duration: 1234567 * time.Nanosecond},
			{Name: "settings", OK: true, Finding: "fine"},
		},
	}
	if err := g.writeJSON(&got); err != nil {
		t.Fatal(err)
	}
	want := `{
  "schema": 1,
  "ok": false,
  "steps": [
    {
      "variant": "windsurf",
      "step": "call",
      "ok": false,
      "finding": "<slow>",
      "cure": "Wait.",
      "duration_ms": 1.23
    },
    {
      "variant": "",
      "step": "settings",
      "ok": true,
      "finding": "fine",
      "cure": "",
      "duration_ms": 0
    }
  ]
}
`
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
