package agy

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/probe/say"
)

// useAgy makes this test's program the agy of that kind. Its temporary files are in
// the returned directory.
func useAgy(t *testing.T, how string) (temporary string) {
	t.Helper()
	executable, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	temporary = t.TempDir()
	t.Setenv("ANTIGRAVITY_CLI_PATH", executable)
	t.Setenv("TMPDIR", temporary)
	t.Setenv("TMP", temporary)
	t.Setenv(fakeAgy, how)
	return temporary
}

func TestUsage(t *testing.T) {
	sample, err := os.ReadFile(filepath.Join("testdata", "usage.json"))
	if err != nil {
		t.Fatal(err)
	}
	answer := strings.TrimSpace(strings.ReplaceAll(string(sample), "\r\n", "\n"))
	const kept = `{"status":"SUCCESS","command":{"data":{"groups":[{"buckets":[` +
		`{"id":"gemini-weekly","name":"Weekly Limit Remaining","window":"weekly","remaining_fraction":0.9998874664306641,"reset_time":"2026-09-25T20:02:08Z"},` +
		`{"id":"gemini-5h","name":"Five Hour Limit Remaining","window":"5h","remaining_fraction":0.99932461977005,"reset_time":"2026-09-19T01:02:08Z"}]}]}}}`
	const byHand = "Run `agy -p /usage` in a terminal to see why."
	bad := say.Error{Code: "bad_response", What: "agy, Antigravity's command line, gave no figures.", Cure: byHand, Exit: 1}
	tests := []struct {
		name, how string
		want      string
		err       *say.Error
	}{
		{"answer", "0 " + answer, kept, nil},
		{"notice", "0 Update available: {1.4.1}\n  {\nRun agy update.\n" + answer + "\nThank you.\n", kept, nil},
		{"no_success", "0 " + strings.Replace(answer, "SUCCESS", "ERROR", 1), "", &bad},
		{"no_limits", `0 {"status":"SUCCESS","command":{"data":{"groups":[]}}}`, "", &bad},
		{"failed", "01 " + answer, "", &bad},
		{"text", "0 You are signed out, secret@example.org.\n", "", &bad},
		{"nothing", "0 ", "", &bad},
		{"cut_off", "0 " + answer[:len(answer)-1], "", &bad},
		{"too_long", "long", "", &bad},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			temporary := useAgy(t, tt.how)
			got, _, err := Dirs{State: t.TempDir()}.Usage(t.Context(), testNow, time.Minute)
			if string(got) != tt.want {
				t.Errorf("got %s", got)
			}
			checkError(t, err, tt.err)
			checkEmpty(t, temporary)
		})
	}
}

