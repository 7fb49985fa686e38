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
	began := time.Now()
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
	if waited := time.Since(began); !strings.Contains(told.String(), "windsock: Nothing is served now. ") || waited != startTime {
		t.Errorf("told %q after %v", told.String(), waited)
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

// What is started at the same time is waited for, also where it is slow, and where
// a process that was killed has left its port behind.
func TestPrintEnvironmentWaits(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name          string
		locks, serves time.Duration // after --print-env began
	}{
		{"before_it_has_the_lock", 1900 * time.Millisecond, 0},
		{"with_the_lock", 0, 2900 * time.Millisecond},
		{"at_once", 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				dir := t.TempDir()
				if err := (&place{dir: dir}).write(portName, "1025"); err != nil {
					t.Fatal(err)
				}
				config, served := serveConfig(dir), freePort(t)
				config.Settings = func() (Config, error) { return Config{Port: freePort(t), Concurrency: 1}, nil }
				done, left := make(chan struct{}), make(chan struct{})
				go func() { // ends with the test
					defer close(left)
					time.Sleep(tt.locks)
					at, err := take(t.Context(), dir)
					if err != nil {
						t.Error(err)
						return
					}
					_, err = at.key()
					time.Sleep(tt.serves)
					if err = errors.Join(err, at.tellPort(served)); err != nil {
						t.Error(err)
					}
					<-done
					if err := at.leave(); err != nil {
						t.Error(err)
					}
				}()
				out, told, err := execute(t.Context(), config, "--print-env=sh")
				close(done)
				<-left
				if err != nil || told.String() != "" || !strings.Contains(out.String(), baseURL(served)) {
					t.Errorf("%q, %q, %v", out.String(), told.String(), err)
				}
			})
		})
	}
}

// Nobody's key goes to another program that has the port.
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
