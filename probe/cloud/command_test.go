package cloud

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"windsock/probe/kept"
	"windsock/probe/probetest"
	"windsock/probe/say"
)

var testNow = time.Date(2026, 11, 23, 10, 0, 0, 0, time.UTC)

// rig is a person's machine for the command.
type rig struct {
	disk

	config   Config
	broken   error // the settings
	terminal bool
}

// devinAt is a sign-in of Devin's command line at a URL.
func devinAt(url string) string {
	return "windsurf_api_key = \"devin-session-token$secret\"\napi_server_url = \"" + url + "\"\n"
}

func (r *rig) place(name string) kept.Place {
	return kept.Place{Dir: filepath.Join(r.dir, "state"), Name: name, Now: func() time.Time { return testNow }}
}

// keep keeps what a question some time ago has told.
func (r *rig) keep(t *testing.T, name string, ago time.Duration, told func(kept.Last) kept.Last) {
	t.Helper()
	p := r.place(name)
	p.Now = func() time.Time { return testNow.Add(-ago) }
	_, err := p.Get(t.Context(), func(kept.Last) bool { return true }, func(_ context.Context, l kept.Last) kept.Last { return told(l) })
	if err != nil {
		t.Fatal(err)
	}
}

func (r *rig) command() *cobra.Command {
	return newCommand(Parts{
		Choices: Choices{
			Dirs:   r.dirs,
			Config: func() Config { return r.config },
			Save: func(apply func(Config) Config, _ string) error {
				r.config = apply(r.config)
				return nil
			},
			Kept: func(name, _ string) kept.Place { return r.place(name) },
		},
		Settings: func() error { return r.broken },
		Ago:      func(d time.Duration) string { return d.String() + " ago" },
		Now:      func() time.Time { return testNow },
		terminal: func(any) bool { return r.terminal },
		width:    func(any) int { return defaultWidth },
	})
}

// ran is the result of a command line. The wording is cut out of errs.
type ran struct {
	out, errs string
	exit      int
	sentence  string
}

// wording stands for the paragraphs about a source at its host.
func wording(name, host string) string { return "wording of " + name + " at " + host + "\n" }

func (r *rig) run(ctx context.Context, in io.Reader, args ...string) ran {
	var out, errs strings.Builder
	cmd := r.command() //nolint:contextcheck // a command has its own
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetIn(in)
	cmd.SetOut(&out)
	cmd.SetErr(&errs)
	cmd.SetArgs(append([]string{}, args...)) // nil would be those of the test
	err := cmd.ExecuteContext(ctx)
	told := errs.String()
	for _, s := range Sources(r.dirs) {
		for _, host := range []string{hostCursor, hostWindsurf, hostEU, "portal.example.com"} {
			told = strings.Replace(told, paragraphs(s.Wording(host), defaultWidth), wording(s.Name, host), 1)
		}
	}
	return ran{out.String(), told, say.Exit(err), say.Sentence(err, "")}
}

