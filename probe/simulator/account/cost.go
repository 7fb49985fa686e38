package account

import (
	"math"
	"time"

	pb "windsock/probe/languageserver"
)

// A Unit is the unit of a prompt's price. It depends on the plan's billing.
type Unit string

// The units of costs.
const (
	Credits Unit = "credits"
	ACUs    Unit = "acus"
	Quota   Unit = "quota" // percent of the daily quota; of the weekly one if the daily is hidden
	Dollars Unit = "usd"   // of extra usage, when the quota is used up
)

// A Cost is the cost of a turn; the zero Cost is free.
type Cost struct {
	Unit   Unit    `json:"unit,omitempty"`
	Amount float64 `json:"amount,omitempty"`
}

// A Charge is a cost and the time of its payment, by the server's clock.
type Charge struct {
	At   time.Time `json:"at"`
	Cost Cost      `json:"cost"`
}

// Price is the cost of a turn on a plan, by the multiplier of its model.
func Price(p *pb.PlanStatus, multiplier float32) Cost {
	one := Cost{Credits, 1}
	switch {
	case p.AcuLimit != nil:
		one = Cost{ACUs, 0.05}
	case p.GetWeeklyQuotaResetAtUnix() == 0:
	case quotaUsedUp(p) != "":
		one = Cost{Dollars, 0.04}
	default:
		one = Cost{Quota, 1}
	}
	return Cost{one.Unit, math.Round(one.Amount*float64(multiplier)*1e4) / 1e4}
}

// Hundredths of the cost: of a credit, of a percent, or cents.
func (c Cost) Hundredths() int64 { return int64(math.Round(c.Amount * 100)) }

// quotaUsedUp is the window without any quota left, "daily" or "weekly"; empty if both
// have some left.
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

// Unpaid is the name of the error turn for a message that the plan cannot pay for;
// empty if it can. In a grace period the account may be overdrawn.
func Unpaid(p *pb.PlanStatus, c Cost) string {
	grace := p.GetGracePeriodStatus() == pb.GracePeriodStatus_GRACE_PERIOD_STATUS_ACTIVE
	switch {
	case c.Unit == Dollars && p.GetOverageBalanceMicros() <= 0 && !grace:
		return map[string]string{"daily": "error_quota", "weekly": "error_quota_weekly"}[quotaUsedUp(p)]
	case c.Unit == Credits && c.Amount > 0 && p.GetAvailablePromptCredits() > 0 &&
		p.GetUsedPromptCredits() >= p.GetAvailablePromptCredits() && p.GetUsedFlexCredits() >= p.GetAvailableFlexCredits(),
		c.Unit == ACUs && p.GetAcuConsumed() >= p.GetAcuLimit():
		return "error_credits"
	default:
		return ""
	}
}

// bill deducts what was paid in the plan's present windows. It adds to what a lapse has
// spent.
func (c Clock) bill(p *pb.PlanStatus) {
	cycle := p.GetPlanStart().GetSeconds()
	billCredits(p, int32(c.paid(Credits, cycle).Hundredths())) //nolint:gosec // what prompts cost in a month
	if p.AcuLimit != nil {
		p.AcuConsumed = new(math.Round((p.GetAcuConsumed()+c.paid(ACUs, cycle).Amount)*1e4) / 1e4)
	}
	if p.GetWeeklyQuotaResetAtUnix() == 0 {
		return
	}
	thisWeek := p.GetWeeklyQuotaResetAtUnix() - int64(week/time.Second)
	daily := c.paid(Quota, p.GetDailyQuotaResetAtUnix()-int64(day/time.Second)).Hundredths()
	weekly := c.paid(Quota, thisWeek).Hundredths()
	if p.GetPlanInfo().GetHideDailyQuota() {
		daily = 0
	} else {
		weekly /= daysInWeek
	}
	p.DailyQuotaRemainingPercent = left(p.GetDailyQuotaRemainingPercent(), daily)
	p.WeeklyQuotaRemainingPercent = left(p.GetWeeklyQuotaRemainingPercent(), weekly)
	p.OverageBalanceMicros -= c.paid(Dollars, 0).Hundredths() * 10_000 // no window gives it back
}

// paid is the sum paid in a unit since a time in Unix seconds.
func (c Clock) paid(unit Unit, since int64) Cost {
	sum := Cost{Unit: unit}
	for _, charge := range c.Charges {
		if charge.Cost.Unit == unit && charge.At.Unix() >= since {
			sum.Amount += charge.Cost.Amount
		}
	}
	return sum
}

// daysInWeek is the weekly quota in daily quotas.
const daysInWeek = 4

// left is a percentage minus hundredths of a percent, rounded down.
func left(percent int32, hundredths int64) int32 {
	return int32(max(int64(percent)*100-hundredths, 0) / 100) //nolint:gosec // at most percent
}

// billCredits deducts prompt credits, and flex credits when those are used up. Without
// a limit it only counts.
func billCredits(p *pb.PlanStatus, hundredths int32) {
	if p.GetAvailablePromptCredits() < 0 {
		p.UsedPromptCredits += hundredths
		return
	}
	prompt, flex := int64(p.GetUsedPromptCredits()), int64(p.GetUsedFlexCredits())
	rest := take(&prompt, int64(p.GetAvailablePromptCredits()), int64(hundredths))
	take(&flex, int64(p.GetAvailableFlexCredits()), rest)
	p.UsedPromptCredits, p.UsedFlexCredits = int32(prompt), int32(flex) //nolint:gosec // no more than the pools
}
