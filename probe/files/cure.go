package files

import (
	"errors"
	"slices"
)

// Cure is what a person can do about a file that cannot be written: what a full or a
// read-only disk asks for, else otherwise.
func Cure(err error, otherwise string) string {
	switch {
	case Full(err):
		return "Make some room, then try again."
	case ReadOnly(err):
		return "Make the disk writable again, then try again."
	default:
		return otherwise
	}
}

// Full reports whether an error says that a disk is full, or what a user may have of it.
func Full(err error) bool { return isOf(err, full) }

// ReadOnly reports whether an error says that a disk is read-only.
func ReadOnly(err error) bool { return isOf(err, readOnly) }

func isOf(err error, some []error) bool {
	return slices.ContainsFunc(some, func(one error) bool { return errors.Is(err, one) })
}
