package e2e

import (
	"bytes"
	"encoding/json"
	"flag"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/probe/simulator/account"
	"windsock/tray/traytest"
)

// packaging/upgrade.sh sets these, in namespaces of its own.
var (
	oldPackage = flag.String("old", "", "the deb of an older Windsock, which TestUpgrade replaces by -new")
	newPackage = flag.String("new", "", "the deb that replaces -old")
	leftBehind = flag.String("leave", "", "where TestUpgrade leaves a copy of what the older one kept")
)

// kept is what has to stay.
type kept struct {
	// Begun is the household's, Left when the older Windsock was used last.
	Begun, Left time.Time
	// Samples are the rows of the older one's history, without their plan.
	Samples [][]string
	// Cleaned are the cascades that clean has archived, Killed that of a killed prompt.
	Cleaned []string
	Killed  string

	// things are files that have to stay byte for byte, by their paths in the home.
	things map[string]string
}

// live lives in a home with the older Windsock: settings, warnings, a mute, a start at
// login, a model, cleaning, the local API, and a prompt that is killed. The app still runs
// then.
func (h *household) live() (k kept, app *traytest.Process) {
	h.t.Helper()
	file := strings.TrimSpace(h.run("config", "--init"))
	text, err := os.ReadFile(file)
	if err == nil {
		err = os.WriteFile(file, []byte(strings.NewReplacer(personalSettings...).Replace(string(text))), 0o600)
	}
	if err != nil {
		h.t.Fatal(err)
	}
	h.serve()
	app = h.bus.Start(h.t, h.windsock())
	item := h.bus.Item(h.t, app.PID())
	item.WaitMenuContains(h.t, "Mute warnings: Daily quota, Weekly quota")
	h.bus.WaitNotifications(h.t, 1)
	do := h.page(item)
	do(http.MethodPost, "/api/autostart", `{"on":true}`)
	do(http.MethodPost, "/api/mutes", `{"plan":"windsurf","meter":"daily_quota","muted":true}`)
	item.WaitMenuContains(h.t, "Mute warnings: Weekly quota")
	do(http.MethodPost, "/api/ask", `{"text":"hello","model":"`+lastModel+`"}`)
	h.sent(1)

	before := h.listed()
	h.run("clean", "--yes", "--older-than", "1h", "--keep", "2")
	k.Cleaned = without(before, h.listed())
	api := h.bus.Start(h.t, h.windsock("serve"))
	waitFor(h.t, "a local API", func() bool { _, err := os.Stat(h.state("api-port")); return err == nil })
	api.Stop()

	before = h.listed()
	prompt := h.bus.Start(h.t, h.windsock("ask", "turn:slow"))
	h.sent(2)
	prompt.Signal(h.t, syscall.SIGKILL)
	prompt.Wait(h.t)
	if killed := without(h.listed(), before); len(killed) == 1 {
		k.Killed = killed[0]
	}
	k.Begun, k.Left, k.Samples, k.things = h.begun, time.Now().UTC().Truncate(time.Second), h.samples(), h.things()
	if len(k.Cleaned) == 0 || k.Killed == "" || len(k.things) != 3 {
		h.t.Fatalf("left behind: %+v", k)
	}
	return k, app
}

// stays checks with the newer Windsock that all is as the older one has left it. The
// editor runs.
func (h *household) stays(k kept) {
	h.t.Helper()
	if said := h.run("config", "--check"); said != "config.toml is fine.\n" {
		h.t.Error(said)
	}
	if diff := cmp.Diff(k.Samples, h.samples()); diff != "" {
		h.t.Errorf("history (-older +newer):\n%s", diff)
	}
	told := len(h.bus.Notifications(h.t))
	listed := h.listed()
	if !slices.Contains(listed, k.Killed) {
		h.t.Fatalf("%s is not in %v", k.Killed, listed)
	}
	app := h.bus.Start(h.t, h.windsock())
	item := h.bus.Item(h.t, app.PID())
	item.WaitMenuContains(h.t, "Mute warnings: Weekly quota", "Local API  [ ]")
	waitFor(h.t, "the queue to be archived", func() bool { return slices.Equal(h.listed(), without(listed, []string{k.Killed})) })
	do := h.page(item)
	var window struct {
		Last      string
		Autostart struct{ On bool }
	}
	for _, path := range []string{"/api/models", "/api/settings"} {
		if err := json.Unmarshal([]byte(do(http.MethodGet, path, "")), &window); err != nil {
			h.t.Error(err)
		}
	}
	if window.Last != lastModel || !window.Autostart.On {
		h.t.Errorf("the window has %+v", window)
	}
	h.run("doctor")

	h.run("clean", "--undo", "--yes")
	if back := without(h.listed(), listed); !slices.Equal(back, k.Cleaned) {
		h.t.Errorf("the undo has put back %v, want %v", back, k.Cleaned)
	}
	api := h.bus.Start(h.t, h.windsock("serve"))
	waitFor(h.t, "a local API", func() bool { _, err := os.Stat(h.state("api-port")); return err == nil })
	api.Stop()

	// What was told is not told again, what is muted is not told at all, and what is new is.
	// That both quotas are used up is told in one.
	h.quit(h.t)
	h.serve(account.Charge{At: h.begun.Add(time.Second), Cost: account.Cost{Unit: account.Quota, Amount: 80}})
	item.WaitMenuContains(h.t, "Daily quota: Used up", "Weekly quota: Used up")
	notes := h.bus.WaitNotifications(h.t, told+1)
	if len(notes) != told+1 || !strings.HasPrefix(notes[told].Summary, "On extra usage") {
		h.t.Errorf("told: %+v", notes[told:])
	}
	app.Signal(h.t, syscall.SIGTERM)
	if code := app.Wait(h.t); code != 0 {
		h.t.Errorf("exit code %d, %s", code, app.Output())
	}
	if diff := cmp.Diff(k.things, h.things()); diff != "" {
		h.t.Errorf("files (-older +newer):\n%s", diff)
	}
	h.tidy()
}

