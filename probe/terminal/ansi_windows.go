package terminal

import (
	"os"

	"golang.org/x/sys/windows"
)

// EnableANSI has a Windows console obey escape sequences, as a terminal does anyway. It
// does nothing to a stream that is none.
func EnableANSI(f *os.File) {
	var mode uint32
	console := windows.Handle(f.Fd())
	if windows.GetConsoleMode(console, &mode) == nil {
		// A console older than Windows 10 refuses.
		_ = windows.SetConsoleMode(console, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING)
	}
}
