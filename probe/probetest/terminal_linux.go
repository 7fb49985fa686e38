package probetest

import (
	"errors"
	"fmt"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// Terminal opens a pseudoterminal of that size. What is written to the terminal is read
// from the master.
func Terminal(tb testing.TB, columns, lines uint16) (terminal, master *os.File) {
	tb.Helper()
	open := func(path string) *os.File {
		file, err := os.OpenFile(path, os.O_RDWR|unix.O_NOCTTY, 0)
		if errors.Is(err, os.ErrNotExist) || errors.Is(err, unix.ENODEV) {
			Lacks(tb, "pseudoterminals")
		}
		if err != nil {
			tb.Fatal(err)
		}
		tb.Cleanup(func() { _ = file.Close() })
		return file
	}
	master = open("/dev/ptmx")
	fd := int(master.Fd())
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	size := &unix.Winsize{Col: columns, Row: lines}
	if err = errors.Join(err, unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0), unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, size)); err != nil {
		tb.Fatal(err)
	}
	return open(fmt.Sprintf("/dev/pts/%d", number)), master
}
