package redact_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"windsock/probe/redact"
)

func TestPath(t *testing.T) {
	t.Parallel()
	const name = "/home/alice/file"
	path := func(err error) error { return &fs.PathError{Op: "open", Path: name, Err: err} }
	plain := errors.New("no file is read")
	tests := []struct {
		name string
		err  error
		want error
	}{
		{"none", nil, nil},
		{"no_path", plain, plain},
		{"number", syscall.EMFILE, syscall.EMFILE},
		{"path", path(syscall.EACCES), syscall.EACCES},
		{"path_without_number", path(fs.ErrClosed), fs.ErrClosed},
		{"link", &os.LinkError{Op: "rename", Old: name, New: name + ".new", Err: syscall.EXDEV}, syscall.EXDEV},
		{"link_without_number", &os.LinkError{Op: "rename", Old: name, New: name, Err: fs.ErrInvalid}, fs.ErrInvalid},
		{"system_call", path(os.NewSyscallError("readdirent", syscall.EIO)), syscall.EIO},
		{"program", &exec.Error{Name: name, Err: exec.ErrNotFound}, exec.ErrNotFound},
		{"wrapped", fmt.Errorf("watch %s: %w", name, syscall.ENOSPC), syscall.ENOSPC},
		{"nested", &exec.Error{Name: name, Err: fmt.Errorf("look at %s: %w", name, path(path(fs.ErrPermission)))}, fs.ErrPermission},
		{"joined", errors.Join(path(fs.ErrClosed), plain), fs.ErrClosed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := redact.Path(tt.err); got != tt.want { //nolint:errorlint // the very error, with nothing around it
				t.Errorf("Path(%v) = %v, want %v", tt.err, got, tt.want)
			}
		})
	}
}

// The errors of the system itself stay recognisable and name no file.
func TestPathOfSystem(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	missing, full := filepath.Join(dir, "missing"), filepath.Join(dir, "full")
	if err := os.MkdirAll(filepath.Join(full, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(full)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	tests := []struct {
		name string
		do   func() error
		is   error // nil if no error matches with errors.Is on every system
	}{
		{"open", func() error { _, err := os.Open(missing); return err }, fs.ErrNotExist},
		{"make", func() error { return os.Mkdir(full, 0o700) }, fs.ErrExist},
		{"rename", func() error { return os.Rename(missing, full+".new") }, fs.ErrNotExist},
		{"remove", func() error { return os.Remove(full) }, nil},
		{"start", func() error { return exec.Command(missing).Run() }, fs.ErrNotExist},
		{"leave_root", func() error { _, err := root.Open(filepath.Join("..", "missing")); return err }, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			before := tt.do()
			err := redact.Path(before)
			if err == nil || strings.Contains(err.Error(), "missing") || strings.Contains(err.Error(), dir) {
				t.Errorf("Path(%v) = %v", before, err)
			}
			if tt.is != nil && !errors.Is(err, tt.is) {
				t.Errorf("Path(%v) = %v, which is no %v", before, err, tt.is)
			}
		})
	}
}
