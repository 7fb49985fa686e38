package usage

import (
	"cmp"
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

	Gemini5h         MeterID = "gemini_5h"
	GeminiWeekly     MeterID = "gemini_weekly"
	ThirdParty5h     MeterID = "third_party_5h"
	ThirdPartyWeekly MeterID = "third_party_weekly"

	Requests     MeterID = "requests"
	CursorModels MeterID = "cursor_models"
	OtherModels  MeterID = "other_models"
	Included     MeterID = "included"
	OnDemand     MeterID = "on_demand"
)

// meters is the only table of meters, in the order of a snapshot. A new meter also
// needs a rule that reads it from an answer, such as those of packages windsurf and cursor.
// MeterInfo explains the columns.
var meters = []MeterInfo{
	{PromptCredits, Windsurf, "Prompt credits", UnitCredits, RhythmCycle, true, true},
	{FlexCredits, Windsurf, "Flex credits", UnitCredits, RhythmNone, true, true},
	{FlowCredits, Windsurf, "Flow credits", UnitCredits, RhythmCycle, true, true},
	{DailyQuota, Windsurf, "Daily quota", UnitPercent, RhythmDay, true, true},
	{WeeklyQuota, Windsurf, "Weekly quota", UnitPercent, RhythmWeek, true, true},
	{ACU, Windsurf, "ACUs", UnitACU, RhythmCycle, true, true},
	{ExtraUsage, Windsurf, "Extra usage", UnitUSD, RhythmNone, false, true},

	{Gemini5h, Antigravity, "Gemini 5-hour", UnitPercent, RhythmHours, true, false},
	{GeminiWeekly, Antigravity, "Gemini weekly", UnitPercent, RhythmWeek, true, false},
	{ThirdParty5h, Antigravity, "Claude/GPT 5-hour", UnitPercent, RhythmHours, true, false},
	{ThirdPartyWeekly, Antigravity, "Claude/GPT weekly", UnitPercent, RhythmWeek, true, false},

	{Requests, Cursor, "Included requests", UnitRequests, RhythmCycle, true, false},
	{CursorModels, Cursor, "Cursor models", UnitPercent, RhythmCycle, true, false},
	{OtherModels, Cursor, "Other models", UnitPercent, RhythmCycle, true, false},
	{Included, Cursor, "Included usage", UnitPercent, RhythmCycle, true, false},
	{OnDemand, Cursor, "On-demand", UnitUSD, RhythmCycle, false, false},
}

// MeterInfo is what holds for a meter in every plan.
type MeterInfo struct {
	ID MeterID
	// Product is the one whose plans have the meter.
	Product Product
	// Label is the meter's name for people.
	Label string
	// Unit is that of its figures. Included has dollars on a plan without percentages.
	Unit Unit
	// Rhythm is how its windows are used.
	Rhythm Rhythm
	// Warned says that alerts go by the share left. Other meters have alerts of
	// their own.
	Warned bool
	// PerStep says that the product's server tells with each step of a cascade how much it
	// moved the meter, in the meter's unit.
	PerStep bool
}

// Rhythm is how a window is used: by the days of a cycle or a week, by the hours of a
// day, or in a few hours. A meter without a window has none.
type Rhythm int

// The rhythms.
const (
	RhythmNone Rhythm = iota
	RhythmCycle
	RhythmWeek
	RhythmDay
	RhythmHours
)

// Meters returns all meters, in the order of a snapshot.
func Meters() []MeterInfo { return slices.Clone(meters) }

// MeterIDs returns the IDs of all meters, in that order.
func MeterIDs() []MeterID {
	ids := make([]MeterID, len(meters))
	for i, m := range meters {
		ids[i] = m.ID
	}
	return ids
}

// Info is the meter's row of the table. An unknown meter has its ID as the label
// and nothing else.
func (id MeterID) Info() MeterInfo {
	for _, m := range meters {
		if m.ID == id {
			return m
		}
	}
	return MeterInfo{ID: id, Label: string(id)}
}

// Unit is the unit of a meter's figures.
type Unit string

// The units.
const (
	UnitCredits Unit = "credits"
	UnitPercent Unit = "percent"
	UnitACU     Unit = "acu"
	UnitUSD     Unit = "usd"

	UnitRequests Unit = "requests"
)

