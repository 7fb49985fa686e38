//go:build !windows

package process

import (
	"os/exec"
	"syscall"
)

// group is the process group that a program leads.
type group struct{ id int }

func startGroup(cmd *exec.Cmd) (group, error) {
	alone(cmd)
	if err := cmd.Start(); err != nil {
		return group{}, err
	}
	return group{cmd.Process.Pid}, nil
}

// terminate tells the group to end. It returns false where that cannot be told.
func (g group) terminate() bool { g.signal(syscall.SIGTERM); return true }
func (g group) kill()           { g.signal(syscall.SIGKILL) }
func (group) close()            {}

func (g group) signal(s syscall.Signal) { _ = syscall.Kill(-g.id, s) } // a group that is gone is what was wanted
