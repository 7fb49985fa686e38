package e2e

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"windsock/probe/simulator"
)

// served is a local API, as `windsock serve --print-env` tells of it.
type served struct{ address, key string }

// served waits until a process of the desk serves the local API.
func (d *desk) served() served {
	d.t.Helper()
	waitFor(d.t, "a port that is told", func() bool {
		_, err := os.Stat(d.state("api-port"))
		return err == nil
	})
	cmd, _ := d.command("serve", "--print-env=sh")
	cmd.Stdout = nil
	out, err := cmd.Output()
	if err != nil {
		d.t.Fatal(err)
	}
	return servedAt(string(out))
}

// servedAt reads what --print-env=sh prints.
func servedAt(text string) (s served) {
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "export "), "=")
		switch value = strings.Trim(value, "'"); name {
		case "OPENAI_BASE_URL":
			s.address = value
		case "OPENAI_API_KEY":
			s.key = value
		}
	}
	return s
}

func (s served) request(t *testing.T, method, path, body string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, s.address+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.key)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	return response
}

// The local API as a process: it answers with the plan's models and figures, its
// end in the middle of an answer archives the cascade, and only the key is left.
func TestServeProcess(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	p := d.serve(simulator.Config{})
	cmd, out := d.command("serve", "--port", "42191")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	api := d.served()
	read := func(method, path, body string) string {
		t.Helper()
		r := api.request(t, method, path, body)
		defer r.Body.Close()
		text, err := io.ReadAll(r.Body)
		if err != nil || r.StatusCode != http.StatusOK {
			t.Fatal(r.Status, string(text), err)
		}
		return string(text)
	}
	if models := read(http.MethodGet, "/models", ""); !strings.Contains(models, `"id":"claude-opus-4.5:thinking"`) {
		t.Error(models)
	}
	var report struct {
		Schema int
		Plans  []struct{ Binding string }
	}
	if err := json.Unmarshal([]byte(read(http.MethodGet, "/usage", "")), &report); err != nil || report.Schema != 2 || len(report.Plans) != 1 || report.Plans[0].Binding != "prompt_credits" {
		t.Errorf("%+v, %v", report, err)
	}
	answer := read(http.MethodPost, "/chat/completions", `{"messages":[{"role":"user","content":"turn:echo SECRET-PROMPT"}]}`)
	if !strings.Contains(answer, `"content":"turn:echo SECRET-PROMPT"`) {
		t.Error(answer)
	}
	if code, text := d.run("serve"); code != 1 || !strings.Contains(text, "served already") {
		t.Errorf("a second one: %d, %s", code, text)
	}

	stream := api.request(t, http.MethodPost, "/chat/completions", `{"stream":true,"messages":[{"role":"user","content":"turn:never_ends"}]}`)
	defer stream.Body.Close()
	lines := bufio.NewScanner(stream.Body)
	for lines.Scan() && !strings.Contains(lines.Text(), "more to come") {
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	rest := ""
	for lines.Scan() {
		rest += lines.Text()
	}
	if !strings.Contains(rest, `"code":"stopping"`) {
		t.Errorf("the stream ends with %q, %v", rest, lines.Err())
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if live := d.live(p); len(live) > 0 {
		t.Errorf("not archived: %v", live)
	}
	if _, err := os.Stat(d.state("api-port")); !errors.Is(err, os.ErrNotExist) {
		t.Error("the port is still told")
	}
	for _, secret := range []string{api.key, deskKey, p.Ready().Token, "SECRET-PROMPT"} {
		if strings.Contains(out.String(), secret) {
			t.Errorf("%q in %s", secret, out.String())
		}
	}
	if slices.ContainsFunc(cmd.Args, func(arg string) bool { return strings.Contains(arg, api.key) }) {
		t.Error("the key is an argument")
	}
}

// The app takes as long to archive its cascades as `windsock serve` and `windsock
// prompt` do.
func TestAppPutsAway(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	config := filepath.Join(d.dir, "home", ".config", "windsock", "config.toml")
	if err := os.MkdirAll(filepath.Dir(config), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(config, []byte("[api]\nenabled = true\nport = 42192\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := d.serve(simulator.Config{Delay: 2 * time.Second, DelayRPC: "ArchiveCascadeTrajectory"})
	cmd, out := d.command("--headless")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // which has ended, mostly
	stream := d.served().request(t, http.MethodPost, "/chat/completions", `{"stream":true,"messages":[{"role":"user","content":"turn:never_ends"}]}`)
	defer stream.Body.Close()
	waitFor(t, "the turn", func() bool { return p.Count()["GetCascadeTrajectorySteps"] > 3 })
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // the code says how
	if code := cmd.ProcessState.ExitCode(); code != 0 || len(d.live(p)) > 0 {
		t.Errorf("exit code %d, left %v, told %s", code, d.live(p), out)
	}
}
