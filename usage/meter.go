package usage

import "time"

// MeterID names a meter, for programs.
type MeterID string

// MeterIDs are all meters, in the order in which a snapshot has them.
func MeterIDs() []MeterID {
	return []MeterID{PromptCredits, FlexCredits, FlowCredits, DailyQuota, WeeklyQuota, ACU, ExtraUsage}
}

// The meters.
const (
	PromptCredits MeterID = "prompt_credits"
	FlexCredits   MeterID = "flex_credits"
	FlowCredits   MeterID = "flow_credits"
	DailyQuota    MeterID = "daily_quota"
	WeeklyQuota   MeterID = "weekly_quota"
	ACU           MeterID = "acu"
	ExtraUsage    MeterID = "extra_usage"
)

// Unit is what a meter's figures count.
type Unit string

// The units.
const (
	UnitCredits Unit = "credits"
	UnitPercent Unit = "percent"
	UnitACU     Unit = "acu"
	UnitUSD     Unit = "usd"
)

// State is what can be said of a meter.
type State string

// The states. In StateRolledOver, StateUnreadable and StateUnlimited a meter
// has no figures, but for the total of 100 that every quota has.
const (
	StateOK         State = "ok"
	StateExhausted  State = "exhausted"
	StateUnlimited  State = "unlimited"
	StateRolledOver State = "rolled_over"
	StateUnreadable State = "unreadable"
)

// Meter is one thing that a plan counts. When Used, Total and Remaining are
// known, 0 ≤ Remaining ≤ Total, and Used is above Total only on an exhausted
// meter. ExtraUsage is a balance: Remaining alone, negative for a debt.
type Meter struct {
	ID    MeterID
	Unit  Unit
	State State

	Used, Total, Remaining Amount

	// Window ends when the meter resets. Flex credits and the balance have
	// none.
	Window Window

	// Pace is whether it lasts; nil where nothing can be said. See
	// [Snapshot.WithPaces].
	Pace *Pace
}

// RemainingPercent is what is left of the total, 0 to 100; unknown without
// either.
func (m Meter) RemainingPercent() Amount {
	if !m.Remaining.Known() || !m.Total.Positive() || m.Remaining.Negative() {
		return Amount{}
	}
	return m.Remaining.PercentOf(m.Total)
}

// Without is the meter in a state that has no figures.
func (m Meter) Without(state State) Meter {
	m.State = state
	m.Used, m.Total, m.Remaining, m.Pace = Amount{}, Amount{}, Amount{}, nil
	if m.Unit == UnitPercent {
		m.Total = Micros(100 * One)
	}
	return m
}

// Of fills in the figures of a meter whose total is positive.
func (m Meter) Of(used, total Amount) Meter {
	m.State, m.Used, m.Total = StateOK, used, total
	if used.Millionths() < total.Millionths() {
		m.Remaining = total.Minus(used)
		return m
	}
	m.State, m.Remaining = StateExhausted, Micros(0)
	return m
}

// Step is the least by which a figure changes, and the least that a display
// shows.
func (m Meter) Step() int64 {
	if m.Unit == UnitPercent {
		return One
	}
	return One / 100
}

// at is the meter as it stands at a moment.
func (m Meter) at(now time.Time) Meter {
	counted := m.State == StateOK || m.State == StateExhausted
	if counted && !m.Window.End.IsZero() && !m.Window.End.After(now) {
		return m.Without(StateRolledOver)
	}
	return m
}
