package e2e

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
)

// running reports whether a process runs. One that its parent has not looked at yet does
// not.
func running(pid int) bool {
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	return err == nil && !bytes.Contains(stat, []byte(") Z "))
}
