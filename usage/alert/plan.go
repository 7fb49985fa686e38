package alert

import (
	"time"

	"windsock/usage"
)

// plan is the stored state of a plan.
type plan struct {
	// Key is [usage.Plan.Key].
	Key     string                    `json:"account"`
	Records map[usage.MeterID]*record `json:"records,omitempty"`
	Extra   extra                     `json:"extra,omitzero"`
	Debt    debt                      `json:"debt,omitzero"`
	TopUp   topUp                     `json:"top_up,omitzero"`
	// MutedUntil is when a mute of extra usage, or of what is bought on demand, ends.
	MutedUntil time.Time `json:"extra_usage_muted_until,omitzero"`
	// First is the first edition's form of Records and Extra.
	First firstEdition `json:"meters,omitempty"`

	// Of is the plan, once it was seen in this run.
	Of usage.Plan `json:"-"`
}

// record is the stored state of a meter in its present window.
type record struct {
	// WindowEnd is the reset as first seen; zero without one.
	WindowEnd time.Time `json:"window_end,omitzero"`
	// Told is the highest used share that was shown, in percent: 80 for the threshold
	// of 20 % left, 100 for used up.
	Told int `json:"told,omitempty"`
	// Owed says that an alert is due when the meter is back; Refilled says that it was
	// shown in this window.
	Owed     bool `json:"owed,omitempty"`
	Refilled bool `json:"refilled,omitempty"`
	Muted    bool `json:"muted,omitempty"`
	// MutedLeft is what was left at the mute, in millionths.
	MutedLeft int64 `json:"muted_left,omitempty"`
	// RunsOutSince is the first of the fetches that all forecast it.
	RunsOutSince time.Time `json:"runs_out_since,omitzero"`
	RunOutTold   bool      `json:"run_out_told,omitempty"`
	// ClearSince is the first of the fetches with less use than Told.
	ClearSince time.Time `json:"clear_since,omitzero"`
}

// record is the record of a meter's present window.
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
// belongs to the same window: some servers give an old answer now and then. A reset
// that is many windows earlier shows that the recorded one was wrong.
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

// halfWindow is the least distance between the resets of two windows. A window of
// unknown length counts as a week: cycles are longer.
func halfWindow(w usage.Window) time.Duration {
	if w.Start.IsZero() || !w.End.After(w.Start) {
		return week / 2
	}
	return w.End.Sub(w.Start) / 2
}

const week = 7 * 24 * time.Hour

// rearm allows an alert again where a meter can rise within its window, and ends the
// mute of a meter without a window. level is the used share that could be shown now.
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

// in wraps a change of the record so that it does nothing in a later window.
func (r *record) in(change func()) func() {
	same := r.sameWindow()
	return func() {
		if same() {
			change()
		}
	}
}

// sameWindow returns what reports later whether the record is still that of the window of
// now. A reset that becomes known only then belongs to it.
func (r *record) sameWindow() func() bool {
	end := r.WindowEnd
	return func() bool { return end.IsZero() || r.WindowEnd.Equal(end) }
}

// stands reports whether the record is still that of the same window, with no less than
// that share shown.
func (r *record) stands(told int) func(usage.Snapshot) bool {
	same := r.sameWindow()
	return func(usage.Snapshot) bool { return same() && r.Told >= told }
}

// stamp is a time as stored: in UTC, and without the monotonic clock, which belongs to
// one run.
func stamp(t time.Time) time.Time { return t.Round(0).UTC() }

// lasting is the least time between two fetches that confirm each other.
const lasting = 10 * time.Minute

// lasts reports whether a condition has held for the time lasting. since is the first
// fetch at which it held; zero while it does not hold.
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
