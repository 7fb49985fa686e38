//go:build !windows

package terminal

import "os"

// EnableANSI is for Windows.
func EnableANSI(*os.File) {}
