package e2e

import (
	"bytes"
	"encoding/csv"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"windsock/probe/simulator"
	"windsock/probe/simulator/account"
	"windsock/tray/traytest"
)

// A household is a home in use, and the Windsock of it.
type household struct {
	*editor

	t       *testing.T
	program string // the installed one; "" is the test's own
	browser fakeBrowser
	pages   int // that the browser was to show
	// begun is when the plan's figures were those of its scenario. now is at what time all
	// clocks stand; zero is that they go on.
	begun, now time.Time
}

func newHousehold(t *testing.T) *household {
	t.Helper()
	bus := traytest.StartBus(t)
	bus.Watch(t, true)
	bus.Notifier(t, "body")
	h := &household{editor: signIn(t, bus), t: t, browser: newFakeBrowser(t, bus), begun: time.Now().UTC().Truncate(time.Second)}
	if err := os.MkdirAll(filepath.Join(bus.Dir(), "editor"), 0o700); err != nil {
		t.Fatal(err)
	}
	return h
}

func (h *household) path(parts ...string) string {
	return filepath.Join(append([]string{h.bus.Dir(), "home"}, parts...)...)
}

func (h *household) state(name string) string { return h.path(".local", "state", "windsock", name) }

// serve starts the editor. Of the quota, so much was spent without it.
func (h *household) serve(spent ...account.Charge) {
	h.t.Helper()
	o := simulator.Options{IDEName: "windsurf", Home: h.path(), Config: simulator.Config{
		Scenario: "quota_tight", Start: h.begun, At: h.now, Elsewhere: spent,
		Cascade: simulator.Cascade{Old: 6, FileSize: 2000, Idle: 50 * time.Millisecond, Tick: slowly},
	}}
	if h.program != "" {
		o.Env = []string{"WINDSOCK_SIMULATOR="} // else an installed one sees what it is
	}
	h.server = h.beside(h.t, o)
}

// windsock is a command of the household's Windsock.
func (h *household) windsock(args ...string) *exec.Cmd {
	h.t.Helper()
	cmd := h.command(h.t, args...)
	if h.program != "" {
		cmd.Path, cmd.Args[0] = h.program, h.program
	}
	cmd.Env = append(cmd.Env, h.browser.env())
	if !h.now.IsZero() {
		cmd.Env = append(cmd.Env, testAhead+"="+time.Until(h.now).String())
	}
	return cmd
}

// run runs a command to its end and returns what it has written.
func (h *household) run(args ...string) string {
	h.t.Helper()
	cmd := h.windsock(args...)
	cmd.Env = append(h.bus.Env(), cmd.Env...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		h.t.Errorf("windsock %s: %v\n%s", strings.Join(args, " "), err, &out)
	}
	return out.String()
}

// page opens the app's window, and returns what a page sends requests with.
func (h *household) page(item *traytest.Item) (do func(method, path, body string) string) {
	h.t.Helper()
	item.Click(h.t, "Quick prompt…")
	h.pages++
	send := enters(h.t.Context(), h.t, h.browser.shown(h.t, h.pages)) //nolint:bodyclose // what is returned does
	return func(method, path, body string) string {
		h.t.Helper()
		answer := send(method, path, body)
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if err != nil || answer.StatusCode >= http.StatusBadRequest {
			h.t.Errorf("%s: %s %s, %v", path, answer.Status, text, err)
		}
		return string(text)
	}
}

// lastModel is the one that the person has asked last in the window.
const lastModel = "claude-opus-4-7"

// settings are those of the person, in the words of config --init.
var personalSettings = []string{
	`#thresholds = [20, 5]`, `thresholds = [30, 10]`,
	`#work_days = []`, `work_days = ["mon", "tue", "wed", "thu", "fri"]`,
	`#clock = "auto"`, `clock = "24h"`,
	`#top_up = true`, `top_up = false`,
	`#port = 42100`, `port = 42117`,
	`#level = "info"`, `level = "debug"`,
}

// sent waits for so many prompts.
func (h *household) sent(n int) {
	h.t.Helper()
	waitFor(h.t, "a prompt that is sent", func() bool { return h.server.Count()["SendUserCascadeMessage"] >= n })
}

// listed are the cascades in the editor's list.
func (h *household) listed() []string {
	h.t.Helper()
	return (&desk{t: h.t}).live(h.server)
}

// without are those of all that are not among others.
func without(all, others []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(one string) bool { return slices.Contains(others, one) })
}

// samples are the rows of the history without their plan, which the first edition did
// not write.
func (h *household) samples() [][]string {
	h.t.Helper()
	text := h.run("history", "--csv", "--since", "2026-01-01")
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(rows) < 2 {
		h.t.Fatalf("%v: %s", err, text)
	}
	if last := len(rows[0]) - 1; rows[0][last] == "plan" {
		for i := range rows {
			rows[i] = rows[i][:last]
		}
	}
	return rows
}

func (h *household) things() map[string]string {
	h.t.Helper()
	all := map[string]string{}
	for _, pattern := range []string{".config/windsock/*", ".config/autostart/*", ".local/state/windsock/api-key"} {
		paths, err := filepath.Glob(h.path(pattern))
		if err != nil {
			h.t.Fatal(err)
		}
		for _, path := range paths {
			text, err := os.ReadFile(path)
			if err != nil {
				h.t.Fatal(err)
			}
			all[strings.TrimPrefix(path, h.path()+"/")] = string(text)
		}
	}
	return all
}
