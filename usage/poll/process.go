package poll

import (
	"slices"
	"time"
)

// processes are the server processes that gave the figures. Checking them costs next to
// nothing; once one has ended, a fetch is due.
type processes struct {
	// runs reports whether a process runs; nil checks none.
	runs func(pid int) bool
	// every is the time between two checks.
	every time.Duration
	// pids is empty when there is no process to check.
	pids []int
}

// keep makes the processes of the plans the ones to check. One that is invisible from
// here even now never becomes visible.
func (p *processes) keep(plans []known) {
	p.pids = nil
	for _, k := range plans {
		if pid := k.snapshot.Source.PID; p.runs != nil && pid > 0 && k.err == nil && p.runs(pid) {
			p.pids = append(p.pids, pid)
		}
	}
}

// ended reports once that a process has ended.
func (p *processes) ended() bool {
	before := len(p.pids)
	p.pids = slices.DeleteFunc(p.pids, func(pid int) bool { return !p.runs(pid) })
	return len(p.pids) < before
}
