// Package redact takes out of errors what may hold a user's name, so that they can
// be logged, shown and pasted into a report.
package redact

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"syscall"
)

// Path returns an error of the file system, or of the start of a program, without
// the names of files: the system's error number where there is one, else what a
// *fs.PathError, *os.LinkError or *exec.Error is about. What was wrapped around it
// goes, too, as it may repeat a name; whoever calls says what was being done. An
// error without any of these is returned as it is, nil among them.
//
// errors.Is finds in the result what the system said, fs.ErrNotExist for example.
func Path(err error) error {
	if number, ok := errors.AsType[syscall.Errno](err); ok {
		return number
	}
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return Path(e.Err)
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		return Path(e.Err)
	}
	if e, ok := errors.AsType[*exec.Error](err); ok {
		return Path(e.Err)
	}
	return err
}
