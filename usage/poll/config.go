package poll

import (
	"context"
	"time"

	"windsock/usage"
	"windsock/usage/pace"
)

// Config is what a Poller is made of.
type Config struct {
	Settings

	// Fetch asks for the plan. It ends soon after its context does, and by
	// itself in any case: until it has, nothing is asked again.
	Fetch Fetch
	// Record is told of all figures; nil is no history. It ends as Fetch does.
	Record Record
	// Recall tells what editors keep of the plan, which is shown where none runs
	// and there are no figures from one; nil is nothing.
	Recall Recall
	// Runs reports whether a process still runs; nil is not to look. The one that
	// gave the figures is looked at every LookEvery, so that nobody takes the
	// figures of an editor that has ended for those of one that runs.
	Runs func(pid int) bool
	// LookEvery is that time, a minute where it is 0: no more often than a state is
	// sent anyway.
	LookEvery time.Duration
	// Now is the wall clock; nil is time.Now.
	Now func() time.Time
	// Speed is how many times faster than time Now runs; 0 is 1. Only a demo's
	// clock is fast. Dates are its dates, while intervals, pauses and staleness
	// stay what they are for whoever looks at it.
	Speed float64
}

// Settings are what [Poller.Configure] changes.
type Settings struct {
	// Interval is the time between two answers, give or take a tenth. It is
	// kept between a second and MaxInterval; 0 is DefaultInterval.
	Interval time.Duration
	// Variant is the editor to ask, empty for any.
	Variant string
	// Pace is what the pace of the figures is worked out with.
	Pace pace.Options
}

// Record keeps figures and returns what was kept of the same windows before, or
// nil. It is called with good figures that have a time and no others, right
// after they were had and by the goroutine that had them; a history that cannot
// be kept is lost, and no error.
type Record func(ctx context.Context, s usage.Snapshot) pace.History

// History is what a Record returns; nil records nothing.
func (r Record) History(ctx context.Context, s usage.Snapshot) pace.History {
	if r == nil || s.Source.FetchedAt.IsZero() {
		return nil
	}
	return r(ctx, s)
}

// The bounds of an interval. A terminal that somebody looks at may ask more
// often than an app that runs all day, and a demo's time-lapse has to.
const (
	DefaultInterval  = 5 * time.Minute
	MinInterval      = time.Minute
	MinWatchInterval = 10 * time.Second
	MaxInterval      = time.Hour

	leastInterval = time.Second
)

// bounded is the interval that is kept for one that was asked for.
func bounded(interval time.Duration) time.Duration {
	if interval == 0 {
		return DefaultInterval
	}
	return min(max(interval, leastInterval), MaxInterval)
}

// Configure changes the settings from now on. With the present ones, nothing
// happens.
//
// The next fetch is due as if the interval had always been this one, and by it
// the figures are stale or are not; a retry and a fetch after a wake stay where
// they are. With another variant the figures go, for they are another editor's,
// and the new one is asked at once; a fetch of the old one that is under way is
// given up, and what it brings is not shown. The pace of the figures is worked
// out anew.
func (p *Poller) Configure(s Settings) {
	s.Interval = bounded(s.Interval)
	p.mu.Lock()
	defer p.mu.Unlock()
	if s.Interval == p.schedule.interval && s.Variant == p.variant && s.Pace.Equal(p.pace) {
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
	if !s.Pace.Equal(p.pace) {
		p.pace = s.Pace
		p.last = pace.Judge(p.last, p.history, p.pace)
	}
	// At once, so that nobody finds the old figures in a channel after this.
	p.publish()
	p.wakeRun()
}

// forget drops all that is known. The caller holds mu.
func (p *Poller) forget() {
	p.last, p.history, p.err = unknown(), nil, nil
	p.server.pid = 0
	p.schedule.anew()
	if p.schedule.fetching {
		p.dropped = true
		p.cancel()
	}
}
