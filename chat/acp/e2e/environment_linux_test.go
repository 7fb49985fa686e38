package e2e

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"windsock/chat"
	"windsock/chat/acp"
	"windsock/probe/simulator"
	"windsock/probe/simulator/agent"
	"windsock/probe/simulator/simtest"
)

// TestEnvironment: an agent gets what it needs, and no key and no policy. It works in an
// empty directory that is nobody else's, and hears the prompt alone.
func TestEnvironment(t *testing.T) {
	const planted = "planted-0123456789abcdef"
	for _, name := range []string{
		"WINDSURF_API_KEY", "CODEIUM_API_KEY", "WINDSURF_CSRF_TOKEN", "OPENAI_API_KEY", "CURSOR_API_KEY", "DEVIN_API_KEY", "DEVIN_PERMISSION_MODE", "GITHUB_TOKEN",
	} {
		t.Setenv(name, planted)
	}
	t.Setenv("LANG", "de_DE.UTF-8")
	r := newRig(t, agent.Behaviour{})
	e := r.engine()
	defer e.Close()
	if _, err := e.Ask(t.Context(), prompt, func(chat.Event) {}); err != nil {
		t.Fatal(err)
	}
	run := r.runs(t)[0]
	proc := filepath.Join("/proc", strconv.Itoa(run.PID))
	for _, file := range []string{"environ", "cmdline"} {
		text, err := os.ReadFile(filepath.Join(proc, file))
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(text, []byte(planted)) || bytes.Contains(text, []byte("plum")) {
			t.Errorf("%s: %q", file, text)
		}
		if file == "environ" && !bytes.Contains(text, []byte("LANG=de_DE.UTF-8\x00")) {
			t.Errorf("%s lacks the language: %q", file, text)
		}
	}
	info, err := os.Stat(run.Dir)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Fatalf("%v, %v", info, err)
	}
	if entries, err := os.ReadDir(run.Dir); err != nil || len(entries) > 0 {
		t.Errorf("%v, %v", entries, err)
	}
	if dir, err := os.Readlink(filepath.Join(proc, "cwd")); err != nil || dir != run.Dir {
		t.Errorf("it works in %q, %v", dir, err)
	}
}

// TestBesideServer: the agent is found from the language server that runs.
func TestBesideServer(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	server := simtest.Start(t, simulator.Options{
		Root: root, App: simulator.DesktopApp(), IDEName: "windsurf", Agent: &agent.Behaviour{Turn: "echo", Tick: time.Millisecond},
		Config: simulator.Config{Cascade: simulator.Cascade{Retired: simulator.RetiredUnimplemented}},
	})
	exe, err := os.Readlink(filepath.Join("/proc", strconv.Itoa(server.PIDs()[0]), "exe"))
	if err != nil {
		t.Fatal(err)
	}
	r := rigIn(t.TempDir())
	e := acp.New(acp.EngineParts{
		Profile: acp.Devin, Dir: r.dir, Queue: r.table(), Version: "1.2.3", Log: slog.New(slog.DiscardHandler),
		Roots: func() []string { return []string{acp.RootOf(exe)} },
	})
	defer e.Close()
	if path, err := e.Program(); err != nil || path != simulator.AgentPath(exe) {
		t.Errorf("found %q, %v", path, err)
	}
	if got, err := e.Ask(t.Context(), prompt, func(chat.Event) {}); err != nil || got.Text != prompt.Text {
		t.Errorf("%q, %v", got.Text, err)
	}
}
