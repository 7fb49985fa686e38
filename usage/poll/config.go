package poll

import (
	"context"
	"slices"
	"time"

	"windsock/usage"
	"windsock/usage/pace"
)

// Config are the settings and dependencies of a Poller.
type Config struct {
	Settings

	// Products are the products that a person has asked for; nil is all of them.
	Products []usage.Product
	// Fetch asks for the plans. It must end soon after its context, and by itself in any
	// case: until then there is no other fetch.
	Fetch Fetch
	// Record gets all figures; nil keeps no history. It must end as Fetch does.
	Record Record
	// Recall reads the editors' plan caches, which are shown when no editor runs and no
	// figures were fetched; nil reads none.
	Recall Recall
	// Salt returns the salt of [usage.Plan.Key]; nil leaves accounts without a hash.
	Salt func(context.Context) ([]byte, error)
	// Runs reports whether a process still runs; nil disables the check. The process
	// that gave the figures is checked every LookEvery, so that the figures of an
	// editor that has ended do not look like those of a running one.
	Runs func(pid int) bool
	// LookEvery is the interval of that check; 0 is a minute, which is how often a
	// state is sent anyway.
	LookEvery time.Duration
	// Now is the wall clock; nil is time.Now.
	Now func() time.Time
	// Speed is how many times faster than time Now runs; 0 is 1. Only a demo's clock is
	// fast. Dates follow it; intervals, pauses and staleness stay in real time.
	Speed float64
}

// Settings are what [Poller.Configure] changes.
type Settings struct {
	// Interval is the time between two answers, give or take a tenth. It is clamped to
	// one second and MaxInterval; 0 is DefaultInterval.
	Interval time.Duration
	// Variant is the editor to ask, empty for any.
	Variant string
	// Cloud is what the settings allow to be asked over the internet, in their words.
	Cloud []string
	// Lead is the name of the plan that leads; empty for the first with figures.
	Lead string
	// Pace are the options for the pace of the figures.
	Pace pace.Options
}

// Record stores figures and returns the stored samples of the same windows, or nil. It
// is called only with good figures that have a time, right after their fetch and by the
// same goroutine. A history that cannot be stored is lost, without an error.
type Record func(ctx context.Context, s usage.Snapshot) pace.History

// History is the result of a Record; a nil one records nothing.
func (r Record) History(ctx context.Context, s usage.Snapshot) pace.History {
	if r == nil || s.Source.FetchedAt.IsZero() {
		return nil
	}
	return r(ctx, s)
}

// The bounds of an interval. A terminal in view may poll more often than an app that
// runs all day; a demo's time-lapse has to.
const (
	DefaultInterval  = 5 * time.Minute
	MinInterval      = time.Minute
	MinWatchInterval = 10 * time.Second
	MaxInterval      = time.Hour

	leastInterval = time.Second
)

// bounded clamps an interval.
func bounded(interval time.Duration) time.Duration {
	if interval == 0 {
		return DefaultInterval
	}
	return min(max(interval, leastInterval), MaxInterval)
}

// Configure changes the settings from now on. The present settings change nothing.
//
// The next fetch is due as if the interval had always been this one, and staleness
// follows the new interval; a retry and a fetch after a wake keep their times. Another
// variant drops the figures, which belong to another editor, and is fetched at once; a
// running fetch of the old variant is canceled, and its result is not shown. What else
// is allowed of the cloud drops the cloud's figures, in the same way. The pace of the
// figures is computed anew.
func (p *Poller) Configure(s Settings) {
	s.Interval = bounded(s.Interval)
	p.mu.Lock()
	defer p.mu.Unlock()
	cloud := !slices.Equal(s.Cloud, p.cloud)
	if s.Interval == p.products[0].schedule.interval && s.Variant == p.variant && !cloud && s.Lead == p.lead && s.Pace.Equal(p.pace) {
		return
	}
	p.look()
	paced := !s.Pace.Equal(p.pace)
	p.lead, p.pace = s.Lead, s.Pace
	for _, d := range p.products {
		if s.Interval != d.schedule.interval {
			d.schedule.setInterval(s.Interval)
		}
		switch {
		case s.Variant != p.variant:
			d.forget()
		case cloud:
			d.forgetCloud()
		}
		for i, k := range d.plans {
			if paced {
				d.plans[i].snapshot = pace.Judge(k.snapshot, k.history, p.pace)
			}
		}
	}
	p.variant, p.cloud = s.Variant, slices.Clone(s.Cloud)
	// At once, so that no channel still holds the old figures after this call.
	p.publish()
	p.wakeRun()
}
