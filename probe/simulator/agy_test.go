package simulator

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// runAgyAt runs agy with a home directory, and returns its output and its exit code.
func runAgyAt(t *testing.T, binary, home string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), binary, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.Dir = &out, &errs, home
	cmd.Env = append(os.Environ(), homeEnv()+"="+home)
	var failed *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &failed) {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

func TestAgyUsage(t *testing.T) {
	t.Parallel()
	const exhausted = `"id": "gemini-5h",
              "name": "Five Hour Limit Remaining",
              "remaining_fraction": 0,
              "reset_time": "2026-02-03T12:00:00Z",
              "window": "5h"`
	usage := []string{"-p", "/usage", "--output-format", "json", "--print-timeout", "60s"}
	for _, tt := range []struct {
		name   string
		agy    Agy
		args   []string
		begins string
		has    string
		code   int
	}{
		{"json", Agy{Scenario: "exhausted"}, usage, "{\n", exhausted, 0},
		{"notice", Agy{Scenario: "exhausted", Notice: "Updated to 1.4.1"}, usage, "Updated to 1.4.1\n{\n", exhausted, 0},
		{"text", Agy{Scenario: "exhausted"}, usage[:2], "Gemini Models\tWeekly Limit Remaining\t82%\t2026-02-07T10:00:00Z\n", "", 0},
		{"failure", Agy{Failure: "no network"}, usage, "", "no network", 1},
		{"signed_out", Agy{Scenario: "signed_out"}, usage, "", "sign in", 1},
		{"prompt", Agy{}, []string{"-p", "hello"}, "", "spend quota", 1},
		{"model", Agy{}, append([]string{"--model=x"}, usage...), "", "spend quota", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.agy.At = testTime
			binary, err := InstallAgy("", t.TempDir(), tt.agy)
			if err != nil {
				t.Fatal(err)
			}
			stdout, stderr, code := runAgyAt(t, binary, t.TempDir(), tt.args...)
			if !strings.HasPrefix(stdout, tt.begins) || !strings.Contains(stdout+stderr, tt.has) || code != tt.code {
				t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
			}
			runs, err := AgyRuns(binary)
			if diff := cmp.Diff([][]string{tt.args}, runs); diff != "" || err != nil {
				t.Errorf("runs (-want +got), %v:\n%s", err, diff)
			}
		})
	}
}

// Endless output ends with its reader.
func TestAgyEndless(t *testing.T) {
	t.Parallel()
	binary, err := InstallAgy("", t.TempDir(), Agy{Endless: true})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), binary, "-p", "/usage", "--output-format", "json")
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if n, err := io.CopyN(io.Discard, stdout, 10<<20); err != nil {
		t.Errorf("%d bytes: %v", n, err)
	}
	stdout.Close()
	_ = cmd.Wait()
}

func TestAgyStatusLine(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the commands are a Unix shell's")
	}
	binary, err := InstallAgy("", t.TempDir(), Agy{Scenario: "weekly_exhausted", At: testTime})
	if err != nil {
		t.Fatal(err)
	}
	const payload = `{"agent_state":"idle","conversation_title":"Find the memory leak in the worker","cwd":"HOME","email":"robin@example.com",` +
		`"plan_tier":"Google AI Pro","quota":{` +
		`"3p-5h":{"remaining_fraction":1,"reset_in_seconds":18000,"reset_time":"2026-02-03T15:00:00Z"},` +
		`"3p-weekly":{"remaining_fraction":0.699999988079071,"reset_in_seconds":345600,"reset_time":"2026-02-07T10:00:00Z"},` +
		`"gemini-5h":{"remaining_fraction":1,"reset_in_seconds":18000,"reset_time":"2026-02-03T15:00:00Z"},` +
		`"gemini-weekly":{"remaining_fraction":0,"reset_in_seconds":259200,"reset_time":"2026-02-06T10:00:00Z"}},` +
		`"session_id":"00000000-0000-4000-8000-000000000000","transcript_path":"HOME/transcript.jsonl","version":"1.4.0",` +
		`"workspace":{"current_dir":"HOME","project_dir":"HOME"}}`
	for _, tt := range []struct {
		name, settings, stdout string
		code                   int
	}{
		{"command", `{"theme":"dark","statusLine":{"type":"command","command":"cat"}}`, payload, 0},
		{"exit_code", `{"statusLine":{"type":"command","command":"echo no; exit 7","enabled":true}}`, "no\n", 7},
		{"token", `{"statusLine":{"type":"command","command":"test -n \"$ANTIGRAVITY_CSRF_TOKEN$ANTIGRAVITY_LS_ADDRESS\" && echo yes"}}`, "yes\n", 0},
		{"disabled", `{"statusLine":{"type":"command","command":"cat","enabled":false}}`, "", 0},
		{"no_settings", "", "", 0},
		{"broken", `{`, "", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			home, err := filepath.EvalSymlinks(t.TempDir()) // macOS has a link in it, and agy tells where it is
			if err != nil {
				t.Fatal(err)
			}
			dir := filepath.Join(home, ".gemini", "antigravity-cli")
			if err := os.MkdirAll(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			if tt.settings != "" {
				if err := os.WriteFile(filepath.Join(dir, "settings.json"), []byte(tt.settings), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			stdout, stderr, code := runAgyAt(t, binary, home)
			if diff := cmp.Diff(strings.ReplaceAll(tt.stdout, "HOME", home), stdout); diff != "" || code != tt.code {
				t.Errorf("exit code %d, %s (-want +got):\n%s", code, stderr, diff)
			}
		})
	}
}