func TestCommandLists(t *testing.T) {
	t.Parallel()
	answered := func(l kept.Last) kept.Last { return l.Answered([]byte(`{}`), "") }
	failing := func(l kept.Last) kept.Last {
		return l.Failing(&say.Error{Code: "offline", What: "There is no way to " + hostCursor + " at the moment.", Cure: "Look at the network."})
	}
	tests := []struct {
		name string
		make func(t *testing.T, r *rig)
	}{
		{"nothing", func(*testing.T, *rig) {}},
		{"off", func(t *testing.T, r *rig) {
			t.Helper()
			r.write(t, devinFile, devinAt("https://server.codeium.com"))
			r.write(t, cursorState, "")
			r.write(t, "~/.config/Windsurf - Next/User/globalStorage/state.vscdb", "")
			r.keep(t, "cursor", time.Hour, answered) // of an earlier consent
		}},
		{"not_asked", func(t *testing.T, r *rig) {
			t.Helper()
			r.write(t, cursorState, "")
			r.config = r.config.With("cursor", hostCursor).With("devin-cli", hostEU)
		}},
		{"under_way", func(t *testing.T, r *rig) {
			t.Helper()
			r.write(t, cursorState, "")
			r.config = r.config.With("cursor", hostCursor)
			r.keep(t, "cursor", time.Minute, func(l kept.Last) kept.Last { return l })
		}},
		{"answered", func(t *testing.T, r *rig) {
			t.Helper()
			r.write(t, cursorState, "")
			r.config = r.config.With("cursor", hostCursor)
			r.keep(t, "cursor", 3*time.Minute, answered)
		}},
		{"failed", func(t *testing.T, r *rig) {
			t.Helper()
			r.write(t, cursorState, "")
			r.config = r.config.With("cursor", hostCursor)
			r.keep(t, "cursor", 3*time.Minute, failing)
		}},
		{"failed_after_an_answer", func(t *testing.T, r *rig) {
			t.Helper()
			r.write(t, cursorState, "")
			r.config = r.config.With("cursor", hostCursor)
			r.keep(t, "cursor", 2*time.Hour, answered)
			r.keep(t, "cursor", 3*time.Minute, failing)
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := &rig{disk: newDisk(t, "linux")}
			tt.make(t, r)
			text, asJSON := r.run(t.Context(), nil), r.run(t.Context(), nil, "--json")
			probetest.Golden(t, "list/"+tt.name+".txt", []byte(text.out))
			probetest.Golden(t, "list/"+tt.name+".json", []byte(asJSON.out))
			text.out, asJSON.out = "", ""
			if text != (ran{}) || asJSON != (ran{}) {
				t.Errorf("got %+v, %+v", text, asJSON)
			}
		})
	}
}

