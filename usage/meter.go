package usage

import (
	"slices"
	"time"
)

// MeterID names a meter, for programs.
type MeterID string

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

// meters is the one table of them, in the order in which a snapshot has them. What
// else a meter needs is a rule that reads it from an answer, such as those of package
// windsurf. MeterInfo says what the columns are.
var meters = []MeterInfo{
	{PromptCredits, "Prompt credits", UnitCredits, RhythmCycle, true},
	{FlexCredits, "Flex credits", UnitCredits, RhythmNone, true},
	{FlowCredits, "Flow credits", UnitCredits, RhythmCycle, true},
	{DailyQuota, "Daily quota", UnitPercent, RhythmDay, true},
	{WeeklyQuota, "Weekly quota", UnitPercent, RhythmWeek, true},
	{ACU, "ACUs", UnitACU, RhythmCycle, true},
	{ExtraUsage, "Extra usage", UnitUSD, RhythmNone, false},
}

// MeterInfo is what is true of a meter in every plan.
type MeterInfo struct {
	ID MeterID
	// Label is what people call it.
	Label string
	Unit  Unit
	// Rhythm is how its windows are used, from which its pace is worked out.
	Rhythm Rhythm
	// Warned says that people are warned by how much of it is left. Of others they
	// are told by rules of their own.
	Warned bool
}

// Rhythm is how a window is used: by the days of a cycle or a week, by the hours of a
// day, or not at all where a meter has no window.
type Rhythm int

// The rhythms.
const (
	RhythmNone Rhythm = iota
	RhythmCycle
	RhythmWeek
	RhythmDay
)

// Meters are all meters, in the order in which a snapshot has them.
func Meters() []MeterInfo { return slices.Clone(meters) }

// MeterIDs are those of all meters, in that order.
func MeterIDs() []MeterID {
	ids := make([]MeterID, len(meters))
	for i, m := range meters {
		ids[i] = m.ID
	}
	return ids
}

// Info is the meter's row of the table. A meter that is not in it has its ID for a
// label, and nothing else.
func (id MeterID) Info() MeterInfo {
	for _, m := range meters {
		if m.ID == id {
			return m
		}
	}
	return MeterInfo{ID: id, Label: string(id)}
}

// Unit is what a meter's figures count.
type Unit string

// The units.
const (
	UnitCredits Unit = "credits"
	UnitPercent Unit = "percent"
	UnitACU     Unit = "acu"
	UnitUSD     Unit = "usd"
)

// Step is the least by which figures of the unit differ, and the least that a display
// shows, in millionths.
func (u Unit) Step() int64 {
	if u == UnitPercent {
		return One
	}
	return One / 100
}

// Places is how many decimals figures of the unit have in JSON and CSV.
func (u Unit) Places() int {
	if u == UnitACU {
		return 4
	}
	return 2
}

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

// NewMeter is a meter without figures, in its unit.
func NewMeter(id MeterID, window Window) Meter {
	return Meter{ID: id, Unit: id.Info().Unit, Window: window}
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

// at is the meter as it stands at a moment.
func (m Meter) at(now time.Time) Meter {
	counted := m.State == StateOK || m.State == StateExhausted
	if counted && !m.Window.End.IsZero() && !m.Window.End.After(now) {
		return m.Without(StateRolledOver)
	}
	return m
}
