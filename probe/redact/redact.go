// Package redact removes from errors and folders what may hold a user's name, so that they
// can be logged, shown and pasted into a report.
package redact

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"syscall"
)

// Path returns an error of the file system, or of the start of a program, without file
// names. It keeps the system's error number if there is one, else the inner error of
// the *fs.PathError, *os.LinkError or *exec.Error. It drops the text wrapped around it,
// which may repeat a name; the caller says what was being done. Any other error,
// including nil, is returned unchanged.
//
// errors.Is still finds the system's error in the result, for example fs.ErrNotExist.
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
