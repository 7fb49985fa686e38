package account

import (
	"math"
	"time"

	pb "windsock/probe/languageserver"
)

// A Cost is that of a turn, in the units of a step's metadata. Which of them there
// are depends on the plan's billing.
type Cost struct {
	Credits     *int32   `json:"credits,omitempty"` // hundredths
	ACU         *float64 `json:"acu,omitempty"`
	BasisPoints *int64   `json:"basis_points,omitempty"` // of the day's quota, or of the week's if the day's is hidden
	Cents       *int64   `json:"cents,omitempty"`        // USD, beyond the quota
}

// A Charge is a cost that was paid at a time of the server's clock.
type Charge struct {
	At   time.Time
	Cost Cost
}

// What a model of multiplier 1 costs.
const (
	oneCredit      = 100 // hundredths
	oneACU         = 0.05
	oneBasisPoints = 100
	oneCents       = 4
	// microsPerCent are of a USD.
	microsPerCent = 10_000
)

// Price is what a turn costs on a plan. An empty one is not paid by anything the
// plan has.
func Price(p *pb.PlanStatus, multiplier float32) Cost {
	of := func(one float64) float64 { return math.Round(one*float64(multiplier)*1e4) / 1e4 }
	switch {
	case p.AcuLimit != nil:
		return Cost{ACU: new(of(oneACU))}
	case p.GetWeeklyQuotaResetAtUnix() == 0:
		return Cost{Credits: new(int32(of(oneCredit)))}
	case quotaUsedUp(p) != "":
		return Cost{BasisPoints: new(int64(0)), Cents: new(int64(of(oneCents)))}
	default:
		return Cost{BasisPoints: new(int64(of(oneBasisPoints)))}
	}
}

// quotaUsedUp is the window of which nothing is left, "daily" or "weekly", and
// empty where something is left of both.
func quotaUsedUp(p *pb.PlanStatus) string {
	switch {
	case p.GetWeeklyQuotaResetAtUnix() == 0:
		return ""
	case p.GetWeeklyQuotaRemainingPercent() <= 0:
		return "weekly"
	case p.GetDailyQuotaRemainingPercent() <= 0 && !p.GetPlanInfo().GetHideDailyQuota():
		return "daily"
	default:
		return ""
	}
}

// Unpaid is the turn that a message gets which a plan does not pay for, and empty
// where it does. Money that is owed is lent in a grace period.
func Unpaid(p *pb.PlanStatus, c Cost) string {
	grace := p.GetGracePeriodStatus() == pb.GracePeriodStatus_GRACE_PERIOD_STATUS_ACTIVE
	switch window := quotaUsedUp(p); {
	case window != "" && p.GetOverageBalanceMicros() <= 0 && !grace:
		return map[string]string{"daily": "error_quota", "weekly": "error_quota_weekly"}[window]
	case c.Credits != nil && *c.Credits > 0 && p.GetAvailablePromptCredits() > 0 &&
		p.GetUsedPromptCredits() >= p.GetAvailablePromptCredits() && p.GetUsedFlexCredits() >= p.GetAvailableFlexCredits():
		return "error_credits"
	case c.ACU != nil && p.GetAcuConsumed() >= p.GetAcuLimit():
		return "error_credits"
	default:
		return ""
	}
}

// bill takes from a plan what has been paid in its present windows. It comes on
// top of what a lapse has spent.
func (c Clock) bill(p *pb.PlanStatus) {
	since := func(start int64) (in []Cost) {
		for _, charge := range c.Charges {
			if charge.At.Unix() >= start {
				in = append(in, charge.Cost)
			}
		}
		return in
	}
	for _, of := range since(p.GetPlanStart().GetSeconds()) {
		if of.Credits != nil {
			billCredits(p, int64(*of.Credits))
		}
		if of.ACU != nil && p.AcuLimit != nil {
			p.AcuConsumed = new(math.Round((p.GetAcuConsumed()+*of.ACU)*1e4) / 1e4)
		}
	}
	if p.GetWeeklyQuotaResetAtUnix() == 0 {
		return
	}
	daily := basisPoints(since(p.GetDailyQuotaResetAtUnix() - int64(day/time.Second)))
	inWeek := since(p.GetWeeklyQuotaResetAtUnix() - int64(week/time.Second))
	weekly := basisPoints(inWeek)
	if p.GetPlanInfo().GetHideDailyQuota() {
		daily = 0
	} else {
		weekly /= daysInWeek
	}
	p.DailyQuotaRemainingPercent = left(p.GetDailyQuotaRemainingPercent(), daily)
	p.WeeklyQuotaRemainingPercent = left(p.GetWeeklyQuotaRemainingPercent(), weekly)
	for _, of := range inWeek {
		if of.Cents != nil {
			p.OverageBalanceMicros -= *of.Cents * microsPerCent
		}
	}
}

// daysInWeek is how many days' quotas a week's is.
const daysInWeek = 4

// left is a percentage less basis points, rounded down.
func left(percent int32, points int64) int32 {
	return int32(max(int64(percent)*100-points, 0) / 100) //nolint:gosec // at most percent
}

func basisPoints(costs []Cost) (sum int64) {
	for _, of := range costs {
		if of.BasisPoints != nil {
			sum += *of.BasisPoints
		}
	}
	return sum
}

// billCredits takes from the prompt credits, and from the flex credits where there
// are no others. Without a limit it only counts.
func billCredits(p *pb.PlanStatus, hundredths int64) {
	if p.GetAvailablePromptCredits() < 0 {
		p.UsedPromptCredits += int32(hundredths) //nolint:gosec // a turn's
		return
	}
	prompt, flex := int64(p.GetUsedPromptCredits()), int64(p.GetUsedFlexCredits())
	rest := take(&prompt, int64(p.GetAvailablePromptCredits()), hundredths)
	take(&flex, int64(p.GetAvailableFlexCredits()), rest)
	p.UsedPromptCredits, p.UsedFlexCredits = int32(prompt), int32(flex) //nolint:gosec // no more than the pools
}
