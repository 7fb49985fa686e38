package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
)

// crowd are processes that sleep. All of them read from one pipe, so that they
// end when it is closed, also by the end of this program.
type crowd struct {
	pipe *os.File
	all  []*exec.Cmd
}

func gather(ctx context.Context, n int) (*crowd, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("start bystanders: %w", err)
	}
	defer read.Close()
	c := &crowd{pipe: write}
	for range n {
		cmd := exec.CommandContext(ctx, "cat")
		cmd.Stdin = read
		if err := cmd.Start(); err != nil {
			c.leave()
			return nil, fmt.Errorf("start bystanders: %w", err)
		}
		c.all = append(c.all, cmd)
	}
	return c, nil
}

// leave ends them and waits for it.
func (c *crowd) leave() {
	_ = c.pipe.Close()
	for _, cmd := range c.all {
		_ = cmd.Wait() // how it ended is not of interest
	}
}