func TestCommandAllows(t *testing.T) {
	t.Parallel()
	const portal = "https://portal.example.com/_route/api_server"
	tests := []struct {
		name     string
		devin    string // the URL in the sign-in of Devin's command line; "" for none
		before   []string
		terminal bool
		answer   string
		args     []string
		want     ran
		allow    []string
	}{
		{
			"yes", "", nil, true, "y\n",
			[]string{"cursor"},
			ran{out: "cursor may be asked at api2.cursor.sh from now on. `windsock cloud deny cursor` ends that.\n", errs: wording("cursor", hostCursor) + "Allow this, at api2.cursor.sh? [y/N] "},
			[]string{"cursor@api2.cursor.sh"},
		},
		{
			"no", "", nil, true, "\n",
			[]string{"cursor"},
			ran{out: "Nothing was changed.\n", errs: wording("cursor", hostCursor) + "Allow this, at api2.cursor.sh? [y/N] "},
			nil,
		},
		{"no_terminal", portal, nil, false, "", []string{"devin-cli"}, ran{exit: 2, sentence: "There is no terminal to ask you on. Add --yes to go on without asking."}, nil},
		{
			"flag", "https://eu.windsurf.com/_route/api_server", nil, false, "",
			[]string{"devin-cli", "--yes"},
			ran{out: "devin-cli may be asked at eu.windsurf.com from now on. `windsock cloud deny devin-cli` ends that.\n", errs: wording("devin-cli", hostEU)},
			[]string{"devin-cli@eu.windsurf.com"},
		},
		{
			"known_host_typed", "https://eu.windsurf.com/_route/api_server", nil, false, "",
			[]string{"devin-cli@EU.windsurf.com", "-y"},
			ran{out: "devin-cli may be asked at eu.windsurf.com from now on. `windsock cloud deny devin-cli` ends that.\n", errs: wording("devin-cli", hostEU)},
			[]string{"devin-cli@eu.windsurf.com"},
		},
		{
			"already", "",
			[]string{"cursor@api2.cursor.sh"},
			true, "",
			[]string{"cursor"},
			ran{out: "cursor may be asked at api2.cursor.sh already. Nothing was changed.\n"},
			[]string{"cursor@api2.cursor.sh"},
		},
		{
			"host_has_changed", "https://eu.windsurf.com/_route/api_server",
			[]string{"devin-cli@server.codeium.com"},
			true, "n\n",
			[]string{"devin-cli"},
			ran{out: "Nothing was changed.\n", errs: wording("devin-cli", hostEU) + "Allow this, at eu.windsurf.com? [y/N] "},
			[]string{"devin-cli@server.codeium.com"},
		},
		{
			"changed_host_allowed", "https://eu.windsurf.com/_route/api_server",
			[]string{"devin-cli@server.codeium.com", "cursor@api2.cursor.sh"},
			true, "yes\n",
			[]string{"devin-cli"},
			ran{out: "devin-cli may be asked at eu.windsurf.com from now on. `windsock cloud deny devin-cli` ends that.\n", errs: wording("devin-cli", hostEU) + "Allow this, at eu.windsurf.com? [y/N] "},
			[]string{"cursor@api2.cursor.sh", "devin-cli@eu.windsurf.com"},
		},
		{
			"unknown_host", portal, nil, true, "y\n",
			[]string{"devin-cli", "--yes"},
			ran{exit: 4, sentence: "The sign-in of Devin CLI is used at portal.example.com, which Windsock does not know. If that is your company's host, allow it by name: `windsock cloud allow devin-cli@portal.example.com`."},
			nil,
		},
		{
			"unknown_host_typed", portal, nil, false, "",
			[]string{"devin-cli@portal.example.com", "--yes"},
			ran{out: "devin-cli may be asked at portal.example.com from now on. `windsock cloud deny devin-cli` ends that.\n", errs: wording("devin-cli", "portal.example.com")},
			[]string{"devin-cli@portal.example.com"},
		},
		{
			"another_host_typed", portal, nil, false, "",
			[]string{"devin-cli@eu.windsurf.com", "--yes"},
			ran{exit: 4, sentence: "The sign-in of Devin CLI is used at portal.example.com, and Windsock asks at no other host. `windsock cloud allow devin-cli@portal.example.com` allows that one."},
			nil,
		},
		{
			"another_host_of_cursor", "", nil, false, "",
			[]string{"cursor@portal.example.com", "--yes"},
			ran{exit: 4, sentence: "The sign-in of Cursor is used at api2.cursor.sh, and Windsock asks at no other host. `windsock cloud allow cursor@api2.cursor.sh` allows that one."},
			nil,
		},
		{"typo", "", nil, true, "y\n", []string{"curser"}, ran{exit: 2, sentence: "Windsock knows no sign-in \"curser\". Did you mean cursor?"}, nil},
		{
			"unknown_name", "", nil, true, "y\n",
			[]string{"emacs"},
			ran{exit: 2, sentence: "Windsock knows no sign-in \"emacs\". It knows windsurf, windsurf-next, windsurf-insiders, windsurf-eu, windsurf-fed, windsurf-secure, windsurf-dev, devin-cli, cursor."},
			nil,
		},
		{"no_name", "", nil, true, "", nil, ran{exit: 2, sentence: "cloud allow takes the name of one sign-in; `windsock cloud` lists them"}, nil},
		{"no_host", "", nil, true, "", []string{"cursor@"}, ran{exit: 2, sentence: "there is no host behind the @ of cursor@"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := &rig{disk: newDisk(t, "linux"), config: Config{Allow: tt.before}, terminal: tt.terminal}
			if tt.devin != "" {
				r.write(t, devinFile, devinAt(tt.devin))
			}
			got := r.run(t.Context(), strings.NewReader(tt.answer), append([]string{"allow"}, tt.args...)...)
			if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(ran{})); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(tt.allow, r.config.Allow); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestCommandAllowsAnotherHost: nothing of the former host is left, as a failure that would keep
// Windsock from asking at the new one.
func TestCommandAllowsAnotherHost(t *testing.T) {
	t.Parallel()
	r := &rig{disk: newDisk(t, "linux"), config: Config{Allow: []string{"devin-cli@" + hostWindsurf}}}
	r.write(t, devinFile, devinAt("https://eu.windsurf.com/_route/api_server"))
	r.keep(t, "devin-cli", time.Minute, func(l kept.Last) kept.Last { return l.Failing(&Failure{Code: HostNotAllowed}) })
	r.run(t.Context(), nil, "allow", "devin-cli", "--yes")
	if diff := cmp.Diff(kept.Last{}, r.place("devin-cli").Read()); diff != "" {
		t.Error(diff)
	}
}

func TestCommandInterrupted(t *testing.T) {
	t.Parallel()
	r := &rig{disk: newDisk(t, "linux"), terminal: true}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	in, _ := io.Pipe()
	if got := r.run(ctx, in, "allow", "cursor"); got.exit != say.ExitInterrupted || !strings.HasSuffix(got.errs, "[y/N] \n"+unchanged) || r.config.Allow != nil {
		t.Errorf("got %+v, %v", got, r.config)
	}
}

func TestCommandDenies(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		before []string
		args   []string
		want   ran
		allow  []string
	}{
		{
			"allowed",
			[]string{"cursor@api2.cursor.sh", "devin-cli@eu.windsurf.com"},
			[]string{"cursor"},
			ran{out: "cursor is not asked any more, and its last answer is forgotten.\n"},
			[]string{"devin-cli@eu.windsurf.com"},
		},
		{"with_host", []string{"devin-cli@eu.windsurf.com"}, []string{"devin-cli@eu.windsurf.com"}, ran{out: "devin-cli is not asked any more, and its last answer is forgotten.\n"}, []string{}},
		{"of_a_later_version", []string{"emacs@emacs.example.com"}, []string{"emacs"}, ran{out: "emacs is not asked any more, and its last answer is forgotten.\n"}, []string{}},
		{"not_allowed", nil, []string{"cursor"}, ran{out: "cursor was not allowed. Nothing is asked.\n"}, nil},
		{"typo", []string{"cursor@api2.cursor.sh"}, []string{"devin"}, ran{exit: 2, sentence: "Windsock knows no sign-in \"devin\". Did you mean devin-cli?"}, []string{"cursor@api2.cursor.sh"}},
		{"no_name", nil, nil, ran{exit: 2, sentence: "cloud deny takes the name of one sign-in; `windsock cloud` lists them"}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := &rig{disk: newDisk(t, "linux"), config: Config{Allow: tt.before}}
			r.keep(t, "cursor", time.Minute, func(l kept.Last) kept.Last { return l })
			if diff := cmp.Diff(tt.want, r.run(t.Context(), nil, append([]string{"deny"}, tt.args...)...), cmp.AllowUnexported(ran{})); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(tt.allow, r.config.Allow); diff != "" {
				t.Error(diff)
			}
			if gone := r.place("cursor").Read().Asked.IsZero(); gone != (tt.want.exit == 0 && tt.args[0] == "cursor") {
				t.Errorf("the last answer is gone: %t", gone)
			}
		})
	}
}

// TestCommandBrokenSettings: what is allowed is not known, so nothing is said of it or
// changed.
func TestCommandBrokenSettings(t *testing.T) {
	t.Parallel()
	r := &rig{disk: newDisk(t, "linux"), broken: errors.New("broken"), terminal: true}
	for _, args := range [][]string{{}, {"--json"}, {"allow", "cursor"}, {"deny", "cursor"}} {
		if got := r.run(t.Context(), nil, args...); got != (ran{exit: 1}) {
			t.Errorf("%q: %+v", args, got)
		}
	}
}

func TestCommandCompletes(t *testing.T) {
	t.Parallel()
	r := &rig{disk: newDisk(t, "linux"), config: Config{Allow: []string{"windsurf@" + hostWindsurf}}}
	r.write(t, devinFile, "")
	r.write(t, windsurfState, "")
	for line, want := range map[string]string{"allow": "devin-cli\tDevin CLI\n:4\n", "deny": "windsurf\tWindsurf\n:4\n", "allow x": ":4\n"} {
		got := r.run(t.Context(), nil, append(append([]string{cobra.ShellCompRequestCmd}, strings.Fields(line)...), "")...)
		if got.out != want {
			t.Errorf("%s: %q, want %q", line, got.out, want)
		}
	}
}
