//go:build !unix

package simulator

import (
	"errors"
	"os/exec"
)

// setCredential: Windows has no user and group numbers.
func setCredential(_ *exec.Cmd, c *Credential) error {
	if c != nil {
		return errors.New("run as another user: not on this system")
	}
	return nil
}
