package openai

import (
	"errors"
	"net"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/probe/say"
)

func TestPrintEnvironment(t *testing.T) {
	t.Parallel()
	synctest.Test(t, testPrintEnvironment)
}

func testPrintEnvironment(t *testing.T) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "state")
	config := serveConfig(dir)
	// Somebody may listen on the usual port.
	configured, flag := freePort(t), freePort(t)
	config.Settings = func() (Config, error) { return Config{Port: configured, Concurrency: 1}, nil }
	first, told, err := execute(t.Context(), config, "--print-env=sh")
	if err != nil {
		t.Fatal(err)
	}
	key, err := readKey(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := "export OPENAI_BASE_URL='" + baseURL(configured) + "'\nexport OPENAI_API_KEY='" + key.Reveal() + "'\n"
	if diff := cmp.Diff(want, first.String()); diff != "" || !strings.HasPrefix(key.Reveal(), keyPrefix) {
		t.Error(diff)
	}
	if !strings.Contains(told.String(), "windsock: Nothing is served now. ") {
		t.Errorf("told %q", told.String())
	}
	bourne := "export OPENAI_BASE_URL='" + baseURL(flag) + "'\nexport OPENAI_API_KEY='" + key.Reveal() + "'\n"
	tests := []struct{ name, flag, want string }{
		{"bash", "--print-env=bash", bourne},
		{"zsh", "--print-env=zsh", bourne},
		{"fish", "--print-env=fish", "set -gx OPENAI_BASE_URL '" + baseURL(flag) + "'\nset -gx OPENAI_API_KEY '" + key.Reveal() + "'\n"},
		{"powershell", "--print-env=powershell", "$Env:OPENAI_BASE_URL = '" + baseURL(flag) + "'\n$Env:OPENAI_API_KEY = '" + key.Reveal() + "'\n"},
	}
	for _, tt := range tests {
		out, _, err := execute(t.Context(), config, tt.flag, "--port", strconv.Itoa(flag))
		if diff := cmp.Diff(tt.want, out.String()); diff != "" || err != nil {
			t.Error(tt.name, err, diff)
		}
	}
	if _, _, err := execute(t.Context(), config, "--print-env=tcsh"); say.Exit(err) != 2 {
		t.Errorf("got %v", err)
	}
}

// A process that has just begun to serve is waited for, and the port that a killed one
// has left behind does not count.
func TestPrintEnvironmentWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		if err := (&place{dir: dir}).write(portName, "1025"); err != nil {
			t.Fatal(err)
		}
		at, err := take(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := at.key(); err != nil {
			t.Fatal(err)
		}
		served := freePort(t)
		go func() { // ends before the command
			time.Sleep(startTime - 100*time.Millisecond)
			if err := at.tellPort(served); err != nil {
				t.Error(err)
			}
		}()
		out, told, err := execute(t.Context(), serveConfig(dir), "--print-env=sh")
		if err != nil || told.String() != "" || !strings.Contains(out.String(), baseURL(served)) {
			t.Errorf("%q, %q, %v", out.String(), told.String(), err)
		}
		if err := at.leave(); err != nil {
			t.Error(err)
		}
	})
}

// The key is not printed for another program that has the port.
func TestServedAtIsNotAStranger(t *testing.T) {
	t.Parallel()
	synctest.Test(t, testServedAtIsNotAStranger)
}

func testServedAtIsNotAStranger(t *testing.T) {
	t.Helper()
	stranger, err := new(net.ListenConfig).Listen(t.Context(), "tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer stranger.Close()
	address, _ := stranger.Addr().(*net.TCPAddr)
	if port, served, err := servedAt(t.Context(), t.TempDir(), address.Port); !errors.Is(err, errTaken) {
		t.Errorf("got %d, %v, %v", port, served, err)
	}
}
