package agy

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/probe/say"
)

// rig is a person's machine for the command.
type rig struct {
	dirs     Dirs
	program  string
	terminal bool
	line     func([]byte, time.Time) string
	now      time.Time
}

func newRig(t *testing.T) *rig {
	t.Helper()
	dir := t.TempDir()
	return &rig{
		dirs: Dirs{Home: filepath.Join(dir, "home"), State: filepath.Join(dir, "state")}, program: filepath.Join(dir, "windsock"),
		line: func(raw []byte, _ time.Time) string { return "line of " + string(raw) },
		now:  time.Date(2026, 11, 22, 18, 30, 0, 0, time.UTC),
	}
}

// ran is the result of a command line.
type ran struct {
	out, errs string
	exit      int
	sentence  string
}

func (r *rig) run(ctx context.Context, stdin io.Reader, args ...string) ran {
	var out, errs strings.Builder
	cmd := newCommand(Parts{ //nolint:contextcheck // a command has its own
		Dirs: func() (Dirs, error) { return r.dirs, nil }, Program: r.program, Line: r.line,
		Now: func() time.Time { return r.now }, terminal: func(any) bool { return r.terminal },
	})
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetIn(stdin)
	cmd.SetOut(&out)
	cmd.SetErr(&errs)
	cmd.SetArgs(args)
	err := cmd.ExecuteContext(ctx)
	return ran{out.String(), errs.String(), say.Exit(err), say.Sentence(err, "")}
}

func (r *rig) write(t *testing.T, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(r.dirs.settings()), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(r.dirs.settings(), []byte(text), 0o640); err != nil { // its mode is kept
		t.Fatal(err)
	}
}

// files are the texts below the home and state directories, with their modes.
func (r *rig) files(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, dir := range []string{r.dirs.Home, r.dirs.State} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) || err == nil && d.IsDir() {
				return nil
			}
			text, _ := os.ReadFile(path) // an unreadable one has none
			info, _ := d.Info()
			mode := info.Mode().String()
			if runtime.GOOS == "windows" {
				mode = ""
			}
			all[filepath.Base(path)] = strings.TrimSpace(mode + " " + string(text))
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

const settingsText = `{"model":"x"}`

// withRigsLine is settingsText with the line of the rig's program.
func (r *rig) withRigsLine(t *testing.T) string {
	t.Helper()
	command, err := commandOf(r.program, runtime.GOOS)
	if err != nil {
		t.Fatal(err)
	}
	text, err := withLine([]byte(settingsText), command)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestInstallAsks(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]bool{"y\n": true, "YES\n": true, "\n": false, "n\n": false, "yeah\n": false, "": false} {
		t.Run(strings.TrimSpace(answer), func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.terminal = true
			r.write(t, settingsText)
			got := r.run(t.Context(), strings.NewReader(answer), "install")
			wantFiles := map[string]string{"settings.json": "-rw-r----- " + settingsText}
			said := unchanged
			if want {
				wantFiles = map[string]string{
					"settings.json":                 "-rw-r----- " + r.withRigsLine(t),
					"settings.json.windsock-backup": "-rw------- " + settingsText,
				}
				said = installed
			}
			if runtime.GOOS == "windows" {
				for name, text := range wantFiles {
					_, wantFiles[name], _ = strings.Cut(text, " ")
				}
			}
			if diff := cmp.Diff(wantFiles, r.files(t)); diff != "" || got.out != said || got.exit != 0 {
				t.Errorf("%s, got %+v", diff, got)
			}
			for _, fact := range []string{shownSettings, "statusLine", filepath.ToSlash(r.program), "settings.json.windsock-backup", "uninstall", "e-mail", "transcript", "Add the line? [y/N] "} {
				if !strings.Contains(got.errs, fact) {
					t.Errorf("it says nothing of %s:\n%s", fact, got.errs)
				}
			}
		})
	}
}

