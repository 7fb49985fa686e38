package process

import (
	"os"
	"time"
)

const (
	// killRounds is how often what is marked is looked for: it may have started more
	// between a look and the kill.
	killRounds = 10
	killPause  = 20 * time.Millisecond
)

// killMarked kills all processes of this user with that mark in their environment, which
// may have left their group.
func killMarked(mark string) {
	for range killRounds {
		pids := marked(markVariable + "=" + mark)
		if len(pids) == 0 {
			return
		}
		for _, pid := range pids {
			if p, err := os.FindProcess(pid); err == nil {
				_ = p.Kill()    // it has ended by itself
				_ = p.Release() // which holds a file on Linux
			}
		}
		time.Sleep(killPause)
	}
}
