//go:build unix

package simulator

import (
	"os/exec"
	"syscall"
)

func setCredential(cmd *exec.Cmd, c *Credential) error {
	if c != nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: c.UID, Gid: c.GID}}
	}
	return nil
}
