package usage

import "time"

// Pace says whether a meter lasts until its reset. It is computed as of the time of
// the figure, not the present: an ageing figure must not look calmer. Nothing is
// projected past the reset, and every moment lies between the figure and the reset.
//
// What is expected is unknown for the verdicts that come from the figure alone.
type Pace struct {
	Verdict    Verdict
	Confidence Confidence
	Basis      Basis
	// PastWindows is how many past windows took part.
	PastWindows int
	// Elapsed is the elapsed share of the window, in percent: the share that an
	// even use would have used. With work days set, only work time counts; unknown
	// in a window without any.
	Elapsed Amount
	// Projected is the share used at the reset, in percent: in one case of two it is
	// more. In one of ten it is less than Low, and in one more than High. Each is at
	// least what is used, and at most 999.
	Projected, Low, High Amount
	// Chance is the chance that the meter lasts, in whole per cent, 1 to 99. For
	// prompt credits with flex credits behind them, it is that of both together.
	Chance Amount
	// RunsOutAt is when nothing is left: in one case of two earlier. It is earlier
	// than RunsOutFrom in one case of ten, and than RunsOutTo in nine. They are zero
	// when that is not before the reset, and unless the verdict is VerdictRunsOut or
	// the reason ReasonFlex; of prompt credits with flex credits behind them, both are
	// used up. In whole seconds.
	RunsOutAt, RunsOutFrom, RunsOutTo time.Time
	// SwitchesAt is when flex credits take over, in one case of two earlier; zero
	// unless the reason is ReasonFlex, and where that is not before the reset.
	SwitchesAt time.Time
	// BudgetPerDay is how much a day can use and still last; unknown for windows of a
	// day or less and when all is used up.
	BudgetPerDay Amount
	// Reason explains VerdictTight: one of the reasons below, or "".
	Reason string
}

// The reasons.
const (
	// ReasonFastDay and ReasonFastHours: so short a window would be VerdictRunsOut, were
	// it longer.
	ReasonFastDay   = "fast day"
	ReasonFastHours = "fast hours"
	ReasonFlex      = "then flex credits"
)

// Verdict is the judgement of a meter's pace.
type Verdict string

// The verdicts. The first three come from the figure alone, the others from the chance,
// calm to grave. A used-up quota may have a trace left that no display shows.
const (
	VerdictUsedUp   Verdict = "used_up"
	VerdictUnused   Verdict = "unused"
	VerdictTooEarly Verdict = "too_early"
	VerdictOnCourse Verdict = "on_course"
	VerdictTight    Verdict = "tight"
	VerdictRunsOut  Verdict = "runs_out"
)

// Confidence is how reliable a verdict is: early in the first tenth of a window, as long
// as nothing is known of earlier windows.
type Confidence string

// The confidences.
const (
	ConfidenceEarly       Confidence = "early"
	ConfidenceEstablished Confidence = "established"
)

// Basis is what a pace is computed from.
type Basis string

// The bases: this window alone, or past ones too.
const (
	BasisWindow  Basis = "window"
	BasisHistory Basis = "history"
)
