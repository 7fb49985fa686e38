package usage

import "time"

// Pace says whether a meter lasts until its reset. All of it is worked out at
// the time of the figure and not at present: a figure that has grown old must
// not get calmer by itself. Nothing is projected past the reset, and every
// moment lies between the figure and the reset.
type Pace struct {
	Verdict    Verdict
	Confidence Confidence
	// Basis is BasisBoth when the recent rate took part beside the average.
	Basis Basis
	// Elapsed is the share of the window that is over, in percent, and so what
	// an even use would have used. Work time alone counts where work days are
	// set; unknown in a window that has none.
	Elapsed Amount
	// Projected is the share that will be used at the reset, in percent, at
	// least what is used and at most 999; unknown for the verdicts that come
	// from the figure alone.
	Projected Amount
	// RunsOutAt is when nothing is left, of VerdictRunsOut alone; RunsOutFrom is
	// the earliest that it may be, when that is much nearer. SwitchesAt is when
	// flex credits take over, of ReasonFlex alone. In whole seconds; zero when
	// they do not apply.
	RunsOutAt, RunsOutFrom, SwitchesAt time.Time
	// BudgetPerDay is what can be used a day to last; unknown for daily windows
	// and when all is used up.
	BudgetPerDay Amount
	// Reason says what is behind VerdictTight where it is not the projection: one
	// of the reasons below; or, for the rate by which it would not last, "at the
	// pace of the last 7d" (of a week's window 24h, of a day's 3h) or "at the
	// average pace"; else "".
	Reason string
}

// The reasons that have a name.
const (
	ReasonFastStart = "fast start"
	ReasonFastDay   = "fast day"
	ReasonFlex      = "then flex credits"
)

// Verdict is what is said of a meter's pace.
type Verdict string

// The verdicts. The first three come from the figure alone, the others from the
// projection, calm to grave. A quota may be used up with a trace left that no
// display shows.
const (
	VerdictUsedUp   Verdict = "used_up"
	VerdictUnused   Verdict = "unused"
	VerdictTooEarly Verdict = "too_early"
	VerdictOnCourse Verdict = "on_course"
	VerdictTight    Verdict = "tight"
	VerdictRunsOut  Verdict = "runs_out"
)

// Confidence says how much a verdict rests on: it is early in the first tenth of
// a window, and where a figure that is coarse could be read either way.
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
