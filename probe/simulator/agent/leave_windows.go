package agent

import (
	"os"
	"os/exec"
	"os/signal"
)

// deafen makes the process ignore requests to end.
func deafen() { signal.Ignore(os.Interrupt) }

// leaveGroup does nothing: a program cannot leave its job.
func leaveGroup(*exec.Cmd) {}
