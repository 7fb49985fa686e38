package alert

import (
	"slices"
	"time"

	"windsock/usage"
)

// period is a meter's window, or the stretch of one that has none.
type period struct {
	// End is the reset as it was first seen; zero without one.
	End time.Time `json:"end,omitzero"`
	// Pools are those that the meter has had in the period, the present one
	// first.
	Pools []pool `json:"pools,omitempty"`
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

// pool is what a meter counts down from.
type pool struct {
	// Total is its size, in millionths, which tells pools apart.
	Total int64 `json:"total"`
	// Told is the share that was told to be used: 80 for the threshold of 20 %
	// left, 100 for used up.
	Told int `json:"told,omitempty"`
	// Refilled says that this was told.
	Refilled bool `json:"refilled,omitempty"`
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
	if p.End.IsZero() && !m.Window.End.IsZero() {
		p.End = stamp(m.Window.End)
	}
	return p
}

// see takes in a meter's figure, and returns the pool that it is of; level is the
// share that could be told now. The pointer holds until the next call.
func (p *period) see(m usage.Meter, level int, now time.Time) *pool {
	total, _ := m.Total.Micros()
	i := slices.IndexFunc(p.Pools, func(o pool) bool { return o.Total == total })
	if i < 0 {
		p.Pools = append(p.Pools, p.next(m, total, level))
		i = len(p.Pools) - 1
	}
	toFront(p.Pools, i)
	p.Pools = p.Pools[:min(len(p.Pools), maxPools)]
	present := &p.Pools[0]
	// The pool of flex credits is their period, so that they need no other end.
	endless := p.End.IsZero() && m.ID != usage.FlexCredits
	if lasts(&p.ClearSince, now, endless && level == 0 && (present.Told > 0 || p.Muted)) {
		present.Told, present.Refilled, p.Muted, p.ClearSince = 0, false, false, time.Time{}
	}
	return present
}

// next is a pool that was not seen before. Told of it is what was told of the
// last one and holds still; what the meter was lifted out of is possible again.
// Where the pool is the period, more of it ends a mute.
func (p *period) next(m usage.Meter, total int64, level int) pool {
	if len(p.Pools) == 0 {
		return pool{Total: total}
	}
	last := p.Pools[0]
	if m.Pace != nil && m.Pace.Verdict != usage.VerdictRunsOut {
		p.RunOutTold = false
	}
	if p.End.IsZero() && total > last.Total {
		p.Muted = false
	}
	return pool{Total: total, Told: min(last.Told, level)}
}
