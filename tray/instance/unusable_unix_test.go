//go:build unix

package instance

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"windsock/probe/probetest"
)

// A link, even one that leads nowhere yet, would put the lock elsewhere.
func TestLink(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, fileName)
	if err := os.Symlink(path+".elsewhere", path); err != nil {
		t.Fatal(err)
	}
	assertUnusable(t, dir, "not a regular file")
}

// A pipe must not make Acquire hang, whether or not somebody has it open.
func TestPipe(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, fileName), 0o600); err != nil {
		t.Fatal(err)
	}
	assertUnusable(t, dir, "not a regular file")
}

func TestForbidden(t *testing.T) {
	if !probetest.AsOrdinaryUser(t) {
		return
	}
	for _, tt := range []struct {
		name  string
		spoil func(dir string) error
	}{
		{"unreadable", func(dir string) error {
			return os.WriteFile(filepath.Join(dir, fileName), nil, 0o200)
		}},
		{"read_only", func(dir string) error {
			return os.WriteFile(filepath.Join(dir, fileName), nil, 0o400)
		}},
		{"directory_not_writable", func(dir string) error { return os.Chmod(dir, 0o500) }},
		{"directory_not_searchable", func(dir string) error { return os.Chmod(dir, 0o000) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "lock")
			if err := errors.Join(os.Mkdir(dir, 0o700), tt.spoil(dir)); err != nil {
				t.Fatal(err)
			}
			assertUnusable(t, dir, "permission denied")
			_ = os.Chmod(dir, 0o700) // so that the test can tidy up
		})
	}
}

func TestDirectoryInTheWay(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	assertUnusable(t, filepath.Join(file, "windsock"), "not a directory")
}
