package e2e

import (
	"context"
	"fmt"
	"image"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/probe/simulator"
	"windsock/probe/simulator/simtest"
	"windsock/tray/traytest"
)

// testKey is the API key of the account that is signed in.
const testKey = "sk-ws-01-tray-test-key"

// editor is a simulated editor in a session: signed in, and with a server or
// not.
type editor struct {
	bus    *traytest.Bus
	server *simulator.Process
	// others run beside it.
	others []*simulator.Process
	// tokens are those of all servers there were.
	tokens []string
}

// signIn makes an editor that does not run.
func signIn(t *testing.T, bus *traytest.Bus) *editor {
	t.Helper()
	dir := filepath.Join(bus.Dir(), "home", ".config", "Windsurf")
	if err := simtest.SignIn(dir, simtest.Auth{Key: testKey}); err != nil {
		t.Fatal(err)
	}
	e := &editor{bus: bus}
	e.writePIDs(t)
	t.Cleanup(func() { // before that of the session, which removes it
		if t.Failed() {
			log, _ := os.ReadFile(filepath.Join(bus.Dir(), "home", ".local", "state", "windsock", "windsock.log")) // none without an app
			t.Logf("the app's log:\n%s", log)
		}
	})
	return e
}

// start starts the editor with a scenario.
func (e *editor) start(t *testing.T, c simulator.Config) {
	t.Helper()
	root := filepath.Join(e.bus.Dir(), "editor")
	if err := os.MkdirAll(root, 0o700); err != nil {
		t.Fatal(err)
	}
	server := simtest.Start(t, simulator.Options{
		Root: root, IDEName: "windsurf", App: "usr/share/windsurf", RunChild: true, Config: c,
	})
	e.server = server
	e.tokens = append(e.tokens, server.Ready().Token)
	e.writePIDs(t)
}

// beside starts another editor, which the app sees, too.
func (e *editor) beside(t *testing.T, o simulator.Options) *simulator.Process {
	t.Helper()
	o.Root = filepath.Join(e.bus.Dir(), "editor")
	server := simtest.Start(t, o)
	e.others = append(e.others, server)
	e.writePIDs(t)
	return server
}

// quit ends the editor.
func (e *editor) quit(t *testing.T) {
	t.Helper()
	if err := e.server.Stop(); err != nil {
		t.Fatal(err)
	}
}

func (e *editor) writePIDs(t *testing.T) {
	t.Helper()
	var pids []string
	for _, server := range append([]*simulator.Process{e.server}, e.others...) {
		if server == nil {
			continue
		}
		for _, pid := range server.PIDs() {
			pids = append(pids, fmt.Sprint(pid))
		}
	}
	replaceFile(t, e.pids(), strings.Join(pids, " "))
}

// replaceFile puts a whole file in the place of another one: the app may read it at
// any moment, and half of one says something else.
func replaceFile(t *testing.T, file, text string) {
	t.Helper()
	whole := file + ".new"
	if err := os.WriteFile(whole, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(whole, file); err != nil {
		t.Fatal(err)
	}
}

func (e *editor) pids() string { return filepath.Join(e.bus.Dir(), "pids") }

// windsock starts the app, which asks every second. It sees this editor alone.
func (e *editor) windsock(t *testing.T, args ...string) *traytest.Process {
	t.Helper()
	return e.bus.Start(t, e.command(t, args...))
}

func (e *editor) command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	program := filepath.Join(e.bus.Dir(), "bin", "windsock")
	if _, err := os.Stat(program); err != nil {
		install(t, program)
	}
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), program, args...)
	cmd.Env = []string{pidsFile + "=" + e.pids(), testInterval + "=1s", "TZ=UTC"}
	return cmd
}

