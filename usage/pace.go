package usage

import "time"

// Pace says whether a meter lasts until its reset. It is computed as of the time of
// the figure, not the present: an ageing figure must not look calmer. Nothing is
// projected past the reset, and every moment lies between the figure and the reset.
type Pace struct {
	Verdict    Verdict
	Confidence Confidence
	// Basis is BasisBoth when the recent rate counts beside the average.
	Basis Basis
	// Elapsed is the elapsed share of the window, in percent: the share that an
	// even use would have used. With work days set, only work time counts; unknown
	// in a window without any.
	Elapsed Amount
	// Projected is the share used at the reset, in percent: at least what is used,
	// at most 999. Unknown for the verdicts that come from the figure alone.
	Projected Amount
	// RunsOutAt is when nothing is left (VerdictRunsOut only); RunsOutFrom is the
	// earliest time, when that is much sooner. SwitchesAt is when flex credits take
	// over (ReasonFlex only). In whole seconds; zero when they do not apply.
	RunsOutAt, RunsOutFrom, SwitchesAt time.Time
	// BudgetPerDay is how much a day can use and still last; unknown for windows of
	// a day and less, and when all is used up.
	BudgetPerDay Amount
	// Reason explains VerdictTight where the projection does not: one of the
	// reasons below, or the rate that would not last: "at the pace of the last 7d"
	// (24h in a weekly window, 3h in a daily one, 40m in one of hours) or "at the
	// average pace". Else "".
	Reason string
}

// The reasons that have a name.
const (
	ReasonFastStart = "fast start"
	ReasonFastDay   = "fast day"
	ReasonFastHours = "fast hours"
	ReasonFlex      = "then flex credits"
)

// Verdict is the judgement of a meter's pace.
type Verdict string

// The verdicts. The first three come from the figure alone, the others from the
// projection, calm to grave. A used-up quota may have a trace left that no display
// shows.
const (
	VerdictUsedUp   Verdict = "used_up"
	VerdictUnused   Verdict = "unused"
	VerdictTooEarly Verdict = "too_early"
	VerdictOnCourse Verdict = "on_course"
	VerdictTight    Verdict = "tight"
	VerdictRunsOut  Verdict = "runs_out"
)

// Confidence is how reliable a verdict is: early in the first tenth of a window,
// and where a coarse figure allows two verdicts.
type Confidence string

// The confidences.
const (
	ConfidenceEarly       Confidence = "early"
	ConfidenceEstablished Confidence = "established"
)

// Basis is what a projection is computed from.
type Basis string

// The bases.
const (
	BasisAverage Basis = "average"
	BasisBoth    Basis = "both"
)
