package e2e

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"windsock/probe/simulator"
)

// locks are those of a process on a file, as the kernel has them.
func locks(t *testing.T, pid int, file string) []string {
	t.Helper()
	info, err := os.Stat(file)
	if err != nil {
		return nil // it is not there yet
	}
	inode, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		t.Fatalf("no inode in %T", info.Sys())
	}
	all, err := os.ReadFile("/proc/locks")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for line := range strings.Lines(string(all)) {
		fields := strings.Fields(line) // 1: POSIX ADVISORY READ 4242 08:01:1234 0 0
		if len(fields) == 8 && fields[4] == fmt.Sprint(pid) && strings.HasSuffix(fields[5], fmt.Sprintf(":%d", inode.Ino)) {
			found = append(found, strings.Join(fields[1:], " "))
		}
	}
	return found
}

// The app has its history open when the plan is requested from it. Its lock stays, so
// that no other process takes the file for an unused one, and later samples survive a
// crash.
func TestUsageLeavesTheHistoryLocked(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	config := filepath.Join(d.dir, "home", ".config", "windsock", "config.toml")
	if err := os.MkdirAll(filepath.Dir(config), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(config, []byte("[api]\nenabled = true\nport = 42193\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := d.serve(simulator.Config{})
	cmd, out := d.command("--headless")
	cmd.Env = append(cmd.Env, testInterval+"=1s")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // which has ended, mostly
	api := d.served()
	get := func(method, path, body string) string {
		r := api.request(t, method, path, body)
		defer r.Body.Close()
		text, err := io.ReadAll(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	held := func() []string { return locks(t, cmd.Process.Pid, d.state("history.db")) }
	waitFor(t, "a history that is open, and written by nobody", func() bool {
		locks := held()
		return len(locks) == 1 && strings.Contains(locks[0], " READ ")
	})

	before := held()
	asks := []func() string{
		func() string { return get(http.MethodGet, "/usage", "") },
		func() string {
			return get(http.MethodPost, "/chat/completions", `{"messages":[{"role":"user","content":"turn:error_quota"}]}`)
		},
	}
	for i, want := range []string{`"prompt_credits"`, `"code":"quota_exhausted"`} {
		if got := asks[i](); !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
		if after := held(); len(after) != 1 || after[0] != before[0] {
			t.Errorf("locks were %q, and are %q", before, after)
		}
	}

	// A command that takes itself for the file's last user removes the files beside it.
	if code, text := d.run("status"); code != 0 {
		t.Fatalf("exit code %d: %s", code, text)
	}
	if err := p.Set(t.Context(), "quota_tight", ""); err != nil {
		t.Fatal(err)
	}
	asked := p.Count()["GetUserStatus"]
	waitFor(t, "other figures that are written", func() bool { return p.Count()["GetUserStatus"] > asked+2 })
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	if _, kept := d.run("history", "--json"); !strings.Contains(kept, `"daily_quota"`) {
		t.Errorf("what the app wrote last is lost: %s\nit told %s", kept, out)
	}
}
