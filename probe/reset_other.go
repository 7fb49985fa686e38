//go:build !windows

package probe

import (
	"errors"
	"syscall"
)

// connectionReset reports whether the other end has broken a connection off.
func connectionReset(err error) bool { return errors.Is(err, syscall.ECONNRESET) }
