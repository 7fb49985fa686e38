package usage

import "time"

// Pace says whether a meter lasts until its reset. All of it is worked out at
// the time of the figure and not at present: a figure that has grown old must
// not get calmer by itself.
type Pace struct {
	Verdict    Verdict
	Confidence Confidence
	// Basis is BasisBoth when the recent rate took part beside the average.
	Basis Basis
	// Elapsed is the share of the window that is over, in percent, and so what
	// an even use would have used. Work time alone counts where work days are
	// set.
	Elapsed Amount
	// Projected is the share that will be used at the reset, in percent, at
	// most 999; unknown where nothing is projected.
	Projected Amount
	// RunsOutAt is when nothing is left, RunsOutFrom the earliest that it may
	// be; SwitchesAt is when flex credits take over. Zero when they do not
	// apply.
	RunsOutAt, RunsOutFrom, SwitchesAt time.Time
	// BudgetPerDay is what can be used a day to last; unknown for daily windows.
	BudgetPerDay Amount
	// Reason says what is behind a verdict, such as "fast start"; mostly "".
	Reason string
}

// Verdict is what is said of a meter's pace.
type Verdict string

// The verdicts. The first three come from the figure alone; the others are
// projections, from calm to grave.
const (
	VerdictUsedUp   Verdict = "used_up"
	VerdictUnused   Verdict = "unused"
	VerdictTooEarly Verdict = "too_early"
	VerdictOnCourse Verdict = "on_course"
	VerdictTight    Verdict = "tight"
	VerdictRunsOut  Verdict = "runs_out"
)

// Confidence says how much a verdict rests on.
type Confidence string

// The confidences.
const (
	ConfidenceEarly       Confidence = "early"
	ConfidenceEstablished Confidence = "established"
)

// Basis says what a projection rests on.
type Basis string

// The bases.
const (
	BasisAverage Basis = "average"
	BasisBoth    Basis = "both"
)

// Sample is what a meter said at a moment in the past.
type Sample struct {
	At   time.Time
	Used Amount
	// End is when the window of that moment was to end.
	End time.Time
}

// History holds the samples of meters, oldest first.
type History map[MeterID][]Sample

// PaceOptions are the person's habits.
type PaceOptions struct {
	// WorkDays are the days that count; none or all seven is every day.
	WorkDays []time.Weekday
	// Location is where days begin; nil is UTC.
	Location *time.Location
}
