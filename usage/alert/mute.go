package alert

import (
	"context"
	"time"

	"windsock/usage"
)

// Mute is a meter whose alerts can be muted. A mute ends by itself with the window.
type Mute struct {
	// Plan is the plan with the meter, and Name is its name for programs, as in a
	// [poll.State].
	Plan  usage.Plan
	Name  string
	Meter usage.MeterID
	// Until is the reset. It is zero when the reset is unknown, and for flex credits,
	// which stay muted until there are more of them.
	Until time.Time
	// On says that the meter is muted now.
	On bool
}

// Mutes returns the meters of the last answers that are or can be muted, in the order of
// the plans and their meters. Extra usage, or what is bought on demand, is among them while
// it is used or owed. Its mute lasts until the used-up quotas are back, else until the
// cycle ends, and is the only one that holds its alerts back. Alerts of auto top-up can only
// be turned off in the settings.
func (w *Watch) Mutes() []Mute {
	var mutes []Mute
	for _, s := range w.current {
		mutes = append(mutes, s.mutes()...)
	}
	return mutes
}

func (s seen) mutes() (mutes []Mute) {
	if s.plan == nil {
		return nil
	}
	for _, m := range s.snapshot.Meters {
		mute := Mute{Plan: s.snapshot.Plan, Name: s.name, Meter: m.ID}
		switch {
		case m.ID.IsMoney():
			mute.Until, mute.On = moneyUntil(s.snapshot), s.muted(m.ID, s.snapshot.Source.FetchedAt)
			if mute.Until.IsZero() {
				continue
			}
		case m.Binds():
			mute.Until, mute.On = m.Window.End, s.muted(m.ID, time.Time{})
		default:
			continue
		}
		mutes = append(mutes, mute)
	}
	return mutes
}

// SetMute mutes a meter of a plan until its window ends, or ends its mute. It ignores a
// meter that is not among the Mutes. Ending a mute makes due whatever came up in the
// meantime and still holds.
func (w *Watch) SetMute(ctx context.Context, plan usage.Plan, meter usage.MeterID, on bool) {
	s, _ := w.of(plan)
	for _, mute := range s.mutes() {
		if mute.Meter != meter {
			continue
		}
		if meter.IsMoney() {
			s.MutedUntil = time.Time{}
			if on {
				s.MutedUntil = stamp(mute.Until)
			}
		} else {
			m, _ := s.snapshot.Meter(meter)
			s.Records[meter].mute(m, on)
		}
		w.save(ctx)
	}
}

func (r *record) mute(m usage.Meter, on bool) {
	r.Muted, r.MutedLeft = on, 0
	if on {
		r.MutedLeft, _ = m.Remaining.Micros()
	}
}

func (p *plan) muted(id usage.MeterID, now time.Time) bool {
	if id.IsMoney() {
		return now.Before(p.MutedUntil)
	}
	r := p.Records[id]
	return r != nil && r.Muted
}

// moneyUntil is when a mute of such money ends; zero when there is nothing to mute, or
// the mute would have no end.
func moneyUntil(s usage.Snapshot) time.Time {
	_, owed := s.Notice(usage.NoticeInDebt)
	if _, pays := s.Payer(); !owed && !pays {
		return time.Time{}
	}
	until := s.Cycle.End
	if m, ok := lastBack(s); ok {
		until = m.Window.End
	}
	if !until.After(s.Source.FetchedAt) {
		return time.Time{}
	}
	return until
}

// lastBack is the used-up quota with the latest known reset.
func lastBack(s usage.Snapshot) (usage.Meter, bool) {
	var last usage.Meter
	for _, m := range s.Meters {
		if m.GivesWay() && m.Window.End.After(last.Window.End) {
			last = m
		}
	}
	return last, last.ID != ""
}
