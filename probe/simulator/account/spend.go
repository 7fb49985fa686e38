package account

import (
	"math"
	"slices"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	pb "windsock/probe/languageserver"
)

// percent is one percent of the daily quota, in the unit of a pace.
const percent = 1_000_000

// A pace is how fast a time-lapse uses an account up, at all hours and on all days. The
// zero pace uses nothing.
type pace struct {
	// perDay is in hundredths of a credit, ten-thousandths of an ACU, or millionths of a
	// percent of the day's quota.
	perDay int64
	// daysPerWeek is the weekly quota in daily quotas.
	daysPerWeek int64
	extra       extra
}

// between is the use from one time until another.
func (p pace) between(from, until time.Time) int64 {
	return p.perDay * (until.Unix() - from.Unix()) / int64(day/time.Second)
}

// spend uses the plan up. The windows in which the lapse began start with the
// scenario's figures, later windows start full. spend replays all windows since the
// start: so it needs no memory, and each window leaves the right rest to the next. It
// skips what is unlimited or not part of the plan.
func (c Clock) spend(plan *pb.PlanStatus, p pace) {
	switch {
	case plan.GetAvailablePromptCredits() > 0:
		c.spendCredits(plan, p)
	case plan.GetWeeklyQuotaResetAtUnix() != 0:
		c.spendQuota(plan, p)
	case plan.AcuLimit != nil:
		c.spendACUs(plan, p)
	}
}

// A window is the period in which a figure is counted.
type window struct {
	end    time.Time
	length time.Duration
	reset  func()
}

// window is the window in which the lapse began; end is that of the present window in
// the same series.
func (c Clock) window(end time.Time, length time.Duration, reset func()) *window {
	passed := (end.Unix() - 1 - c.Start.Unix()) / int64(length/time.Second)
	return &window{time.Unix(end.Unix()-passed*int64(length/time.Second), 0), length, reset}
}

// run calls use for the time from the lapse's start until now, split at the ends of
// windows. It resets each window at its end.
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

// take adds what is wanted to used, as far as the pool allows, and returns the rest.
func take(used *int64, pool, wanted int64) int64 {
	taken := max(min(wanted, pool-*used), 0)
	*used += taken
	return wanted - taken
}

// spendCredits uses up the prompt credits of each cycle, then the flex credits, which
// are never refilled.
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

// spendQuota uses up the day and the week at the same time. Once one of them is used
// up, further use costs extra and counts for neither. A hidden day is not counted.
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

// setGracePeriod starts a grace period while the account is overdrawn. The grace period
// ends as long after the week as in the scenario.
func (c Clock) setGracePeriod(p *pb.PlanStatus) {
	p.GracePeriodStatus, p.GracePeriodEnd = pb.GracePeriodStatus_GRACE_PERIOD_STATUS_NONE, nil
	if p.GetOverageBalanceMicros() < 0 {
		p.GracePeriodStatus = pb.GracePeriodStatus_GRACE_PERIOD_STATUS_ACTIVE
		p.GracePeriodEnd = timestamppb.New(c.next(graceLeft, week))
	}
}

// extra is the billing of extra usage, in millionths of a USD.
type extra struct {
	// price is the price of a percent of the daily quota; 0 is no extra usage.
	price int64
	// overdraft is the maximum debt.
	overdraft int64
	// deposit is the new balance after a week that ends without any.
	deposit int64
}

// pay is the balance after a cost, as far as the account can pay it.
func (e extra) pay(balance, cost int64) int64 {
	return balance - max(min(cost, balance+e.overdraft), 0)
}

// afterWeek is the balance after the end of a week.
func (e extra) afterWeek(balance int64) int64 {
	if balance <= 0 {
		return e.deposit
	}
	return balance
}