// checkError compares what is told, and that nothing of agy's own text is.
func checkError(t *testing.T, err error, want *say.Error) {
	t.Helper()
	var got *say.Error
	if err != nil && !errors.As(err, &got) {
		t.Fatalf("error %v", err)
	}
	if got != nil {
		if strings.Contains(got.Error()+got.Sentence(), "secret") {
			t.Errorf("it quotes agy: %v", got)
		}
		told := got.Tell()
		told.Cause = nil
		got = &told
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func checkEmpty(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) > 0 {
		t.Errorf("left: %v, %v", entries, err)
	}
}

// TestUsageRunsAlone: in an empty private directory, without input, without the tokens
// of an editor that has started Windsock.
func TestUsageRunsAlone(t *testing.T) {
	temporary := useAgy(t, "saw")
	t.Setenv("WINDSURF_CSRF_TOKEN", "secret-token-1")
	t.Setenv("ANTIGRAVITY_CSRF_TOKEN", "secret-token-2")
	t.Setenv("AGY_TEST_KEPT", "no-secret-token")
	report := filepath.Join(t.TempDir(), "saw")
	t.Setenv("AGY_SAW", report)
	if _, _, err := (Dirs{State: t.TempDir()}).Usage(t.Context(), testNow, time.Minute); say.Code(err) != codeBadResponse {
		t.Fatal(err)
	}
	text, err := os.ReadFile(report)
	if err != nil {
		t.Fatal(err)
	}
	var got saw
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	want := saw{
		Args: []string{"-p", "/usage", "--output-format", "json", "--print-timeout", "60s"}, Mode: "-rwx------",
		Tokens: []string{"AGY_TEST_KEPT=no-secret-token"},
	}
	if runtime.GOOS == "windows" {
		want.Mode = got.Mode
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	checkEmpty(t, temporary)
}

// TestUsageTakesTooLong: after its time an agy that hangs is ended.
func TestUsageTakesTooLong(t *testing.T) {
	temporary := useAgy(t, "hang")
	program, _ := Dirs{}.Find()
	start := time.Now()
	_, err := run(t.Context(), program, 100*time.Millisecond)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := run(ctx, program, time.Minute); say.Code(err) != "timeout" {
		t.Errorf("at the end of the context: %v", err)
	}
	if took := time.Since(start); took > 15*time.Second {
		t.Errorf("took %v", took)
	}
	checkError(t, err, &say.Error{
		Code: "timeout", What: "agy, Antigravity's command line, gave no figures in time.",
		Cure: "Run `agy -p /usage` in a terminal to see why.", Exit: 1,
	})
	checkEmpty(t, temporary)
}

// TestUsageCancelled: an agy is ended with all that it has started.
func TestUsageCancelled(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("it is ended alone there")
	}
	temporary := useAgy(t, "hang_child")
	child := filepath.Join(t.TempDir(), "pid")
	t.Setenv("AGY_CHILD", child)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		defer cancel()
		for ctx.Err() == nil {
			if text, err := os.ReadFile(child); err == nil && len(text) > 0 {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
	}()
	if _, _, err := (Dirs{State: t.TempDir()}).Usage(ctx, testNow, time.Minute); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	checkGone(t, child)
	checkEmpty(t, temporary)
}

func TestUsageWithoutAgy(t *testing.T) {
	for _, name := range []string{"ANTIGRAVITY_CLI_PATH", "PATH", "LOCALAPPDATA"} {
		t.Setenv(name, "")
	}
	d := Dirs{Home: t.TempDir(), State: t.TempDir()}
	if path, ok := d.Find(); ok {
		t.Skip("this machine has " + path)
	}
	if _, _, err := d.Usage(t.Context(), testNow, time.Minute); !errors.Is(err, ErrNotFound) {
		t.Errorf("error %v", err)
	}
	checkEmpty(t, d.State)
}

func TestFind(t *testing.T) {
	name := "agy"
	if runtime.GOOS == "windows" {
		name = "agy.exe"
	}
	home, one, other, none := t.TempDir(), t.TempDir(), t.TempDir(), t.TempDir()
	local := filepath.Join(home, ".local", "bin")
	if runtime.GOOS == "windows" {
		local = filepath.Join(home, "Programs", "agy")
	}
	t.Chdir(home)
	for _, dir := range []string{one, other, local, "bin"} {
		if err := errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(filepath.Join(dir, name), nil, 0o700)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Mkdir(filepath.Join(none, name), 0o700), os.WriteFile(filepath.Join(none, "plain"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	list := func(dirs ...string) string { return strings.Join(dirs, string(filepath.ListSeparator)) }
	tests := []struct{ name, variable, path, want string }{
		{"variable", filepath.Join(one, name), list(other), filepath.Join(one, name)},
		{"path", "", list(none, other, one), filepath.Join(other, name)},
		{"variable_of_nothing", filepath.Join(none, "plain"), list(one), filepath.Join(one, name)},
		{"relative", "bin/" + name, list(".", "", "bin"), filepath.Join(local, name)},
		{"installed", "", "", filepath.Join(local, name)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			environment := map[string]string{"ANTIGRAVITY_CLI_PATH": tt.variable, "PATH": tt.path, "LOCALAPPDATA": home}
			got, ok := find(func(name string) string { return environment[name] }, home, runtime.GOOS)
			if got != tt.want || !ok {
				t.Errorf("got %s, %t; want %s", got, ok, tt.want)
			}
		})
	}
}
