package probe

import (
	"errors"

	"golang.org/x/sys/windows"
)

// connectionReset reports whether the other end has broken a connection off.
func connectionReset(err error) bool {
	return errors.Is(err, windows.WSAECONNRESET) || errors.Is(err, windows.WSAECONNABORTED)
}
