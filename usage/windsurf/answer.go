package windsurf

import (
	"time"

	"github.com/tidwall/gjson"

	"windsock/usage"
	"windsock/usage/field"
)

// answer is an answer about the plan in one form, independent of its source.
type answer struct {
	plan     string
	strategy usage.Billing
	cycle    usage.Window

	prompt, flex, flow pool
	daily, weekly      quota
	consumed, limit    field.Figure
	balance            field.Figure

	facts    usage.Facts
	problems []usage.Problem

	// cached says that zeros were written, so that a missing field is not metered.
	cached bool
}

// pool is a pool of credits. Only caches have remaining.
type pool struct {
	total, used, remaining field.Figure
	// granted is the plan's monthly grant.
	granted field.Figure
}

// quota is a daily or weekly window of a quota plan.
type quota struct {
	percent field.Figure
	reset   time.Time
	hidden  bool
}

// read recognises the form of an answer and reads it. code is a code of usage.NoUsage,
// or empty; the plan's name may be known either way. Only the parts that are read are
// copied out of raw. The list of models, by far the largest part, is skipped.
func read(raw []byte) (a answer, code string) {
	raw, ok := field.Object(raw)
	if !ok {
		return answer{}, usage.CodeBadPayload
	}
	top := gjson.GetBytes(raw, "planInfo")
	if !top.IsObject() {
		top = gjson.Result{}
	}
	if status := gjson.GetBytes(raw, "userStatus.planStatus"); status.IsObject() {
		return readStatus(status, top), ""
	}
	if status := gjson.GetBytes(raw, "planStatus"); status.IsObject() {
		return readStatus(status, top), ""
	}
	if root := gjson.ParseBytes(raw); isCache(root) {
		return readCache(root), ""
	}
	return answer{plan: planName(top)}, usage.CodeNoPlanStatus
}

// readStatus reads a PlanStatus (PROTOCOL.md 6). The PlanInfo beside the
// status wins over the one inside it, field by field.
func readStatus(status, top gjson.Result) answer {
	nested := field.Inner(status, "planInfo")
	info := func(name string) gjson.Result {
		if _, there := field.Present(top, name); there {
			return top
		}
		return nested
	}
	a := answer{
		plan:     planName(top),
		strategy: readStrategy(info("billingStrategy")),
		cycle: checked(usage.Window{
			Start: field.ReadDate(status, "planStart"),
			End:   field.ReadDate(status, "planEnd"),
		}),
		prompt: pool{
			total:   field.ReadFigure(status, "availablePromptCredits", field.Hundredths),
			used:    field.ReadFigure(status, "usedPromptCredits", field.Hundredths),
			granted: field.ReadFigure(info("monthlyPromptCredits"), "monthlyPromptCredits", field.Hundredths),
		},
		flex: pool{
			total: field.ReadFigure(status, "availableFlexCredits", field.Hundredths),
			used:  field.ReadFigure(status, "usedFlexCredits", field.Hundredths),
		},
		flow: pool{
			total:   field.ReadFigure(status, "availableFlowCredits", field.Hundredths),
			used:    field.ReadFigure(status, "usedFlowCredits", field.Hundredths),
			granted: field.ReadFigure(info("monthlyFlowCredits"), "monthlyFlowCredits", field.Hundredths),
		},
		daily: quota{
			percent: field.ReadFigure(status, "dailyQuotaRemainingPercent", field.Whole),
			reset:   field.ReadClock(status, "dailyQuotaResetAtUnix", time.Second),
		},
		weekly: quota{
			percent: field.ReadFigure(status, "weeklyQuotaRemainingPercent", field.Whole),
			reset:   field.ReadClock(status, "weeklyQuotaResetAtUnix", time.Second),
		},
		consumed: field.ReadFigure(status, "acuConsumed", field.Whole),
		limit:    field.ReadFigure(status, "acuLimit", field.Whole),
		balance:  field.ReadFigure(status, "overageBalanceMicros", field.Micros),
	}
	if a.plan == "" {
		a.plan = planName(nested)
	}
	a.daily.hidden = a.flag(info("hideDailyQuota"), "hideDailyQuota")
	a.weekly.hidden = a.flag(info("hideWeeklyQuota"), "hideWeeklyQuota")
	a.readFacts(status)
	return a
}

