package simulator

import (
	"math"
	"time"

	pb "windsock/probe/languageserver"
)

const (
	// spentAt is the share of a window after which it is used up in a lapse, so
	// that what comes then, and the reset, are to be seen too.
	spentAt = 0.82
	// spentLate is what stands in for it when the scenario begins late in the
	// window: a share of what is left of it.
	spentLate = 0.6
	// promptFirst is the share of that time in which the prompt credits go, where
	// there are flex credits to go on with.
	promptFirst = 0.6
)

// spend uses the plan up: from the scenario's figures in the windows in which
// the lapse began, and from full ones in those that follow. It goes at an even
// pace, and the same at the same time, so that answers need no memory. What is
// unlimited or no part of the plan stays as it is.
func (c clock) spend(p *pb.PlanStatus) {
	if p.GetAvailablePromptCredits() > 0 {
		c.spendCredits(p)
	}
	if p.GetDailyQuotaResetAtUnix() != 0 && p.GetWeeklyQuotaResetAtUnix() != 0 {
		c.spendQuota(p)
	}
	if p.AcuLimit != nil {
		const decimals = 1e4
		cycle := c.course(p.GetPlanEnd().AsTime(), month)
		consumed := use(cycle.beginsWith(p.GetAcuConsumed()), p.GetAcuLimit(), cycle.share(c.now), 1/decimals)
		p.AcuConsumed = new(math.Round(consumed*decimals) / decimals)
	}
}

// spendCredits uses up the prompt credits and then the flex credits. Those never
// reset; with the next cycle they are there again as if bought anew.
func (c clock) spendCredits(p *pb.PlanStatus) {
	const whole = 100 // credits are sent in hundredths
	cycle := c.course(p.GetPlanEnd().AsTime(), month)
	prompt, flex := cycle.share(c.now), 0.0
	if p.GetUsedFlexCredits() < p.GetAvailableFlexCredits() {
		prompt, flex = prompt/promptFirst, (prompt-promptFirst)/(1-promptFirst)
	}
	p.UsedPromptCredits = int32(use(cycle.beginsWith(float64(p.GetUsedPromptCredits())), float64(p.GetAvailablePromptCredits()), prompt, whole))
	p.UsedFlexCredits = int32(use(float64(p.GetUsedFlexCredits()), float64(p.GetAvailableFlexCredits()), flex, whole))
}

// spendQuota uses up the day and the week. A day is not touched once its week
// is used up.
func (c clock) spendQuota(p *pb.PlanStatus) {
	percent := func(window course, remaining int32, now time.Time) int32 {
		return 100 - int32(use(window.beginsWith(float64(100-remaining)), 100, window.share(now), 1))
	}
	ofDay := c.course(time.Unix(p.GetDailyQuotaResetAtUnix(), 0), day)
	ofWeek := c.course(time.Unix(p.GetWeeklyQuotaResetAtUnix(), 0), week)
	until := ofWeek.at(ofWeek.until)
	if ofWeek.first && p.GetWeeklyQuotaRemainingPercent() == 0 {
		until = c.start
	}
	if c.now.Before(until) {
		until = c.now
	}
	p.DailyQuotaRemainingPercent = percent(ofDay, p.GetDailyQuotaRemainingPercent(), until)
	p.WeeklyQuotaRemainingPercent = percent(ofWeek, p.GetWeeklyQuotaRemainingPercent(), c.now)
}

// A course is how an account goes through one window, in shares of it: nothing
// is used before from, and nothing is left at until.
type course struct {
	begin       time.Time
	window      time.Duration
	from, until float64
	// first says that the lapse began in this window.
	first bool
}

func (c clock) course(end time.Time, window time.Duration) course {
	w := course{begin: end.Add(-window), window: window}
	if w.first = !c.start.Before(w.begin); w.first {
		w.from = float64(c.start.Sub(w.begin)) / float64(window)
	}
	w.until = max(spentAt, w.from+spentLate*(1-w.from))
	return w
}

// at is when a share of the window has passed.
func (w course) at(share float64) time.Time {
	return w.begin.Add(time.Duration(share * float64(w.window)))
}

// share is how much of what the window began with is gone: 0 and less before it
// began to go, 1 and more when all is.
func (w course) share(now time.Time) float64 {
	return (float64(now.Sub(w.begin))/float64(w.window) - w.from) / (w.until - w.from)
}

// beginsWith is what was used at the beginning: in the first window it is what
// the scenario says.
func (w course) beginsWith(used float64) float64 {
	if w.first {
		return used
	}
	return 0
}

// use is what is used of the total after a share of what was left has gone, in
// whole steps; a pool that has nothing left, or is none, stays as it is.
func use(used, total, share, step float64) float64 {
	switch {
	case used >= total || share <= 0:
		return used
	case share >= 1:
		return total
	default:
		return used + math.Floor((total-used)*share/step)*step
	}
}