// tidy checks that nothing of the first edition's files lies beside what has taken them
// over.
func (h *household) tidy() {
	h.t.Helper()
	var names []string
	files, err := os.ReadDir(h.path(".local", "state", "windsock"))
	for _, file := range files {
		names = append(names, file.Name())
	}
	if diff := cmp.Diff([]string{"api-key", "api.lock", "history.db", "windsock.log"}, names); err != nil || diff != "" {
		h.t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// firstHome is a home that the first edition has left: what packaging/upgrade.sh -record
// has kept of one.
const firstHome = "testdata/first_edition"

// TestFirstHome starts the app in a home of the first edition.
func TestFirstHome(t *testing.T) {
	t.Parallel()
	h := newHousehold(t)
	var k kept
	text, err := os.ReadFile(filepath.Join(firstHome, "kept.json"))
	if err == nil {
		err = json.Unmarshal(text, &k)
	}
	if err == nil {
		err = os.CopyFS(h.path(), os.DirFS(filepath.Join(firstHome, "home")))
	}
	if err == nil {
		err = os.Chmod(h.state("api-key"), 0o600) // which a checkout does not keep
	}
	if err != nil {
		t.Fatal(err)
	}
	// It was installed there, and the test's program lies elsewhere.
	entry := h.path(".config", "autostart", "windsock.desktop")
	text, err = os.ReadFile(entry)
	if err != nil {
		t.Fatal(err)
	}
	program := h.windsock().Path
	if err := os.WriteFile(entry, bytes.ReplaceAll(text, []byte("/usr/bin/windsock"), []byte(program)), 0o600); err != nil {
		t.Fatal(err)
	}
	h.begun, h.now, k.things = k.Begun, k.Left.Add(time.Minute), h.things()
	h.serve()
	h.stays(k)
}

// TestUpgrade replaces the package of an older Windsock, of which the app runs or not.
// packaging/upgrade.sh makes the packages, and a place where they can be installed.
func TestUpgrade(t *testing.T) {
	if *oldPackage == "" {
		t.Skip("packaging/upgrade.sh runs it")
	}
	for _, running := range []bool{false, true} {
		t.Run(map[bool]string{false: "ended", true: "running"}[running], func(t *testing.T) {
			install := func(deb string) {
				t.Helper()
				if out, err := exec.CommandContext(t.Context(), "dpkg", "-i", deb).CombinedOutput(); err != nil {
					t.Fatalf("%v: %s", err, out)
				}
			}
			install(*oldPackage)
			h := newHousehold(t)
			h.program = "/usr/bin/windsock"
			k, app := h.live()
			end := func() {
				app.Signal(t, syscall.SIGTERM)
				if code := app.Wait(t); code != 0 {
					t.Errorf("the older app: exit code %d, %s", code, app.Output())
				}
			}
			if !running {
				end()
				if *leftBehind != "" {
					h.leave(k)
				}
			}
			install(*newPackage)
			if running {
				second := h.bus.Start(t, h.windsock())
				if code := second.Wait(t); code != 0 || !strings.Contains(second.Output(), "already running") {
					t.Errorf("a second start: exit code %d, %s", code, second.Output())
				}
				h.run("status")
				end()
			}
			// The cascade of a prompt that was sent just now is left alone.
			waitFor(t, "its turn to have begun", func() bool { return time.Since(k.Left) > 25*time.Second })
			h.stays(k)

			// Nobody promises the way back, but it destroys nothing.
			install(*oldPackage)
			h.run("status")
			again := h.bus.Start(t, h.windsock("history"))
			t.Logf("the older one's history ends with %d: %s", again.Wait(t), again.Output())
			install(*newPackage)
			if got := h.samples(); !cmp.Equal(k.Samples, got[:len(k.Samples)]) {
				t.Errorf("history (-older +newer):\n%s", cmp.Diff(k.Samples, got))
			}
		})
	}
}

// leave copies what the older Windsock and the editor have kept, for TestFirstHome.
func (h *household) leave(k kept) {
	h.t.Helper()
	text, err := json.MarshalIndent(k, "", "\t")
	if err != nil {
		h.t.Fatal(err)
	}
	for _, dir := range []string{".config/windsock", ".config/autostart", ".local/state/windsock", ".codeium"} {
		if err := os.CopyFS(filepath.Join(*leftBehind, "home", dir), os.DirFS(h.path(dir))); err != nil {
			h.t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(*leftBehind, "kept.json"), append(text, '\n'), 0o600); err != nil {
		h.t.Fatal(err)
	}
}
