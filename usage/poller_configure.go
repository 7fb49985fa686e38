package usage

import "slices"

// Configure changes the settings from now on. With the present ones, nothing
// happens.
//
// The next fetch is due as if the interval had always been this one, and by it
// the figures are stale or are not; a retry and a fetch after a wake stay where
// they are. With another variant the figures go, for they are another editor's,
// and the new one is asked at once; a fetch of the old one that is under way is
// given up, and what it brings is not shown. The pace of the figures is worked
// out anew.
func (p *Poller) Configure(s PollerSettings) {
	s.Interval = bounded(s.Interval)
	p.mu.Lock()
	defer p.mu.Unlock()
	if s.Interval == p.schedule.interval && s.Variant == p.variant && s.Pace.equal(p.pace) {
		return
	}
	p.look()
	if s.Interval != p.schedule.interval {
		p.schedule.setInterval(s.Interval, p.got)
	}
	if s.Variant != p.variant {
		p.variant = s.Variant
		p.forget()
	}
	if !s.Pace.equal(p.pace) {
		p.pace = s.Pace
		p.last = p.last.WithPace(p.history, p.pace)
	}
	// At once, so that nobody finds the old figures in a channel after this.
	p.publish()
	p.wakeRun()
}

// forget drops all that is known. The caller holds mu.
func (p *Poller) forget() {
	p.last, p.history, p.err = unknown(), nil, nil
	p.schedule.anew()
	if p.schedule.fetching {
		p.dropped = true
		p.cancel()
	}
}

func (o PaceOptions) equal(p PaceOptions) bool {
	return slices.Equal(o.WorkDays, p.WorkDays) && o.Location == p.Location
}
