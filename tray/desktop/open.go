package desktop

import (
	"context"
	"fmt"
	"os/exec"
)

// Open shows an address or a file to the person, with the program that the
// desktop has for it. It returns when that program does, which may be when the
// person closes what it shows; that goes on when Windsock ends, and knows
// nothing of its output and its terminal.
func Open(ctx context.Context, address string) error {
	name, args := opener(address)
	cmd := exec.CommandContext(context.WithoutCancel(ctx), name, args...)
	Detach(cmd)
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("open with %s: %w", name, err)
	}
	return nil
}
