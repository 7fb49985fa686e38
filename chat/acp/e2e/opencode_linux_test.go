package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"windsock/chat"
	"windsock/chat/acp"
	"windsock/probe/probetest"
)

// The programs of TestOpencode, which packaging/agents.sh names.
var (
	opencode = flag.String("opencode", "", "the program of opencode, for TestOpencode")
	windsock = flag.String("windsock", "", "the program of windsock, for TestOpencode")
)

// TestOpencode asks a real agent, whose model is `windsock serve` on a simulated editor:
// a circle through both. The second prompt finds the program kept.
func TestOpencode(t *testing.T) {
	if *opencode == "" || *windsock == "" {
		t.Skip("packaging/agents.sh runs it")
	}
	base, key := demoServe(t)
	const model = "swe-1-6-fast" // the demo's default, which is free
	settings, err := json.Marshal(map[string]any{
		"model": "windsock/" + model, "small_model": "windsock/" + model, "autoupdate": false, "share": "disabled",
		"permission": map[string]string{"*": "deny"}, // what holds best with this agent (PROTOCOL.md 11.6)
		"provider": map[string]any{"windsock": map[string]any{
			"npm": "@ai-sdk/openai-compatible", "name": "Windsock", "models": map[string]any{model: map[string]string{"name": model}},
			"options": map[string]string{"baseURL": base, "apiKey": key},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	r := rigIn(t.TempDir())
	home := filepath.Join(r.dir, "home")
	if err := os.Mkdir(home, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{
		"HOME": home, "TMPDIR": home, "XDG_CONFIG_HOME": "", "XDG_DATA_HOME": "", "XDG_STATE_HOME": "", "XDG_CACHE_HOME": "",
		"OPENCODE_CONFIG_CONTENT": string(settings), "OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1",
	} {
		t.Setenv(name, value)
	}
	r.profile = acp.Custom([]string{*opencode, "acp"}, []string{
		"OPENCODE_CONFIG_CONTENT", "OPENCODE_DISABLE_AUTOUPDATE", "OPENCODE_DISABLE_MODELS_FETCH",
	})
	e := r.engine()
	for _, state := range []string{"started", "kept"} {
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
		began := time.Now()
		var first time.Duration
		answer, err := e.Ask(ctx, chat.Prompt{Text: "Say hello."}, func(event chat.Event) {
			if event.Kind == chat.Grows && first == 0 {
				first = time.Since(began)
			}
		})
		cancel()
		if err != nil || !strings.Contains(answer.Text, "simulated") || answer.Tokens != nil { // which serve does not tell
			t.Fatalf("%s: %q, tokens %+v, %v", state, answer.Text, answer.Tokens, err)
		}
		if withVariable(t, "HOME="+home) == nil {
			t.Fatal("no process of it is found")
		}
		t.Logf("%s: first text after %s, whole answer after %s", state, chat.Took(first), chat.Took(time.Since(began)))
	}
	began := time.Now()
	e.Close()
	t.Logf("ended in %s", chat.Took(time.Since(began)))
	if names := r.places(t); names != nil {
		t.Errorf("directories left: %q", names)
	}
	probetest.Eventually(t, "no process of it", func() bool { return withVariable(t, "HOME="+home) == nil })
}

// withVariable returns the processes that were started with a variable.
func withVariable(t *testing.T, variable string) (found []string) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		// One that has ended, or is another user's, cannot be read.
		if text, err := os.ReadFile(file); err == nil && slices.Contains(strings.Split(string(text), "\x00"), variable) {
			found = append(found, file)
		}
	}
	return found
}

// demoServe serves the models of a demo, and returns the address and the key.
func demoServe(t *testing.T) (base, key string) {
	t.Helper()
	serve := exec.CommandContext(t.Context(), *windsock, "demo", "serve")
	serve.Cancel = func() error { return serve.Process.Signal(os.Interrupt) }
	serve.WaitDelay = 10 * time.Second
	out, err := serve.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	serve.Stderr = os.Stderr
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = serve.Wait() })
	said := bufio.NewScanner(out)
	for (base == "" || key == "") && said.Scan() {
		if value, ok := strings.CutPrefix(said.Text(), "export OPENAI_BASE_URL='"); ok {
			base = strings.TrimSuffix(value, "'")
		}
		if value, ok := strings.CutPrefix(said.Text(), "export OPENAI_API_KEY='"); ok {
			key = strings.TrimSuffix(value, "'")
		}
	}
	if base == "" || key == "" {
		t.Fatalf("serve tells no address and key: %v", said.Err())
	}
	return base, key
}