// TestInstallRefuses: what cannot be merged is left as it is, without a copy.
func TestInstallRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		yes        bool
		exit       int
		says       string
	}{
		{"no_terminal", settingsText, false, 2, "--yes"},
		{"others", `{"statusLine":{"command":"secret-line"}}`, true, 1, "a status line already"},
		{"comments", "{} // mine", true, 1, "not plain JSON"},
		{"double_key", `{"a":1,"a":1}`, true, 1, "a key twice"},
		{"too_large", `{"a":"` + strings.Repeat("x", maxSettings) + `"}`, true, 1, "too large"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.write(t, tt.text)
			before := r.files(t)
			args := []string{"install"}
			if tt.yes {
				args = append(args, "--yes")
			}
			got := r.run(t.Context(), strings.NewReader("y\n"), args...)
			if diff := cmp.Diff(before, r.files(t)); diff != "" {
				t.Error(diff)
			}
			if got.exit != tt.exit || !strings.Contains(got.sentence, tt.says) || strings.Contains(got.sentence+got.out+got.errs, "secret-line") {
				t.Errorf("got %+v", got)
			}
		})
	}
}

// TestInstallFollowsNoLink: a link stays one, and its target as it is.
func TestInstallFollowsNoLink(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.write(t, settingsText)
	target := filepath.Join(r.dirs.Home, "target")
	if err := errors.Join(os.Rename(r.dirs.settings(), target), os.Symlink(target, r.dirs.settings())); err != nil {
		t.Skip(err) // Windows allows that to some only
	}
	if info, err := os.Lstat(r.dirs.settings()); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Skip("no links here") // Wine makes a copy
	}
	before := r.files(t)
	for _, args := range [][]string{{"install", "--yes"}, {"uninstall"}} {
		if got := r.run(t.Context(), strings.NewReader(""), args...); got.exit != 1 || !strings.Contains(got.sentence, "a link") {
			t.Errorf("%s: %+v", args, got)
		}
	}
	if diff := cmp.Diff(before, r.files(t)); diff != "" {
		t.Error(diff)
	}
}

// TestInstallTwice: without settings they are made; a second time changes nothing, and
// the way back leaves an empty object.
func TestInstallTwice(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	if got := r.run(t.Context(), strings.NewReader(""), "install", "--yes"); got.out != installed || got.exit != 0 || strings.Contains(got.errs, "backup") {
		t.Errorf("got %+v", got)
	}
	before := r.files(t)
	if len(before) != 1 {
		t.Errorf("files %v", before)
	}
	if got := r.run(t.Context(), strings.NewReader(""), "install", "-y"); got != (ran{out: alreadyHas}) {
		t.Errorf("got %+v", got)
	}
	if diff := cmp.Diff(before, r.files(t)); diff != "" {
		t.Error(diff)
	}
	if _, err := r.dirs.keep([]byte(`{"quota":{"gemini-5h":{}}}`), r.now); err != nil {
		t.Fatal(err)
	}
	keepRun(t, r.dirs, r.now, "0.5")
	if got := r.run(t.Context(), strings.NewReader(""), "uninstall"); got != (ran{out: uninstalled}) {
		t.Errorf("got %+v", got)
	}
	want := map[string]string{"settings.json": "-rw------- {}"}
	if runtime.GOOS == "windows" {
		want["settings.json"] = "{}"
	}
	if diff := cmp.Diff(want, r.files(t)); diff != "" {
		t.Error(diff)
	}
	if got := r.run(t.Context(), strings.NewReader(""), "uninstall"); got != (ran{out: noLine}) {
		t.Errorf("got %+v", got)
	}
}

func TestUninstallLeavesOthers(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.write(t, `{"statusLine":{"command":"my-line"}}`)
	before := r.files(t)
	if got := r.run(t.Context(), strings.NewReader(""), "uninstall"); got != (ran{out: othersLine}) {
		t.Errorf("got %+v", got)
	}
	if diff := cmp.Diff(before, r.files(t)); diff != "" {
		t.Error(diff)
	}
}

