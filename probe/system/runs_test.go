package system

import (
	"os"
	"os/exec"
	"testing"
)

func TestRuns(t *testing.T) {
	t.Parallel()
	if !Runs(os.Getpid()) {
		t.Error("this process does not run")
	}
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^$")
	in, err := child.StdinPipe() // kept open, as an editor does for its server
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if err := child.Run(); err != nil {
		t.Fatal(err)
	}
	if Runs(child.Process.Pid) {
		t.Error("a process runs that has ended")
	}
}
