package desktop

import (
	"context"
	"fmt"
	"os/exec"
)

// Open shows an address or a file with the desktop's program for it. It returns when
// that program returns, which may be when the person closes it. The program survives
// the end of Windsock, and has no access to its output and its terminal.
func Open(ctx context.Context, address string) error {
	name, args := opener(address)
	cmd := exec.CommandContext(context.WithoutCancel(ctx), name, args...)
	Detach(cmd)
	cmd.Env = Environ(ctx)
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("open with %s: %w", name, err)
	}
	return nil
}
