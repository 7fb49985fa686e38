package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"windsock/probe/simulator"
	"windsock/tray/traytest"
)

// command is one of the session's, which reaches the services.
func (s *soakSession) begin(t *testing.T, args ...string) *traytest.Process {
	t.Helper()
	cmd := s.command(t, args...)
	cmd.Env = append(cmd.Env, s.more...)
	return s.bus.Start(t, cmd)
}

// run runs a command to its end, which is none of a program that is broken.
func (s *soakSession) run(t *testing.T, args ...string) (stdout string, code int) {
	t.Helper()
	cmd := s.command(t, args...)
	cmd.Env = append(cmd.Env, s.more...)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	code = s.bus.Start(t, cmd).Wait(t)
	if code < 0 || crashed.MatchString(said.String()) {
		t.Errorf("%q: exit code %d, %s", args, code, said.String())
	}
	return out.String(), code
}

// read runs a command whose answer is JSON.
func (s *soakSession) read(t *testing.T, into any, args ...string) {
	t.Helper()
	out, code := s.run(t, args...)
	if err := json.Unmarshal([]byte(out), into); err != nil {
		t.Fatalf("%v: exit code %d, %v\n%s", args, code, err, out)
	}
}

// served is the session's local API.
func (s *soakSession) served(t *testing.T) (api served) {
	t.Helper()
	waitFor(t, "a port that is told", func() bool {
		_, err := os.Stat(filepath.Join(s.state(), "api-port"))
		return err == nil
	})
	out, code := s.run(t, "serve", "--print-env=sh")
	if code != 0 {
		t.Fatalf("exit code %d: %s", code, out)
	}
	return servedAt(out)
}

// usage is what the local API tells of the plans.
func (s *soakSession) usage(t *testing.T, into any) error {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.api.address+"/usage", nil)
	if err != nil {
		return err
	}
	r.Close = true
	r.Header.Set("Authorization", "Bearer "+s.api.key)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%s: %w: %s", response.Status, err, text)
	}
	return nil
}

func (w *soak) commandStep(t *testing.T, s step) (end func()) {
	t.Helper()
	session := w.sessions[s.session]
	out, code := session.run(t, strings.Fields(s.what)...)
	w.happened(fmt.Sprintf("%s: %d", s.what, code))
	where := session.name + ": " + s.what
	const usageError = 2 // by settings that are broken
	switch {
	case code == usageError:
	case strings.HasPrefix(s.what, "status") && strings.HasSuffix(s.what, "--json"):
		var report shownReport
		if err := json.Unmarshal([]byte(out), &report); err != nil {
			t.Errorf("%s: %v: %s", where, err, out)
		}
		w.holds(t, where, func() string { return w.wrongReport(session, report) })
	case strings.HasSuffix(s.what, "prometheus"):
		w.holds(t, where, func() string { return w.wrongMetrics(session, out) })
	case strings.HasPrefix(s.what, "history"):
		w.holds(t, where, func() string { return w.wrongHistory(out) })
	}
	return func() {}
}

// wrongHistory says which sample no server had told.
func (w *soak) wrongHistory(text string) string {
	var history struct {
		Samples []struct {
			Meter                  string
			Used, Total, Remaining json.Number
		}
	}
	if err := json.Unmarshal([]byte(text), &history); err != nil {
		return err.Error() + ": " + text
	}
	told := map[shownMeter]bool{}
	w.told.mu.Lock()
	for _, all := range w.told.all {
		for _, answer := range all {
			for _, m := range answer.meters {
				told[m] = true
			}
		}
	}
	w.told.mu.Unlock()
	for _, s := range history.Samples {
		if m := (shownMeter{s.Meter, s.Used, s.Total, s.Remaining}); m.hasFigure() && !told[m] {
			return fmt.Sprintf("not told: %+v", m)
		}
		w.happened(inHistory)
	}
	return ""
}

// live are the cascades that are not archived, by the word of the servers that have any.
func (w *soak) live(t *testing.T) (ids []string) {
	t.Helper()
	for _, e := range w.editors[:2] {
		ids = append(ids, (&desk{t: t}).live(e.server)...)
	}
	return ids
}

// agentOf is the agent beside a server.
func agentOf(t *testing.T, server *simulator.Process) string {
	t.Helper()
	exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", server.Ready().PID))
	if err != nil {
		t.Fatal(err)
	}
	return simulator.AgentPath(exe)
}