func TestInstallInterrupted(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.terminal = true
	r.write(t, settingsText)
	before := r.files(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	in, _ := io.Pipe()
	if got := r.run(ctx, in, "install"); got.exit != say.ExitInterrupted || !strings.HasSuffix(got.errs, "[y/N] \n"+unchanged) {
		t.Errorf("got %+v", got)
	}
	if diff := cmp.Diff(before, r.files(t)); diff != "" {
		t.Error(diff)
	}
}

// payload has all that agy tells its status line.
const payload = `{"session_id":"5f3f6f0e-0000-4000-8000-000000000001","conversation_id":"conversation-7f","version":"1.4.0","agent_state":"idle",
"cwd":"/srv/navy/harvard-mark-ii","conversation_title":"Project Nanosecond","transcript_path":"/home/gracehopper7f/.gemini/t.jsonl",
"workspace":{"current_dir":"/srv/navy","project_dir":"/srv/navy/flow-matic"},"email":"grace.hopper@navy-example.org","model":{"id":"gemini-3","display_name":"Gemini 3"},
"plan_tier":"Google AI Pro","quota":{
"gemini-5h":{"remaining_fraction":0.5019274,"reset_time":"2026-06-20T11:27:27Z","reset_in_seconds":8891,"account":"grace.hopper@navy-example.org"},
"3p-weekly":{"remaining_fraction":1.0,"reset_time":"2026-06-27T08:58:32Z"},
"odd":{"remaining_fraction":"grace","reset_time":"Project Nanosecond","reset_in_seconds":{"a":"/srv/navy"}},
"empty":{},"grace.hopper@navy-example.org":{"remaining_fraction":1},"text":"Project Nanosecond","none":null}}`

// keptPayload is what is kept of it.
const keptPayload = `{"at":"2026-11-22T18:30:00Z","plan_tier":"Google AI Pro","quota":{` +
	`"3p-weekly":{"remaining_fraction":1.0,"reset_time":"2026-06-27T08:58:32Z"},` +
	`"empty":{},` +
	`"gemini-5h":{"remaining_fraction":0.5019274,"reset_time":"2026-06-20T11:27:27Z","reset_in_seconds":8891},` +
	`"odd":{"remaining_fraction":null,"reset_in_seconds":null}}}`

// TestStatusLineKeeps: of all that agy tells, figures, tier and time are kept, in a
// file for this user.
func TestStatusLineKeeps(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	if got := r.run(t.Context(), strings.NewReader(payload), "status-line"); got != (ran{out: "line of " + keptPayload + "\n"}) {
		t.Errorf("got %+v", got)
	}
	want := map[string]string{"antigravity-status-line.json": "-rw------- " + keptPayload}
	if runtime.GOOS == "windows" {
		want = map[string]string{"antigravity-status-line.json": keptPayload}
	}
	if diff := cmp.Diff(want, r.files(t)); diff != "" {
		t.Error(diff)
	}
	raw, at, err := r.dirs.StatusLine(r.now.Add(time.Hour))
	if string(raw) != keptPayload || !at.Equal(r.now) || err != nil {
		t.Errorf("got %s, %v, %v", raw, at, err)
	}
}

// TestStatusLineUnusable: what has no figures leaves the last ones, without a word.
func TestStatusLineUnusable(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"nothing": "", "no_quota": `{"plan_tier":"Pro","agent_state":"initializing"}`, "empty": `{"quota":{}}`, "null": "null", "list": "[]", "text": "quota",
		"no_limit": `{"quota":{"gemini-5h":1}}`, "form": `{"quota":[]}`, "cut_off": payload[:len(payload)-1],
		"too_large": `{"cwd":"` + strings.Repeat("x", maxPayload) + `",` + payload[1:],
		"deep":      strings.Repeat("[", 40_000),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			if _, err := r.dirs.keep([]byte(payload), r.now); err != nil {
				t.Fatal(err)
			}
			before := r.files(t)
			r.now = r.now.Add(time.Minute)
			if got := r.run(t.Context(), strings.NewReader(text), "status-line"); got != (ran{}) {
				t.Errorf("got %+v", got)
			}
			if diff := cmp.Diff(before, r.files(t)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestStatusLineWaits: the end of the input is not waited for, and nothing for long.
func TestStatusLineWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		in, out := io.Pipe()
		go func() { _, _ = io.WriteString(out, payload) }()
		start := time.Now()
		if got := readPayload(t.Context(), in); string(got) != payload || time.Since(start) != 0 {
			t.Errorf("got %q after %v", got, time.Since(start))
		}
		if got := readPayload(t.Context(), in); got != nil || time.Since(start) != payloadTime {
			t.Errorf("got %q after %v", got, time.Since(start))
		}
		_ = out.Close() // ends the reader
	})
}

