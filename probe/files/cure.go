package files

import (
	"errors"
	"syscall"
)

// Cure is what a person can do about a file that cannot be written: what a full or a
// read-only disk asks for, else otherwise.
func Cure(err error, otherwise string) string {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return "Make some room, then try again."
	case errors.Is(err, syscall.EROFS):
		return "Make the disk writable again, then try again."
	default:
		return otherwise
	}
}
