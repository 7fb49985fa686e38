package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/chat/touched"
	"windsock/probe/simulator"
	"windsock/probe/simulator/agent"
)

// soakEnd is the account that is signed in at the end, and not before, whose figures
// are known by the simulator's own table.
const (
	soakEnd     = "acu"
	soakEndMenu = "ACUs: 8,765.43 of 10,000 left (88 %)"
	// mostOfASample is how many bytes the history may take for one sample, with its indexes.
	mostOfASample = 512
)

// comesBack starts the editors once more, and checks that the figures of an account that
// stands still come into the menu and the history, as status has them.
func (w *soak) comesBack(t *testing.T) {
	t.Helper()
	w.signIn(t, "plain")
	w.editors[0].account = soakEnd
	for _, e := range w.editors[:2] { // where turns may run that never end
		if err := e.server.Stop(); err != nil {
			t.Fatal(err)
		}
		w.startEditor(t, e, func(c *simulator.Config) { c.TLS = false })
	}
	w.settings.askAnew(t)
	type figures struct {
		ID        string      `json:"id"`
		Meter     string      `json:"meter"`
		Used      json.Number `json:"used"`
		Total     json.Number `json:"total"`
		Remaining json.Number `json:"remaining"`
		Starts    string      `json:"window_start"`
		Ends      string      `json:"resets_at"`
	}
	for _, s := range w.sessions {
		var recorded figures
		var history struct{ Samples []figures }
		waitFor(t, s.name+" has the figures again", func() bool {
			s.read(t, &history, "history", "--json")
			for _, recorded = range slices.Backward(history.Samples) {
				if recorded.Meter == soakEnd {
					return true
				}
			}
			return false
		})
		var status struct {
			Plans []struct {
				Source struct{ Variant string }
				Meters []figures
			}
		}
		s.read(t, &status, "status", "--json", "--variant", "windsurf")
		want := figures{ID: soakEnd, Used: "1234.5678", Total: "10000", Remaining: "8765.4322", Starts: recorded.Starts, Ends: recorded.Ends}
		if len(status.Plans) != 1 {
			t.Fatalf("%s: %d plans", s.name, len(status.Plans))
		}
		if diff := cmp.Diff([]figures{want}, status.Plans[0].Meters); diff != "" {
			t.Errorf("%s: status (-want +got):\n%s", s.name, diff)
		}
		info, err := os.Stat(filepath.Join(s.state(), "history.db"))
		if err != nil || info.Size() > 2<<20+int64(len(history.Samples))*mostOfASample {
			t.Errorf("%s: the history of %d samples has %d bytes, %v", s.name, len(history.Samples), info.Size(), err)
		}
		t.Logf("%s: %d samples in %d kB", s.name, len(history.Samples), info.Size()>>10)
		want.ID, want.Meter = "", soakEnd
		if diff := cmp.Diff(want, recorded); diff != "" {
			t.Errorf("%s: recorded (-want +got):\n%s", s.name, diff)
		}
	}
	w.item.WaitMenuContains(t, soakEndMenu)
}

// soakWarnings are the warnings that the app may log.
var soakWarnings = []string{
	`msg="settings not usable"`,    // the broken ones
	`msg="notification not shown"`, // of the app that has no bus
	`msg="no tray host"`,           // where it is gone ten seconds after the start
	`msg="cascade not archived"`,   // while no editor answers; the next prompt does it
	`msg="cascade not looked at"`,
	`msg="systray error: failed to register: `, // with a watcher that has just gone
}

var (
	warned  = regexp.MustCompile(`level=(WARN|ERROR)`)
	crashed = regexp.MustCompile(`(?m)^(panic:|fatal error:|WARNING: DATA RACE|goroutine \d+)|runtime error`)
)

