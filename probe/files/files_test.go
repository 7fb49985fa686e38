package files_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/probe/files"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// listing is the content of a directory: names and texts.
func listing(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, e := range entries {
		text, _ := os.ReadFile(filepath.Join(dir, e.Name())) // a directory has no text
		all[e.Name()] = string(text)
	}
	return all
}

func TestRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "four"), "1234")
	write(t, filepath.Join(dir, "five"), "12345")
	tests := []struct {
		name string
		want string
		err  error
	}{
		{"four", "1234", nil},
		{"five", "", files.ErrTooLarge},
		{"none", "", fs.ErrNotExist},
		{".", "", files.ErrNotRegular},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := files.Read(filepath.Join(dir, tt.name), 4)
			if string(got) != tt.want || !errors.Is(err, tt.err) {
				t.Errorf("got %q, %v; want %q, %v", got, err, tt.want, tt.err)
			}
			if err != nil && strings.Contains(err.Error(), dir) {
				t.Errorf("the error has the path: %v", err)
			}
		})
	}
}

func TestReplace(t *testing.T) {
	t.Parallel()
	testReplace(t, files.Replace)
}

func TestOverwrite(t *testing.T) {
	t.Parallel()
	testReplace(t, files.Overwrite)
}

func testReplace(t *testing.T, replace func(path string, content []byte, mode fs.FileMode) error) {
	t.Helper()
	dir := t.TempDir()
	lost := filepath.Join(dir, ".windsock-draft-1")
	write(t, lost, "a killed process's")
	if err := os.Chtimes(lost, time.Time{}, time.Now().Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, ".windsock-draft-2"), "one that is being written")
	path := filepath.Join(dir, "kept")
	for _, text := range []string{"first", "second"} {
		if err := replace(path, []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	want := map[string]string{"kept": "second", ".windsock-draft-2": "one that is being written"}
	if diff := cmp.Diff(want, listing(t, dir)); diff != "" {
		t.Error(diff)
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode() != 0o640 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

// TestReplaceFails: if a directory has the file's name, no draft is left behind.
func TestReplaceFails(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "kept", "in it"), 0o700); err != nil {
		t.Fatal(err)
	}
	err := files.Replace(filepath.Join(dir, "kept"), []byte("text"), 0o600)
	if err == nil || strings.Contains(err.Error(), dir) {
		t.Errorf("error %v", err)
	}
	if diff := cmp.Diff(map[string]string{"kept": ""}, listing(t, dir)); diff != "" {
		t.Error(diff)
	}
}

func TestMoveAside(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	now := time.Date(2026, 11, 22, 18, 30, 0, 0, time.UTC)
	for _, text := range []string{"first", "second"} {
		write(t, filepath.Join(dir, "kept"), text)
		if _, err := files.MoveAside(filepath.Join(dir, "kept"), now); err != nil {
			t.Fatal(err)
		}
	}
	want := map[string]string{"kept-unreadable-20261122-183000": "first", "kept-unreadable-20261122-183000-2": "second"}
	if diff := cmp.Diff(want, listing(t, dir)); diff != "" {
		t.Error(diff)
	}
}
