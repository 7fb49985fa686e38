package alert

import (
	"slices"
	"time"

	"windsock/usage"
)

// Mute is a meter whose alerts can be kept back until its period ends. A mute
// ends with the period, by itself.
type Mute struct {
	Meter usage.MeterID
	// Until is the reset. It is zero for one that is not known, and for flex
	// credits, which are muted until there are more of them.
	Until time.Time
	// On says that it is muted now.
	On bool
}

// Mutes are the meters of an account's snapshot that can be muted or are, in its order.
// Extra usage is among them while it is used or owed, and is muted until the
// used-up quotas are back, else until the cycle ends; so are its alerts, which
// no other meter's mute keeps back. Nothing keeps back those of auto top-up but
// the settings.
func (s State) Mutes(hash string, snapshot usage.Snapshot) []Mute {
	i := slices.IndexFunc(s.accounts, func(a account) bool { return a.Hash == hash })
	if i < 0 {
		return nil
	}
	a := s.accounts[i]
	var mutes []Mute
	for _, m := range snapshot.Meters {
		switch {
		case m.ID == usage.ExtraUsage:
			if until := moneyUntil(snapshot); !until.IsZero() {
				mutes = append(mutes, Mute{m.ID, until, snapshot.Source.FetchedAt.Before(a.MutedUntil)})
			}
		case counts(m):
			list := a.Meters[m.ID]
			if i := find(list, m.Window, snapshot.Source.FetchedAt); i >= 0 {
				mutes = append(mutes, Mute{m.ID, m.Window.End, list[i].Muted})
			}
		}
	}
	return mutes
}

// SetMute is the state in which a meter is muted, or is not any more. A meter
// that is not among the Mutes is left as it is. What came due in the meantime and
// still holds is due when a mute is taken back.
func (s State) SetMute(hash string, snapshot usage.Snapshot, meter usage.MeterID, on bool) State {
	for _, mute := range s.Mutes(hash, snapshot) {
		if mute.Meter != meter {
			continue
		}
		next, a := s.with(hash)
		if meter == usage.ExtraUsage {
			a.MutedUntil = time.Time{}
			if on {
				a.MutedUntil = stamp(mute.Until)
			}
			return next
		}
		m, _ := snapshot.Meter(meter)
		list := a.Meters[meter]
		list[find(list, m.Window, snapshot.Source.FetchedAt)].Muted = on
		return next
	}
	return s
}

// moneyUntil is when a mute of extra usage ends, zero when there is nothing to
// mute, or no end of it.
func moneyUntil(s usage.Snapshot) time.Time {
	_, owed := s.Notice(usage.NoticeInDebt)
	if !owed && !onExtraUsage(s) {
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

// lastBack is the used-up quota that comes back last, of those whose reset is
// known.
func lastBack(s usage.Snapshot) (usage.Meter, bool) {
	var last usage.Meter
	for _, m := range s.Meters {
		if m.Unit == usage.UnitPercent && m.State == usage.StateExhausted && m.Window.End.After(last.Window.End) {
			last = m
		}
	}
	return last, last.ID != ""
}
