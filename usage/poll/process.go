package poll

import "time"

// process is the server process that gave the figures. Checking it costs next to
// nothing; once it has ended, a fetch is due.
type process struct {
	// runs reports whether a process runs; nil checks none.
	runs func(pid int) bool
	// every is the time between two checks.
	every time.Duration
	// pid is 0 when there is no process to check.
	pid int
}

// keep makes a process the one to check. One that is invisible from here even now never
// becomes visible.
func (p *process) keep(pid int) {
	p.pid = 0
	if p.runs != nil && pid > 0 && p.runs(pid) {
		p.pid = pid
	}
}

// ended reports once that the process has ended.
func (p *process) ended() bool {
	if p.pid == 0 || p.runs(p.pid) {
		return false
	}
	p.pid = 0
	return true
}