// ends ends the app, which has logged and printed nothing that it should not, and
// leaves nothing behind. One that has grown says where its goroutines are.
func (s *soakSession) ends(t *testing.T, grown bool) {
	t.Helper()
	if grown {
		s.app.Signal(t, syscall.SIGQUIT)
		s.app.Wait(t)
		t.Log(s.app.Output())
		return
	}
	s.app.Signal(t, syscall.SIGTERM)
	if code := s.app.Wait(t); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if crashed.MatchString(s.app.Output()) {
		t.Errorf("it printed:\n%s", s.app.Output())
	}
	tellsNoSecret(t, s.editor, s.app)
	logs, err := filepath.Glob(filepath.Join(s.state(), "windsock.log*"))
	if err != nil || len(logs) == 0 {
		t.Fatalf("%d logs, %v", len(logs), err)
	}
	for _, log := range logs {
		for line := range strings.Lines(content(t, log)) {
			expected := slices.ContainsFunc(soakWarnings, func(w string) bool { return strings.Contains(line, w) })
			if warned.MatchString(line) && !expected || crashed.MatchString(line) {
				t.Errorf("logged: %s", line)
			}
		}
	}
	leavesNothing(t, s.editor)
	kept := regexp.MustCompile(`^(\.codeium/.*|\.config/(Windsurf|Windsurf - Next|Cursor)/User/globalStorage/state\.vscdb|\.config/windsock/config\.toml|` +
		regexp.QuoteMeta(devinFile) + `|\.local/state/windsock/(history\.db|windsock\.log(\.1)?|api-key|cloud-(cursor|devin-cli)\.json|(agents/|api\.|cloud-(cursor|devin-cli)\.)lock))$`)
	err = filepath.WalkDir(s.home(), func(path string, d fs.DirEntry, err error) error {
		if name := strings.TrimPrefix(path, s.home()+"/"); err == nil && d.Type().IsRegular() && !kept.MatchString(name) {
			t.Errorf("left over: %s", name)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// leavesNoPrompt lets the next prompts take away what is left of others, and checks that
// nothing is, and that each was sent once.
func (w *soak) leavesNoPrompt(t *testing.T) {
	t.Helper()
	if err := agent.Behave(w.agent, agent.Behaviour{Turn: "echo", Tick: time.Millisecond}); err != nil {
		t.Fatal(err)
	}
	left := func() []string {
		return slices.DeleteFunc(w.live(t), func(id string) bool { return slices.Contains(w.planted, id) })
	}
	for _, s := range w.sessions {
		s.more = append(s.more, testAhead+"=1m") // what may be about to run is left alone
		var queue []touched.Waiting
		t.Cleanup(func() {
			if t.Failed() {
				t.Logf("%s: waiting are %+v", s.name, queue)
			}
		})
		waitFor(t, s.name+": the end of what prompts have left", func() bool {
			for _, engine := range []string{"cascade", "devin"} {
				if p := s.begin(t, "ask", "--variant", "windsurf", "--engine", engine, "--yes", "turn:echo"); p.Wait(t) != 0 {
					t.Fatalf("%s: %s", engine, p.Output())
				}
			}
			var err error
			queue, err = waiting(context.WithoutCancel(t.Context()), s.state())
			if err != nil {
				t.Fatal(err)
			}
			return len(queue) == 0
		})
		entries, err := os.ReadDir(filepath.Join(s.state(), "agents"))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		for _, e := range entries {
			if e.IsDir() {
				t.Errorf("%s: an agent's directory: %s", s.name, e.Name())
			}
		}
	}
	if ids := left(); len(ids) > 0 {
		t.Errorf("cascades left: %q", ids)
	}
	if ids, err := agent.Sessions(w.agent); err != nil || len(ids) > 0 {
		t.Errorf("an agent's sessions: %q, %v", ids, err)
	}
	runs, err := agent.Runs(w.agent)
	if err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the end of all agents", func() bool {
		return !slices.ContainsFunc(runs, func(run agent.Run) bool {
			return slices.ContainsFunc(append(run.Children, run.PID), func(pid int) bool {
				exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid)) // of another program by now, perhaps
				return err == nil && exe == w.agent
			})
		})
	})
	for _, run := range runs {
		if run.Wrong != nil {
			t.Errorf("violations against an agent: %q", run.Wrong)
		}
	}
	times := map[string]int{}
	for _, server := range w.servers {
		for _, call := range server.Calls() {
			if call.RPC == "SendUserCascadeMessage" {
				times[call.Prompt]++
			}
		}
		for _, wrong := range server.Violations() {
			if !strings.Contains(wrong, "request_id") { // these grow in each process, and there are many
				t.Errorf("violation against %s: %s", server.who, wrong)
			}
		}
	}
	for _, p := range w.prompts {
		if n := times[p.text]; n > 1 || p.answered && n == 0 {
			t.Errorf("%q, answered: %t, was sent %d times", p.text, p.answered, n)
		}
	}
	for _, r := range w.services.Requests() {
		if r.Violations != nil {
			t.Errorf("%s of %s: %q", r.Method, r.Host, r.Violations)
		}
	}
}

// tells says what there was, with the samples at some times, and looks at the warnings.
func (w *soak) tells(t *testing.T, samples [][]sample) {
	t.Helper()
	polls, times := 0, map[string]int{}
	for _, server := range w.servers {
		calls := server.Count()
		polls += calls["GetUserStatus"] + calls["RetrieveUserQuotaSummary"]
		times["messages to cascades"] += calls["SendUserCascadeMessage"]
	}
	for _, r := range w.services.Requests() {
		times["requests to "+r.Host]++
	}
	warned := 0
	for _, n := range w.sessions[0].bus.Notifications(t) {
		warned++
		if wrong := w.wrongWarning(n.Summary); wrong != "" {
			t.Errorf("notification: %s", wrong)
		}
	}
	t.Logf("%d steps, %d servers, %d polls, %d answers with figures, %d looks at them, %d prompts and %d to an agent, %d warnings, %v",
		w.steps, len(w.servers), polls, w.told.count(), w.looks.Load(), len(w.prompts), int(w.prompted.Load())-len(w.prompts), warned, times)
	for _, seen := range []string{inReports, inOldReports, inMenus, inTips, inMetrics, inHistory} {
		if w.outcomes[seen] == 0 && *soakFor >= 2*time.Minute { // before that by chance
			t.Errorf("there was no %s", seen)
		}
	}
	for _, what := range slices.Sorted(maps.Keys(w.outcomes)) {
		t.Logf("%d × %s", w.outcomes[what], what)
	}
	t.Logf("longest steps by lane: %v", w.took)
	for i, all := range samples {
		for _, at := range []time.Duration{0, 5 * time.Minute, 10 * time.Minute, 20 * time.Minute, 30 * time.Minute, 40 * time.Minute, 50 * time.Minute, *soakFor} {
			if n := slices.IndexFunc(all, func(s sample) bool { return s.at >= at }); n >= 0 {
				t.Logf("%s after %v: %v", w.sessions[i].name, all[n].at.Round(time.Second), all[n].holds)
			} else if at == *soakFor && len(all) > 0 {
				t.Logf("%s at the end: %v", w.sessions[i].name, all[len(all)-1].holds)
			}
		}
	}
}
