package account

import (
	"math"
	"slices"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	pb "windsock/probe/languageserver"
)

// percent is one of a day's quota, in the unit that a pace has.
const percent = 1_000_000

// A pace is how fast an account is used up in a time-lapse, at all hours and on all
// days. The zero pace does not use it.
type pace struct {
	// perDay is in hundredths of a credit, ten-thousandths of an ACU, or millionths of a
	// percent of the day's quota.
	perDay int64
	// daysPerWeek is how many days' quotas make a week's.
	daysPerWeek int64
	extra       extra
}

// between is what is used from one time until another.
func (p pace) between(from, until time.Time) int64 {
	return p.perDay * (until.Unix() - from.Unix()) / int64(day/time.Second)
}

// spend uses the plan up: from the scenario's figures in the windows in which the lapse
// began, and from full ones in those that follow. It goes through all windows since, so
// that it needs no memory and what one leaves to the next is right. What is unlimited or
// no part of the plan stays as it is.
func (c Clock) spend(plan *pb.PlanStatus, p pace) {
	switch {
	case p.perDay == 0:
	case plan.GetAvailablePromptCredits() > 0:
		c.spendCredits(plan, p)
	case plan.GetWeeklyQuotaResetAtUnix() != 0:
		c.spendQuota(plan, p)
	case plan.AcuLimit != nil:
		c.spendACUs(plan, p)
	}
}

// A window is one that a figure is counted in.
type window struct {
	end    time.Time
	length time.Duration
	reset  func()
}

// window is the one in which the lapse began, of those that end when the one of
// now does.
func (c Clock) window(end time.Time, length time.Duration, reset func()) *window {
	passed := (end.Unix() - 1 - c.Start.Unix()) / int64(length/time.Second)
	return &window{time.Unix(end.Unix()-passed*int64(length/time.Second), 0), length, reset}
}

// run calls use for the time from the lapse's start until now, in stretches
// between which windows end and are reset.
func (c Clock) run(use func(from, until time.Time), windows ...*window) {
	from := c.Start
	for {
		next := slices.MinFunc(windows, func(a, b *window) int { return a.end.Compare(b.end) })
		if next.end.After(c.Now) {
			break
		}
		use(from, next.end)
		next.reset()
		from, next.end = next.end, next.end.Add(next.length)
	}
	use(from, c.Now)
}

// take moves what is wanted from a pool to what is used of it, as far as there is
// any left, and returns the rest.
func take(used *int64, pool, wanted int64) int64 {
	taken := max(min(wanted, pool-*used), 0)
	*used += taken
	return wanted - taken
}

// spendCredits uses up the prompt credits of each cycle and, while there are
// none, flex credits. Those never come back.
func (c Clock) spendCredits(p *pb.PlanStatus, at pace) {
	const step = 25 // nothing costs less than a quarter of a credit
	prompt, flex := int64(p.GetUsedPromptCredits()), int64(p.GetUsedFlexCredits())
	c.run(func(from, until time.Time) {
		rest := take(&prompt, int64(p.GetAvailablePromptCredits()), at.between(from, until)/step*step)
		take(&flex, int64(p.GetAvailableFlexCredits()), rest)
	}, c.window(p.GetPlanEnd().AsTime(), month, func() { prompt = 0 }))
	p.UsedPromptCredits, p.UsedFlexCredits = int32(prompt), int32(flex) //nolint:gosec // no more than the pools
}

// spendACUs uses up the ACUs of each cycle.
func (c Clock) spendACUs(p *pb.PlanStatus, at pace) {
	const decimals = 1e4
	consumed := int64(math.Round(p.GetAcuConsumed() * decimals))
	c.run(func(from, until time.Time) {
		take(&consumed, int64(p.GetAcuLimit()*decimals), at.between(from, until))
	}, c.window(p.GetPlanEnd().AsTime(), month, func() { consumed = 0 }))
	p.AcuConsumed = new(float64(consumed) / decimals)
}

// spendQuota uses up the day and the week at the same time. What is wanted while
// one of them is used up costs extra, and counts for neither. A day that is not
// shown is not counted.
func (c Clock) spendQuota(p *pb.PlanStatus, at pace) {
	wholeDay, wholeWeek := int64(100*percent), at.daysPerWeek*100*percent
	ofDay := int64(100-p.GetDailyQuotaRemainingPercent()) * percent
	ofWeek := int64(100-p.GetWeeklyQuotaRemainingPercent()) * percent * at.daysPerWeek
	balance := p.GetOverageBalanceMicros()
	c.run(func(from, until time.Time) {
		wanted := at.between(from, until)
		taken := min(wanted, wholeWeek-ofWeek)
		if !p.GetPlanInfo().GetHideDailyQuota() {
			taken -= take(&ofDay, wholeDay, taken)
		}
		ofWeek += taken
		balance = at.extra.pay(balance, (wanted-taken)*at.extra.price/percent)
	},
		c.window(time.Unix(p.GetDailyQuotaResetAtUnix(), 0), day, func() { ofDay = 0 }),
		c.window(time.Unix(p.GetWeeklyQuotaResetAtUnix(), 0), week, func() {
			ofWeek = 0
			balance = at.extra.afterWeek(balance)
		}))
	p.DailyQuotaRemainingPercent = int32(100 - ofDay/percent)                    //nolint:gosec // 0 to 100
	p.WeeklyQuotaRemainingPercent = int32(100 - ofWeek/(percent*at.daysPerWeek)) //nolint:gosec // 0 to 100
	p.OverageBalanceMicros = balance
	if at.extra.overdraft > 0 {
		c.setGracePeriod(p)
	}
}

// setGracePeriod lets a grace period run while money is owed. It ends as long after the
// week as the scenario has it.
func (c Clock) setGracePeriod(p *pb.PlanStatus) {
	p.GracePeriodStatus, p.GracePeriodEnd = pb.GracePeriodStatus_GRACE_PERIOD_STATUS_NONE, nil
	if p.GetOverageBalanceMicros() < 0 {
		p.GracePeriodStatus = pb.GracePeriodStatus_GRACE_PERIOD_STATUS_ACTIVE
		p.GracePeriodEnd = timestamppb.New(c.next(graceLeft, week))
	}
}

// extra is what becomes of an account's balance, in millionths of a USD.
type extra struct {
	// price is that of a percent of the day's quota; 0 is no extra usage.
	price int64
	// overdraft is how much may be owed.
	overdraft int64
	// deposit is what the balance is brought to at the end of a week that has
	// left none.
	deposit int64
}

// pay is the balance after a cost, as far as it can be paid.
func (e extra) pay(balance, cost int64) int64 {
	return balance - max(min(cost, balance+e.overdraft), 0)
}

// afterWeek is the balance after a week.
func (e extra) afterWeek(balance int64) int64 {
	if balance <= 0 {
		return e.deposit
	}
	return balance
}
