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

	graceLeft = 4 * day // for an account that is overdrawn at the start
)

// A Clock computes a scenario's dates. They are relative to the server's start, so that
// two responses describe the same window and a scenario does not depend on the hour (a
// real server's resets are at 08:00 UTC). When a window passes, its dates move on by
// whole windows, so that no reset is ever in the past.
type Clock struct {
	Start, Now time.Time
	// Spending says that the account is used up as the clock runs. Resets says that
	// windows begin with nothing used, if it is not.
	Spending, Resets bool
	// Charges are the costs of the prompts since the start.
	Charges []Charge
}

// next is the first future date of start+after, start+after+period and so on.
func (c Clock) next(after, period time.Duration) time.Time {
	t := c.Start.Add(after).Truncate(time.Second)
	if c.Now.Before(t) {
		return t
	}
	// Count in seconds: a time-lapse exceeds the range of a Duration.
	length := int64(period / time.Second)
	passed := (c.Now.Unix()-t.Unix())/length + 1
	return time.Unix(t.Unix()+passed*length, 0)
}

// cycle sets the billing cycle; elapsed is its age at the start.
func (c Clock) cycle(p *pb.PlanStatus, elapsed time.Duration) *pb.PlanStatus {
	end := c.next(month-elapsed, month)
	p.PlanStart = timestamppb.New(end.Add(-month))
	p.PlanEnd = timestamppb.New(end)
	return p
}

// credits makes a plan with 500 credits a month; used is in hundredths of a credit.
func (c Clock) credits(info *pb.PlanInfo, used int32, elapsed time.Duration) *pb.PlanStatus {
	info.MonthlyPromptCredits = 50000
	return c.cycle(&pb.PlanStatus{PlanInfo: info, AvailablePromptCredits: 50000, UsedPromptCredits: used}, elapsed)
}

// quota makes a plan billed by quota, with the remaining percentages of both windows
// and the times until their resets, as of the start.
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
