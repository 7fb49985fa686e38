package alert

import (
	"time"

	"windsock/usage"
)

// plan is what is remembered of one account's plan.
type plan struct {
	Account string                    `json:"account"`
	Records map[usage.MeterID]*record `json:"records,omitempty"`
	Extra   extra                     `json:"extra,omitzero"`
	Debt    debt                      `json:"debt,omitzero"`
	TopUp   topUp                     `json:"top_up,omitzero"`
	// MutedUntil is when a mute of extra usage ends.
	MutedUntil time.Time `json:"extra_usage_muted_until,omitzero"`
	// First is what the first edition kept instead of Records and Extra.
	First firstEdition `json:"meters,omitempty"`
}

// record is what is remembered of a meter in its present window.
type record struct {
	// WindowEnd is the reset as it was first seen; zero without one.
	WindowEnd time.Time `json:"window_end,omitzero"`
	// Told is the share that was told to be used, in percent: 80 for the threshold of
	// 20 % left, 100 for used up.
	Told int `json:"told,omitempty"`
	// Owed says that the person is to be told when the meter is back, Refilled that this
	// was told in this window.
	Owed     bool `json:"owed,omitempty"`
	Refilled bool `json:"refilled,omitempty"`
	Muted    bool `json:"muted,omitempty"`
	// MutedLeft is what was left when it was muted, in millionths.
	MutedLeft int64 `json:"muted_left,omitempty"`
	// RunsOutSince is the first of the fetches that all say so.
	RunsOutSince time.Time `json:"runs_out_since,omitzero"`
	RunOutTold   bool      `json:"run_out_told,omitempty"`
	// ClearSince is the first of the fetches that show less use than was told.
	ClearSince time.Time `json:"clear_since,omitzero"`
}

// record is the one of a meter's present window.
func (p *plan) record(m usage.Meter, now time.Time) *record {
	if p.Records == nil {
		p.Records = map[usage.MeterID]*record{}
	}
	r := p.Records[m.ID]
	if r == nil {
		r = &record{}
		p.Records[m.ID] = r
	}
	if r.over(m.Window, now) {
		*r = record{Owed: r.Owed}
	}
	if r.WindowEnd.IsZero() {
		r.WindowEnd = stamp(m.Window.End)
	}
	return r
}

// over reports whether a meter is in another window than the record. An earlier reset
// is of the same one, for some servers give an old answer now and then; one that is
// many windows earlier says that the record's was wrong.
func (r *record) over(w usage.Window, now time.Time) bool {
	switch {
	case r.WindowEnd.IsZero():
		return false
	case w.End.IsZero():
		return !r.WindowEnd.After(now)
	}
	later, half := w.End.Sub(r.WindowEnd), halfWindow(w)
	return later >= half || later <= -8*half
}

// halfWindow is how far two resets of the same window lie apart at most. A
// window without a known length is taken for a week: cycles are longer.
func halfWindow(w usage.Window) time.Duration {
	if w.Start.IsZero() || !w.End.After(w.Start) {
		return week / 2
	}
	return w.End.Sub(w.Start) / 2
}

const week = 7 * 24 * time.Hour

// rearm makes it possible to tell anew of what can rise within its window, and ends the
// mute of what has no window. level is the share that could be told now.
func (r *record) rearm(m usage.Meter, level int, now time.Time) {
	endless := r.WindowEnd.IsZero()
	if left, _ := m.Remaining.Micros(); r.Muted && endless && left > r.MutedLeft {
		r.Muted = false
	}
	rises := endless || m.Unit != usage.UnitPercent
	if lasts(&r.ClearSince, now, rises && level < r.Told) {
		r.Told, r.Refilled, r.RunOutTold, r.ClearSince = level, false, false, time.Time{}
	}
}

// in makes of a change of the record one that is not done once its window is over.
func (r *record) in(change func()) func() {
	end := r.WindowEnd
	return func() {
		if r.WindowEnd.Equal(end) {
			change()
		}
	}
}

// stamp is a time as it is kept: without the monotonic clock, which is of one
// run, and without a place.
func stamp(t time.Time) time.Time { return t.Round(0).UTC() }

// lasting is how far two fetches lie apart at least when what both say is to be
// relied on.
const lasting = 10 * time.Minute

// lasts reports whether something that holds now has held since a fetch long
// enough ago, which since remembers; it is zero while it does not hold.
func lasts(since *time.Time, now time.Time, holds bool) bool {
	if !holds {
		*since = time.Time{}
		return false
	}
	if since.IsZero() || now.Before(*since) { // or the clock was set back
		*since = now
	}
	return now.Sub(*since) >= lasting
}
