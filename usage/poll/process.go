package poll

import "time"

// process is the server's that gave the figures. It is only looked at, which costs
// next to nothing; with it gone, there is something to ask.
type process struct {
	// runs reports whether there is such a process; nil looks at none.
	runs func(pid int) bool
	// every is the time between two looks.
	every time.Duration
	// pid is 0 where there is none to look at.
	pid int
}

// keep makes a process the one that is looked at. One that cannot be seen from
// here even now never will be.
func (p *process) keep(pid int) {
	p.pid = 0
	if p.runs != nil && pid > 0 && p.runs(pid) {
		p.pid = pid
	}
}

// ended reports once that the process has gone.
func (p *process) ended() bool {
	if p.pid == 0 || p.runs(p.pid) {
		return false
	}
	p.pid = 0
	return true
}
