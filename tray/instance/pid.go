package instance

import (
	"io"
	"os"
	"strconv"
	"strings"
)

// pidOffset leaves out the first byte of the lock file: it is the one that is
// locked on Windows, where nobody else can read it then.
const pidOffset = 1

// writePID notes this process in the lock file, which it holds. A number that
// cannot be written is missing from a message and hinders nothing.
func writePID(path string) {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return
	}
	_, _ = f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), pidOffset)
	_ = f.Close()
}

// readPID returns the process that the lock file names, or 0. What follows the
// first line is what is left of a longer number.
func readPID(path string) int {
	f, err := os.Open(path)
	if err != nil {
		return 0
	}
	defer f.Close()
	text, err := io.ReadAll(io.NewSectionReader(f, pidOffset, 32))
	if err != nil {
		return 0
	}
	line, _, ended := strings.Cut(string(text), "\n")
	pid, err := strconv.Atoi(line)
	if err != nil || !ended || pid < 1 {
		return 0
	}
	return pid
}
