//go:build !windows

package tray

import (
	"os"
	"syscall"
)

// sigpipe is what a write to a pipe without a reader costs otherwise.
var sigpipe = []os.Signal{syscall.SIGPIPE}
