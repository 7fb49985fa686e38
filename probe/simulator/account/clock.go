package account

import (
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	pb "windsock/probe/languageserver"
)

const (
	day   = 24 * time.Hour
	week  = 7 * day
	month = 31 * day // length of the made-up billing cycles

	graceLeft = 4 * day // for whoever owes money when the server comes up
)

// A Clock places a scenario's dates. They are fixed relative to when the
// server came up, so that two answers tell of the same window, and so that what
// a scenario tells does not depend on the hour (a real server's resets fall on
// 08:00 UTC); and they move on by whole windows as those pass, so that no date
// is ever in the past.
type Clock struct {
	Start, Now time.Time
	// Spending says that the account is used up as the clock runs.
	Spending bool
	// Charges are what prompts have cost.
	Charges []Charge
}

// next is the first of start+after, start+after+period, … that lies ahead.
func (c Clock) next(after, period time.Duration) time.Time {
	t := c.Start.Add(after).Truncate(time.Second)
	if c.Now.Before(t) {
		return t
	}
	// In seconds, for a time-lapse gets further than a Duration holds.
	length := int64(period / time.Second)
	passed := (c.Now.Unix()-t.Unix())/length + 1
	return time.Unix(t.Unix()+passed*length, 0)
}

// cycle sets the billing cycle, of which elapsed had gone at the start.
func (c Clock) cycle(p *pb.PlanStatus, elapsed time.Duration) *pb.PlanStatus {
	end := c.next(month-elapsed, month)
	p.PlanStart = timestamppb.New(end.Add(-month))
	p.PlanEnd = timestamppb.New(end)
	return p
}

// credits makes a plan that has 500 credits a month, with what is used of them in
// hundredths.
func (c Clock) credits(info *pb.PlanInfo, used int32, elapsed time.Duration) *pb.PlanStatus {
	info.MonthlyPromptCredits = 50000
	return c.cycle(&pb.PlanStatus{PlanInfo: info, AvailablePromptCredits: 50000, UsedPromptCredits: used}, elapsed)
}

// quota makes a plan that is billed by quota, with what remains of both
// windows in percent, and how far off their resets were at the start.
func (c Clock) quota(tier pb.TeamsTier, name string, daily, weekly int32, dailyReset, weeklyReset time.Duration) *pb.PlanStatus {
	return c.cycle(noCredits(&pb.PlanStatus{
		PlanInfo:                    info(tier, name, pb.BillingStrategy_BILLING_STRATEGY_QUOTA),
		DailyQuotaRemainingPercent:  daily,
		WeeklyQuotaRemainingPercent: weekly,
		DailyQuotaResetAtUnix:       c.next(dailyReset, day).Unix(),
		WeeklyQuotaResetAtUnix:      c.next(weeklyReset, week).Unix(),
		GracePeriodStatus:           pb.GracePeriodStatus_GRACE_PERIOD_STATUS_NONE,
	}), 12*day)
}
