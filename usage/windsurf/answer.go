package windsurf

import (
	"bytes"
	"time"

	"github.com/tidwall/gjson"

	"windsock/probe/jsoncheck"
	"windsock/usage"
)

// answer is an answer about the plan in one form, independent of its source.
type answer struct {
	plan     string
	strategy usage.Billing
	cycle    usage.Window

	prompt, flex, flow pool
	daily, weekly      quota
	consumed, limit    figure
	balance            figure

	facts    usage.Facts
	problems []usage.Problem

	// cached says that zeros were written, so that a missing field is not metered.
	cached bool
}

// pool is a pool of credits. Only caches have remaining.
type pool struct {
	total, used, remaining figure
	// granted is the plan's monthly grant.
	granted figure
}

// quota is a daily or weekly window of a quota plan.
type quota struct {
	percent figure
	reset   time.Time
	hidden  bool
}

// read recognises the form of an answer and reads it. code is a code of usage.NoUsage,
// or empty; the plan's name may be known either way. Only the parts that are read are
// copied out of raw. The list of models, by far the largest part, is skipped.
func read(raw []byte) (a answer, code string) {
	raw = bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf"))
	if !isObject(raw) {
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

func isObject(raw []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(raw, " \t\r\n"), []byte("{")) && jsoncheck.Valid(raw)
}

// readStatus reads a PlanStatus (PROTOCOL.md 6). The PlanInfo beside the
// status wins over the one inside it, field by field.
func readStatus(status, top gjson.Result) answer {
	nested := inner(status, "planInfo")
	info := func(field string) gjson.Result {
		if _, there := present(top, field); there {
			return top
		}
		return nested
	}
	a := answer{
		plan:     planName(top),
		strategy: readStrategy(info("billingStrategy")),
		cycle: checked(usage.Window{
			Start: readDate(status, "planStart"),
			End:   readDate(status, "planEnd"),
		}),
		prompt: pool{
			total:   readFigure(status, "availablePromptCredits", scaleHundredths),
			used:    readFigure(status, "usedPromptCredits", scaleHundredths),
			granted: readFigure(info("monthlyPromptCredits"), "monthlyPromptCredits", scaleHundredths),
		},
		flex: pool{
			total: readFigure(status, "availableFlexCredits", scaleHundredths),
			used:  readFigure(status, "usedFlexCredits", scaleHundredths),
		},
		flow: pool{
			total:   readFigure(status, "availableFlowCredits", scaleHundredths),
			used:    readFigure(status, "usedFlowCredits", scaleHundredths),
			granted: readFigure(info("monthlyFlowCredits"), "monthlyFlowCredits", scaleHundredths),
		},
		daily: quota{
			percent: readFigure(status, "dailyQuotaRemainingPercent", scaleWhole),
			reset:   readClock(status, "dailyQuotaResetAtUnix", time.Second),
		},
		weekly: quota{
			percent: readFigure(status, "weeklyQuotaRemainingPercent", scaleWhole),
			reset:   readClock(status, "weeklyQuotaResetAtUnix", time.Second),
		},
		consumed: readFigure(status, "acuConsumed", scaleWhole),
		limit:    readFigure(status, "acuLimit", scaleWhole),
		balance:  readFigure(status, "overageBalanceMicros", scaleMicros),
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
	for _, field := range []string{"userStatus", "planStatus"} {
		if _, there := present(root, field); there {
			return false
		}
	}
	for _, field := range cacheFields {
		if _, there := present(root, field); there {
			return true
		}
	}
	return false
}

// readCache reads a cachedPlanInfo, which nests its figures, or a cachedPlanInfoData,
// which is flat. The flow actions of the first mean nothing any more.
func readCache(root gjson.Result) answer {
	credits := inner(root, "usage")
	quotas := inner(root, "quotaUsage")
	if !quotas.Exists() {
		quotas = root
	}
	a := answer{
		cached:   true,
		plan:     planName(root),
		strategy: readStrategy(root),
		cycle: checked(usage.Window{
			Start: readClock(root, "startTimestamp", time.Millisecond),
			End:   readClock(root, "endTimestamp", time.Millisecond),
		}),
		prompt: pool{
			total:     readFigure(credits, "messages", scaleHundredths),
			used:      readFigure(credits, "usedMessages", scaleHundredths),
			remaining: readFigure(credits, "remainingMessages", scaleHundredths),
		},
		flex: pool{
			total:     readFigure(credits, "flexCredits", scaleHundredths),
			used:      readFigure(credits, "usedFlexCredits", scaleHundredths),
			remaining: readFigure(credits, "remainingFlexCredits", scaleHundredths),
		},
		daily: quota{
			percent: readFigure(quotas, "dailyRemainingPercent", scaleWhole),
			reset:   readClock(quotas, "dailyResetAtUnix", time.Second),
		},
		weekly: quota{
			percent: readFigure(quotas, "weeklyRemainingPercent", scaleWhole),
			reset:   readClock(quotas, "weeklyResetAtUnix", time.Second),
		},
		balance: readFigure(quotas, "overageBalanceMicros", scaleMicros),
	}
	if !credits.Exists() {
		a.prompt = pool{
			total:     readFigure(root, "totalMessages", scaleHundredths),
			remaining: readFigure(root, "remainingMessages", scaleHundredths),
		}
	}
	a.daily.hidden = a.flag(root, "hideDailyQuota")
	a.weekly.hidden = a.flag(root, "hideWeeklyQuota")
	a.readFacts(root)
	return a
}

func (a *answer) flag(object gjson.Result, field string) bool {
	value, ok := readFlag(object, field)
	if !ok {
		a.problems = append(a.problems, unreadableField(field))
	}
	return value
}

func readStrategy(info gjson.Result) usage.Billing {
	return usage.Billing(readWord(info, "billingStrategy", "billing_strategy_",
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