// TestStatusLineWithoutPlace: without a directory for the figures there is a line
// still.
func TestStatusLineWithoutPlace(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	if err := os.WriteFile(r.dirs.State, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := r.run(t.Context(), strings.NewReader(payload), "status-line"); got != (ran{out: "line of " + keptPayload + "\n"}) {
		t.Errorf("got %+v", got)
	}
}

// TestStatusLineAtOnce: several agy at once leave one whole reading.
func TestStatusLineAtOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	done := make(chan error)
	for range 8 {
		go func() {
			var err error
			for range 20 {
				_, kept := r.dirs.keep([]byte(payload), r.now)
				_, _, read := r.dirs.StatusLine(r.now)
				err = errors.Join(err, kept, read)
			}
			done <- err
		}()
	}
	for range 8 {
		if err := <-done; err != nil && runtime.GOOS != "windows" { // there a file that is read cannot be replaced
			t.Error(err)
		}
	}
	if raw, _, err := r.dirs.StatusLine(r.now); string(raw) != keptPayload {
		t.Errorf("got %s, %v", raw, err)
	}
}

func TestStatusLineReadsBack(t *testing.T) {
	t.Parallel()
	const quota = `,"quota":{"gemini-5h":{}}}`
	tests := []struct {
		name, text string
		ok         bool
	}{
		{"past", `{"at":"2026-11-01T00:00:00Z"` + quota, true},
		{"a_little_ahead", `{"at":"2026-11-22T18:31:00Z"` + quota, true},
		{"future", `{"at":"2026-11-22T18:31:01Z"` + quota, false},
		{"no_time", `{"plan_tier":""` + quota, false},
		{"no_quota", `{"at":"2026-11-01T00:00:00Z"}`, false},
		{"broken", `{"at":`, false},
		{"empty", ``, false},
		{"too_large", `{"at":"2026-11-01T00:00:00Z"` + strings.Repeat(" ", maxPayload) + quota, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			if err := errors.Join(os.MkdirAll(r.dirs.State, 0o700), os.WriteFile(r.dirs.figures(), []byte(tt.text), 0o600)); err != nil {
				t.Fatal(err)
			}
			raw, _, err := r.dirs.StatusLine(r.now)
			if (err == nil) != tt.ok || tt.ok && string(raw) != tt.text {
				t.Errorf("got %s, %v", raw, err)
			}
		})
	}
	if _, _, err := newRig(t).dirs.StatusLine(time.Now()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a file: %v", err)
	}
}

func TestLook(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	ours := r.withRigsLine(t)
	steps := []struct {
		settings, figures string
		want              Look
	}{
		{want: Look{}},
		{settings: settingsText, want: Look{Settings: true}},
		{settings: `{"statusLine":{"command":"my-line"}}`, want: Look{Settings: true, Other: true}},
		{settings: "{", want: Look{Settings: true, Unreadable: errNoJSON.Error()}},
		{settings: ours, want: Look{Settings: true, Line: true}},
		{settings: ours, figures: keptPayload, want: Look{Settings: true, Line: true, At: r.now}},
		{settings: ours, figures: "{", want: Look{Settings: true, Line: true, Broken: true}},
	}
	for i, step := range steps {
		if step.settings != "" {
			r.write(t, step.settings)
		}
		if step.figures != "" {
			if err := errors.Join(os.MkdirAll(r.dirs.State, 0o700), os.WriteFile(r.dirs.figures(), []byte(step.figures), 0o600)); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(step.want, r.dirs.Look(r.now)); diff != "" {
			t.Errorf("%d: %s", i, diff)
		}
	}
}

// FuzzReduce: what is kept is JSON that is read back, without a text of the payload but
// the tier and the names of limits.
func FuzzReduce(f *testing.F) {
	f.Add(payload)
	f.Add(`{"plan_tier":7,"quota":{"a":{"remaining_fraction":1e400,"reset_time":"0001-01-01T00:00:00Z"}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		kept, ok := reduce([]byte(text), time.Unix(0, 0))
		if !ok {
			return
		}
		raw, err := json.Marshal(kept)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		var again reading
		if err := json.Unmarshal(raw, &again); err != nil {
			t.Fatalf("%q: %v", raw, err)
		}
		for name, b := range again.Quota {
			if _, err := time.Parse(time.RFC3339Nano, b.ResetTime); !bucketName().MatchString(name) || b.ResetTime != "" && err != nil ||
				strings.ContainsAny(string(b.RemainingFraction)+string(b.ResetInSeconds), `"{[`) {
				t.Errorf("%q keeps %s", text, raw)
			}
		}
	})
}
