package files_test

import (
	"errors"
	"io/fs"
	"runtime"
	"syscall"
	"testing"

	"windsock/probe/files"
	"windsock/probe/redact"
)

func TestCure(t *testing.T) {
	t.Parallel()
	full, readOnly := []syscall.Errno{syscall.ENOSPC, syscall.EDQUOT}, syscall.EROFS
	if runtime.GOOS == "windows" { // ERROR_HANDLE_DISK_FULL, ERROR_DISK_FULL, ERROR_DISK_QUOTA_EXCEEDED, ERROR_WRITE_PROTECT
		full, readOnly = []syscall.Errno{39, 112, 1295}, 19
	}
	tests := []cure{
		{readOnly, "Make the disk writable again, then try again."},
		{fs.ErrPermission, "Look there."},
		{errors.New("another"), "Look there."},
	}
	for _, err := range full {
		tests = append(tests, cure{err, "Make some room, then try again."})
	}
	for _, tt := range tests {
		err := redact.Path(&fs.PathError{Op: "open", Path: "/home/robin", Err: tt.err})
		if got := files.Cure(err, "Look there."); got != tt.want {
			t.Errorf("%v: %q, want %q", tt.err, got, tt.want)
		}
	}
}

type cure struct {
	err  error
	want string
}