// leavesNothing checks what is on disk after the end. The lock file stays.
func leavesNothing(t *testing.T, e *editor) {
	t.Helper()
	var left []string
	for _, dir := range []string{"tmp", "run"} {
		root := filepath.Join(e.bus.Dir(), dir)
		err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() && d.Name() != "windsock.lock" {
				left = append(left, path)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
	if left != nil {
		t.Errorf("still there: %q", left)
	}
}

// tellsNoSecret checks everything that the app has written.
func tellsNoSecret(t *testing.T, e *editor, app *traytest.Process) {
	t.Helper()
	told := map[string]string{"output": app.Output()}
	state := filepath.Join(e.bus.Dir(), "home", ".local", "state", "windsock")
	err := filepath.WalkDir(state, func(path string, f os.DirEntry, err error) error {
		if err != nil || !f.Type().IsRegular() || f.Name() == "api-key" {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		told[strings.TrimPrefix(path, state+"/")] = string(content)
		if info, err := f.Info(); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	if !strings.Contains(told["windsock.log"], "figures had") {
		t.Errorf("log: %q", told["windsock.log"])
	}
	for name, text := range told {
		for _, secret := range append(e.tokens, testKey) {
			if strings.Contains(text, secret) {
				t.Errorf("%s tells %q", name, secret)
			}
		}
	}
}

// patience is how long something may take that comes in the end, on a machine that
// does much else: two tries of the app's may be a minute apart.
const patience = 2 * time.Minute

// waitFor waits until something has come about.
func waitFor(t *testing.T, what string, done func() bool) {
	t.Helper()
	limit := patience
	if end, ok := t.Deadline(); ok { // otherwise there would be stacks in place of the cause
		limit = max(time.Second, min(limit, time.Until(end)-5*time.Second))
	}
	for deadline := time.Now().Add(limit); !done(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within %v: %s", limit.Round(time.Second), what)
		}
	}
}

// soon reports whether something comes about before it is worth another try.
func soon(done func() bool) bool {
	for end := time.Now().Add(10 * time.Second); !done(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			return false
		}
	}
	return true
}

// eventually waits until a text is the one that is wanted, and tells else how the
// last one differs.
func eventually(t *testing.T, what, want string, read func() string) {
	t.Helper()
	var last string
	defer func() {
		if last != want {
			t.Logf("%s (-want +got):\n%s", what, cmp.Diff(want, last))
		}
	}()
	waitFor(t, what, func() bool { last = read(); return last == want })
}

// iconBeside is the icon while a part is in the menu. Where a fetch takes long, the
// figures become stale for a moment, and a look then finds the icon of stale ones; it
// changes before the menu does.
func iconBeside(t *testing.T, item *traytest.Item, part string) *image.NRGBA {
	t.Helper()
	var icon *image.NRGBA
	there := func() bool { return strings.Contains(item.MenuText(t), part) }
	waitFor(t, "an icon beside "+part, func() bool {
		icon = item.Icon(t)
		return there() && traytest.Changed(icon, item.Icon(t)).Empty() && there()
	})
	return icon
}

// What no test can know beforehand: near is a time to go, or a date near now, which may
// have a line of its own; when is the moment of a forecast, and left its range; hourly is
// a verdict on a day, which depends on the hour.
var (
	near   = regexp.MustCompile(`( ·|\n   )? resets (in [0-9dhm ]+|soon) \([^)]*\)`)
	when   = regexp.MustCompile(strings.ReplaceAll(` · (between M and M|from M on|(by|on|around) M|M|at any (time|moment))`, "M", `((this|next) \w+|\d+:\d\d( [AP]M)?|\d+ [A-Z][a-z]{2}|(Sun|Mon|Tue|Wed|Thu|Fri|Sat))\b`))
	left   = regexp.MustCompile(`\d+–\d+ % left`)
	hourly = regexp.MustCompile(`Fast day: may be used up (by the evening|before the reset)|Even odds to last|May run out, \d in 10`)
)

func dateless(text string) string {
	text = near.ReplaceAllString(text, " · resets in … (…)")
	text = when.ReplaceAllString(text, " · some time")
	text = left.ReplaceAllString(text, "N–N % left")
	return hourly.ReplaceAllString(text, "As the hour is")
}
