package terminal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// openTerminal opens a pseudoterminal of that size.
func openTerminal(t *testing.T, columns, lines uint16) *os.File {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if errors.Is(err, fs.ErrNotExist) && os.Getenv("CI") == "" {
		t.Skip("no pseudoterminals here")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = master.Close() })
	fd := int(master.Fd())
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	size := &unix.Winsize{Col: columns, Row: lines}
	if err = errors.Join(err, unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0), unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, size)); err != nil {
		t.Fatal(err)
	}
	terminal, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = terminal.Close() })
	return terminal
}

func TestTerminal(t *testing.T) {
	t.Parallel()
	terminal := openTerminal(t, 100, 30)
	if columns, lines := Size(terminal); !Is(terminal) || columns != 100 || lines != 30 {
		t.Errorf("terminal: %t, %d by %d, want 100 by 30", Is(terminal), columns, lines)
	}
	if got := Width(terminal, none); got != 100 {
		t.Errorf("width %d, want 100", got)
	}
	if got := Width(terminal, func(string) (string, bool) { return "40", true }); got != 40 {
		t.Errorf("with COLUMNS: width %d, want 40", got)
	}
	silent := openTerminal(t, 0, 0)
	if got := Width(silent, none); !Is(silent) || got != 0 {
		t.Errorf("of a terminal without a size: %t, width %d", Is(silent), got)
	}
}
