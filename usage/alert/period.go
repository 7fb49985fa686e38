package alert

import (
	"slices"
	"time"

	"windsock/usage"
)

// period is a meter's window, or the stretch of one that has none.
type period struct {
	// End is the reset as it was first seen, or where it has drifted since;
	// zero without one.
	End time.Time `json:"end,omitzero"`
	// Told is the share that was told to be used: 80 for the threshold of 20 %
	// left, 100 for used up.
	Told int `json:"told,omitempty"`
	// Totals are the sizes of the pool that were seen, in millionths.
	Totals []int64 `json:"totals,omitempty"`
	// RunsOutSince is the fetch that first said so, of those that say so.
	RunsOutSince time.Time `json:"runs_out_since,omitzero"`
	RunOutTold   bool      `json:"run_out_told,omitempty"`
	// ClearSince is when the meter was first seen above all thresholds after
	// one was told, without a window that would end.
	ClearSince time.Time `json:"clear_since,omitzero"`
	// Owed says that the person is to be told when the meter is back.
	Owed  bool  `json:"owed,omitempty"`
	Muted bool  `json:"muted,omitempty"`
	Extra extra `json:"extra,omitzero"`
}

// extra is extra usage while a quota is used up. Those that are used up at the
// same time share it.
type extra struct {
	// Base is the highest balance that was seen, in millionths of a dollar.
	Base int64 `json:"base,omitempty"`
	// Told is the step that was told, 0 for none.
	Told int `json:"told,omitempty"`
}

// halfWindow is how far two resets of the same window lie apart at most. A
// window without a known length is taken for a week: cycles are longer.
func halfWindow(w usage.Window) time.Duration {
	if w.Start.IsZero() || !w.End.After(w.Start) {
		return 7 * 24 * time.Hour / 2
	}
	return w.End.Sub(w.Start) / 2
}

// find is the period of a window, -1 if there is none. Without a reset it is
// the last one, unless that has ended.
func find(list []period, w usage.Window, now time.Time) int {
	if len(list) == 0 {
		return -1
	}
	last := list[0]
	if w.End.IsZero() {
		if last.End.IsZero() || last.End.After(now) {
			return 0
		}
		return -1
	}
	nearest, least := -1, halfWindow(w)
	for i, p := range list {
		if away := p.End.Sub(w.End).Abs(); !p.End.IsZero() && away < least {
			nearest, least = i, away
		}
	}
	if nearest < 0 && last.End.IsZero() {
		return 0 // the reset has become known
	}
	return nearest
}

// period is the one that a meter is in. The pointer holds until the next call
// for the same meter.
func (a *account) period(m usage.Meter, now time.Time) *period {
	list := a.Meters[m.ID]
	i := find(list, m.Window, now)
	if i < 0 {
		var p period
		if len(list) > 0 {
			p.Owed = list[0].Owed
		}
		list = append(list, p)
		i = len(list) - 1
	}
	toFront(list, i)
	list = list[:min(len(list), maxPeriods)]
	a.Meters[m.ID] = list
	p := &list[0]
	// A reset that jitters is not written anew each time; one that drifts is
	// followed, so that it never gets half a window away.
	if end := m.Window.End; !end.IsZero() && p.End.Sub(end).Abs() > halfWindow(m.Window)/4 {
		p.End = stamp(end)
	}
	return p
}

// see takes in a meter's figure; level is the share that could be told of it.
func (p *period) see(m usage.Meter, level int, now time.Time) {
	total, _ := m.Total.Micros()
	if !slices.Contains(p.Totals, total) {
		if len(p.Totals) > 0 {
			p.otherPool(m, level, total > p.Totals[0])
		}
		p.Totals = slices.Insert(p.Totals, 0, total)
		p.Totals = p.Totals[:min(len(p.Totals), maxTotals)]
	}
	// The pool of flex credits is their period, so that they need no other end.
	endless := p.End.IsZero() && m.ID != usage.FlexCredits
	if lasts(&p.ClearSince, now, endless && level == 0 && (p.Told > 0 || p.Muted)) {
		p.Told, p.Muted, p.ClearSince = 0, false, time.Time{}
	}
}

// otherPool makes possible again what a pool of another size has lifted the
// meter out of. Where the pool is the period, more of it ends a mute.
func (p *period) otherPool(m usage.Meter, level int, more bool) {
	p.Told = min(p.Told, level)
	if m.Pace != nil && m.Pace.Verdict != usage.VerdictRunsOut {
		p.RunOutTold = false
	}
	if p.End.IsZero() && more {
		p.Muted = false
	}
}
