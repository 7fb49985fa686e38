package probetest

import (
	"os"
	"os/exec"
	"testing"
)

// Bystanders are processes that wait, and end with the test.
func Bystanders(tb testing.TB, n int) {
	tb.Helper()
	read, write, err := os.Pipe()
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = read.Close() }() // nothing was written to it
	all := make([]*exec.Cmd, 0, n)
	tb.Cleanup(func() {
		_ = write.Close()
		for _, cmd := range all {
			_ = cmd.Wait()
		}
	})
	for range n {
		cmd := exec.CommandContext(tb.Context(), "cat")
		cmd.Stdin = read
		if err := cmd.Start(); err != nil {
			tb.Fatal(err)
		}
		all = append(all, cmd)
	}
}