// cacheFields distinguish the editor's two plan caches from any other object
// (PROTOCOL.md 5.3).
var cacheFields = []string{
	"planName", "billingStrategy", "startTimestamp", "endTimestamp", "usage", "quotaUsage",
	"dailyRemainingPercent", "weeklyRemainingPercent", "dailyResetAtUnix", "weeklyResetAtUnix",
	"totalMessages", "remainingMessages", "overageBalanceMicros", "isDevinFree",
}

func isCache(root gjson.Result) bool {
	for _, name := range []string{"userStatus", "planStatus"} {
		if _, there := field.Present(root, name); there {
			return false
		}
	}
	for _, name := range cacheFields {
		if _, there := field.Present(root, name); there {
			return true
		}
	}
	return false
}

// readCache reads a cachedPlanInfo, which nests its figures, or a cachedPlanInfoData,
// which is flat. The flow actions of the first mean nothing any more.
func readCache(root gjson.Result) answer {
	credits := field.Inner(root, "usage")
	quotas := field.Inner(root, "quotaUsage")
	if !quotas.Exists() {
		quotas = root
	}
	a := answer{
		cached:   true,
		plan:     planName(root),
		strategy: readStrategy(root),
		cycle: checked(usage.Window{
			Start: field.ReadClock(root, "startTimestamp", time.Millisecond),
			End:   field.ReadClock(root, "endTimestamp", time.Millisecond),
		}),
		prompt: pool{
			total:     field.ReadFigure(credits, "messages", field.Hundredths),
			used:      field.ReadFigure(credits, "usedMessages", field.Hundredths),
			remaining: field.ReadFigure(credits, "remainingMessages", field.Hundredths),
		},
		flex: pool{
			total:     field.ReadFigure(credits, "flexCredits", field.Hundredths),
			used:      field.ReadFigure(credits, "usedFlexCredits", field.Hundredths),
			remaining: field.ReadFigure(credits, "remainingFlexCredits", field.Hundredths),
		},
		daily: quota{
			percent: field.ReadFigure(quotas, "dailyRemainingPercent", field.Whole),
			reset:   field.ReadClock(quotas, "dailyResetAtUnix", time.Second),
		},
		weekly: quota{
			percent: field.ReadFigure(quotas, "weeklyRemainingPercent", field.Whole),
			reset:   field.ReadClock(quotas, "weeklyResetAtUnix", time.Second),
		},
		balance: field.ReadFigure(quotas, "overageBalanceMicros", field.Micros),
	}
	if !credits.Exists() {
		a.prompt = pool{
			total:     field.ReadFigure(root, "totalMessages", field.Hundredths),
			remaining: field.ReadFigure(root, "remainingMessages", field.Hundredths),
		}
	}
	a.daily.hidden = a.flag(root, "hideDailyQuota")
	a.weekly.hidden = a.flag(root, "hideWeeklyQuota")
	a.readFacts(root)
	return a
}

func (a *answer) flag(object gjson.Result, name string) bool {
	value, ok := field.ReadFlag(object, name)
	if !ok {
		a.problems = append(a.problems, unreadableField(name))
	}
	return value
}

func readStrategy(info gjson.Result) usage.Billing {
	return usage.Billing(field.ReadWord(info, "billingStrategy", "billing_strategy_",
		string(usage.BillingUnknown), string(usage.BillingCredits), string(usage.BillingQuota), string(usage.BillingACU)))
}

// planName is the name in a PlanInfo or a cache, "" when it is no name.
func planName(info gjson.Result) string {
	v := info.Get("planName")
	if v.Type != gjson.String {
		return ""
	}
	return usage.CleanName(v.Str)
}

// checked drops both bounds when the end is not after the start.
func checked(w usage.Window) usage.Window {
	if !w.Start.IsZero() && !w.End.IsZero() && !w.End.After(w.Start) {
		return usage.Window{}
	}
	return w
}
