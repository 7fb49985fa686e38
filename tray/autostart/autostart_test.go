package autostart

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"windsock/probe/say"
)

// executable writes something that could be started, by a name that is one on
// Windows too, and returns its path.
func executable(t *testing.T, path ...string) string {
	t.Helper()
	name := filepath.Join(append([]string{t.TempDir()}, path...)...)
	if err := os.MkdirAll(filepath.Dir(name), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return name
}

func assertEnabled(t *testing.T, e *Entry, want bool) {
	t.Helper()
	if got, err := e.Enabled(); err != nil || got != want {
		t.Errorf("Enabled() = %t, %v; want %t", got, err, want)
	}
}

func enable(t *testing.T, e *Entry) {
	t.Helper()
	if err := e.Enable(); err != nil {
		t.Fatal(err)
	}
	assertEnabled(t, e, true)
}

func disable(t *testing.T, e *Entry) {
	t.Helper()
	if err := e.Disable(); err != nil {
		t.Fatal(err)
	}
	assertEnabled(t, e, false)
}

// assertSays checks what people read. There must be no path in it.
func assertSays(t *testing.T, err error, want string) {
	t.Helper()
	got := say.Sentence(err, "")
	if !strings.Contains(got, want) {
		t.Errorf("says %q, want %q in it", got, want)
	}
	if strings.Contains(got+err.Error(), os.TempDir()) { //nolint:usetesting // where every test's directory lies
		t.Errorf("a path is in %q or %q", got, err)
	}
}
