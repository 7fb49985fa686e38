package usage

import "time"

// Configure changes the interval and the variant from now on; they mean what
// they do in a [PollerConfig]. With the present ones, nothing happens.
//
// The next fetch is due as if the interval had always been this one, and by it
// the figures are stale or are not; a retry and a fetch after a wake stay where
// they are. With another variant the figures go, for they are another editor's,
// and the new one is asked at once; a fetch of the old one that is under way is
// given up, and what it brings is not shown.
func (p *Poller) Configure(interval time.Duration, variant string) {
	interval = bounded(interval)
	p.mu.Lock()
	defer p.mu.Unlock()
	if interval == p.schedule.interval && variant == p.variant {
		return
	}
	p.look()
	if interval != p.schedule.interval {
		p.schedule.setInterval(interval, p.got)
	}
	if variant != p.variant {
		p.variant = variant
		p.forget()
	}
	// At once, so that nobody finds the old figures in a channel after this.
	p.publish()
	p.wakeRun()
}

// forget drops all that is known. The caller holds mu.
func (p *Poller) forget() {
	p.last, p.err = unknown(), nil
	p.schedule.anew()
	if p.schedule.fetching {
		p.dropped = true
		p.cancel()
	}
}
