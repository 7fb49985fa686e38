package files_test

import (
	"errors"
	"io/fs"
	"syscall"
	"testing"

	"windsock/probe/files"
	"windsock/probe/redact"
)

func TestCure(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		err  error
		want string
	}{
		{syscall.ENOSPC, "Make some room, then try again."},
		{syscall.EDQUOT, "Make some room, then try again."},
		{syscall.EROFS, "Make the disk writable again, then try again."},
		{fs.ErrPermission, "Look there."},
		{errors.New("another"), "Look there."},
	} {
		err := redact.Path(&fs.PathError{Op: "open", Path: "/home/robin", Err: tt.err})
		if got := files.Cure(err, "Look there."); got != tt.want {
			t.Errorf("%v: %q, want %q", tt.err, got, tt.want)
		}
	}
}
