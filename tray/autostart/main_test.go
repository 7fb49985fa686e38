package autostart

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"windsock/probe/probetest"
)

// golden compares with testdata/golden/name.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	probetest.Golden(t, "golden/"+name, got)
}

// makeExecutable writes something that could be started, by a name that is one on
// Windows too, and returns its path.
func makeExecutable(t *testing.T, path ...string) string {
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

// told is what a failure says; of a path there must be nothing in it.
type told struct{ Error, Sentence string }

func tell(t *testing.T, err error) told {
	t.Helper()
	spoken, ok := errors.AsType[*failure](err)
	if !ok {
		t.Fatalf("got %v, want a failure", err)
	}
	for _, text := range []string{spoken.Error(), spoken.Sentence()} {
		if strings.Contains(text, os.TempDir()) { //nolint:usetesting // where every test's directory lies
			t.Errorf("a path is in %q", text)
		}
	}
	return told{spoken.Error(), spoken.Sentence()}
}

// entryOf is an Entry of a place, to which no directory is a passing one: the
// tests' own are.
func entryOf(p place, executable string, args ...string) *Entry {
	return &Entry{program: program{executable, args}, place: p}
}

func assertEnabled(t *testing.T, e *Entry, want bool) {
	t.Helper()
	got, err := e.Enabled()
	if err != nil {
		t.Fatal(err)
	}
	if got != want {
		t.Errorf("Enabled() = %t, want %t", got, want)
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
