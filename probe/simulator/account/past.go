package account

import (
	"time"

	pb "windsock/probe/languageserver"
)

// PastUnit is the unit that a turn before or after the start was paid in, by the plan at
// the start. On a plan with extra usage that is dollars while the quota is used up, and
// on earlier days in the evening.
func PastUnit(p *pb.PlanStatus, at, start time.Time) Unit {
	const evening = 18
	switch unit := Price(p, 1).Unit; {
	case unit != Quota && unit != Dollars:
		return unit
	case unit == Dollars && !at.Before(usedUpFrom(p)) && !at.After(start):
		return Dollars
	case p.GetOverageBalanceMicros() != 0 && at.UTC().Hour() >= evening && !at.After(usedUpFrom(p)):
		return Dollars
	default:
		return Quota
	}
}

// usedUpFrom is the beginning of the window of which nothing is left, else of the day.
func usedUpFrom(p *pb.PlanStatus) time.Time {
	return time.Unix(p.GetDailyQuotaResetAtUnix(), 0).Add(-day)
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