// Step is the smallest difference between two figures of the unit, and the smallest
// that is displayed, in millionths.
func (u Unit) Step() int64 {
	if u == UnitPercent {
		return One
	}
	return One / 100
}

// Places is the number of decimals of such figures in JSON and CSV.
func (u Unit) Places() int {
	switch u {
	case UnitACU:
		return 4
	case UnitPercent:
		return 1
	default:
		return 2
	}
}

// State is the state of a meter.
type State string

// The states. In StateRolledOver, StateUnreadable and StateUnlimited a meter has no
// figures except the total of 100 that every quota has. In StateNotStarted nothing is
// used, and there is no reset: the window begins with the first use.
const (
	StateOK         State = "ok"
	StateExhausted  State = "exhausted"
	StateUnlimited  State = "unlimited"
	StateNotStarted State = "not_started"
	StateRolledOver State = "rolled_over"
	StateUnreadable State = "unreadable"
)

// Meter is one thing that a plan counts. When Used, Total and Remaining are
// known, 0 ≤ Remaining ≤ Total, and Used is above Total only on an exhausted
// meter. ExtraUsage is a balance: Remaining alone, negative for a debt.
type Meter struct {
	ID MeterID
	// Name is the server's own name of a meter that the table lacks; "" for the others.
	Name  string
	Unit  Unit
	State State

	Used, Total, Remaining Amount

	// Window ends at the meter's reset. Flex credits and the balance have no
	// window.
	Window Window

	// Pace says whether the meter lasts; nil if unknown. See [Snapshot.WithPaces].
	Pace *Pace
}

// NewMeter is a meter without figures, in its unit.
func NewMeter(id MeterID, window Window) Meter {
	return Meter{ID: id, Unit: id.Info().Unit, Window: window}
}

// Label is the meter's name for people.
func (m Meter) Label() string { return cmp.Or(m.Name, m.ID.Info().Label) }

// RemainingPercent is the remaining share of the total, 0 to 100; unknown when
// Remaining or Total is.
func (m Meter) RemainingPercent() Amount {
	if !m.Remaining.Known() || !m.Total.Positive() || m.Remaining.Negative() {
		return Amount{}
	}
	return m.Remaining.PercentOf(m.Total)
}

// Without returns the meter in a state that has no figures.
func (m Meter) Without(state State) Meter {
	m.State = state
	m.Used, m.Total, m.Remaining, m.Pace = Amount{}, Amount{}, Amount{}, nil
	if m.Unit == UnitPercent {
		m.Total = Micros(100 * One)
	}
	return m
}

// Of returns the meter with these figures; its total is positive.
func (m Meter) Of(used, total Amount) Meter {
	m.State, m.Used, m.Total = StateOK, used, total
	if used.Millionths() < total.Millionths() {
		m.Remaining = total.Minus(used)
		return m
	}
	m.State, m.Remaining = StateExhausted, Micros(0)
	return m
}

// BeginsWithUse reports whether a window of the meter begins with its first use,
// and not at a fixed time. All of Antigravity's do; other products send no meter that
// the table lacks.
func (m Meter) BeginsWithUse() bool {
	return m.Name != "" || m.ID.Info().Product == Antigravity
}

// begunAt returns the meter of a window that begins with its first use, as of the moment
// of the figure. Until that use the server tells a reset that moves with the clock, one
// length of the window ahead; it means nothing (PROTOCOL.md 8.4).
func (m Meter) begunAt(at time.Time) Meter {
	unused := m.BeginsWithUse() && m.State == StateOK && m.Used.Known() && !m.Used.Positive()
	if unused && !m.Window.Start.IsZero() && m.Window.Start.Sub(at).Abs() <= 10*time.Minute {
		m.State, m.Window, m.Pace = StateNotStarted, Window{}, nil
	}
	return m
}

// at returns the meter as of a moment.
func (m Meter) at(now time.Time) Meter {
	counted := m.State == StateOK || m.State == StateExhausted
	if counted && !m.Window.End.IsZero() && !m.Window.End.After(now) {
		return m.Without(StateRolledOver)
	}
	return m
}
