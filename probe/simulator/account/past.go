package account

import (
	"time"

	pb "windsock/probe/languageserver"
)

// PastUnit is the unit that a turn before or after the start was paid in, by the plan at
// the start. On a plan with extra usage that is dollars while the quota is used up, and
// on other days in the evening.
func PastUnit(p *pb.PlanStatus, at, start time.Time) Unit {
	const evening = 18
	unit := Price(p, 1).Unit
	if unit != Quota && unit != Dollars {
		return unit
	}
	today := time.Unix(p.GetDailyQuotaResetAtUnix(), 0).Add(-day)
	dollars := p.GetOverageBalanceMicros() != 0 && at.UTC().Hour() >= evening
	if !at.Before(today) && !at.After(start) {
		dollars = unit == Dollars
	}
	if dollars {
		return Dollars
	}
	return Quota
}

// A Limit is the most that the cascades of a time may have cost together.
type Limit struct {
	Cost

	From, Until time.Time
}

// cascadesShare is the part of a used figure that cascades may have: the rest went to
// completions.
const cascadesShare = 0.88

// PastLimits are the limits before the start, by what the plan has used at the start.
func PastLimits(p *pb.PlanStatus, start time.Time) []Limit {
	cycle := p.GetPlanStart().AsTime()
	thisDay := time.Unix(p.GetDailyQuotaResetAtUnix(), 0).Add(-day)
	thisWeek := time.Unix(p.GetWeeklyQuotaResetAtUnix(), 0).Add(-week)
	ofDay := float64(100 - p.GetDailyQuotaRemainingPercent())
	ofWeek := float64(100-p.GetWeeklyQuotaRemainingPercent()) * daysInWeek
	switch {
	case p.AcuLimit != nil:
		return []Limit{{Cost{ACUs, p.GetAcuConsumed() * cascadesShare}, cycle, start}}
	case p.GetWeeklyQuotaResetAtUnix() == 0:
		return []Limit{{Cost{Credits, float64(p.GetUsedPromptCredits()) / 100 * cascadesShare}, cycle, start}}
	case p.GetPlanInfo().GetHideDailyQuota():
		return []Limit{{Cost{Quota, ofWeek / daysInWeek * cascadesShare}, thisWeek, start}}
	default:
		return []Limit{
			{Cost{Quota, ofDay * cascadesShare}, thisDay, start},
			{Cost{Quota, max(ofWeek-ofDay, 0) * cascadesShare}, thisWeek, thisDay},
		}
	}
}
