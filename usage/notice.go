package usage

import (
	"time"

	"github.com/tidwall/gjson"
)

// The codes of notices.
const (
	NoticeAutoTopUp     = "auto_top_up"
	NoticeGracePeriod   = "grace_period"
	NoticeOrphanedUsage = "orphaned_usage"
	NoticeOnExtraUsage  = "on_extra_usage"
	NoticeInDebt        = "in_debt"
)

// Notice is something beside the meters that the user should know, because
// money is in it. Which figures it has depends on its code.
type Notice struct {
	Code string
	// Spent and Limit are of NoticeAutoTopUp. No source states their unit.
	Spent, Limit Amount
	// Balance is of NoticeOnExtraUsage and NoticeInDebt, in dollars.
	Balance Amount
	// Ends is of NoticeGracePeriod, Over says that it has ended. The end may
	// be unknown either way.
	Ends time.Time
	Over bool
}

// facts are what an answer says beside its figures.
type facts struct {
	topUp        bool
	spent, limit Amount
	grace        string
	graceEnds    time.Time
	orphaned     bool
}

// readFacts reads TopUpStatus and its neighbours (PROTOCOL.md 6.5).
func (a *answer) readFacts(object gjson.Result) {
	topUp := inner(object, "topUpStatus")
	a.facts = facts{
		topUp:     a.flag(topUp, "topUpEnabled"),
		grace:     readWord(object, "gracePeriodStatus", "grace_period_status_", "", "none", "active", "expired"),
		graceEnds: readDate(object, "gracePeriodEnd"),
		orphaned:  a.flag(object, "wasReducedByOrphanedUsage"),
	}
	if a.facts.topUp {
		a.facts.spent = a.money(readFigure(topUp, "topUpSpent", scaleWhole))
		a.facts.limit = a.money(readFigure(topUp, "monthlyTopUpAmount", scaleWhole))
	}
}

// money is a figure of which zero is omitted.
func (a *answer) money(f figure) Amount {
	if f.unreadable() {
		a.problems = append(a.problems, unreadableField(f.field))
		return Amount{}
	}
	return f.orZero()
}

// notices are the ones that hold at a moment, for meters judged then.
func (f facts) notices(meters []Meter, now time.Time) []Notice {
	var notices []Notice
	if f.topUp {
		notices = append(notices, Notice{Code: NoticeAutoTopUp, Spent: f.spent, Limit: f.limit})
	}
	if f.grace == "active" || f.grace == "expired" {
		over := f.grace == "expired" || (!f.graceEnds.IsZero() && !f.graceEnds.After(now))
		notices = append(notices, Notice{Code: NoticeGracePeriod, Ends: f.graceEnds, Over: over})
	}
	if f.orphaned {
		notices = append(notices, Notice{Code: NoticeOrphanedUsage})
	}
	balance := extraUsage(meters)
	switch {
	case balance.positive() && quotaUsedUp(meters):
		notices = append(notices, Notice{Code: NoticeOnExtraUsage, Balance: balance})
	case balance.negative():
		notices = append(notices, Notice{Code: NoticeInDebt, Balance: balance})
	}
	return notices
}

// extraUsage is the balance, unknown when there is none.
func extraUsage(meters []Meter) Amount {
	for _, m := range meters {
		if m.ID == ExtraUsage {
			return m.Remaining
		}
	}
	return Amount{}
}

func quotaUsedUp(meters []Meter) bool {
	for _, m := range meters {
		if m.Unit == UnitPercent && m.State == StateExhausted {
			return true
		}
	}
	return false
}

// Sentence says the notice to people, with times in the habit of w.
func (n Notice) Sentence(w Words) string {
	switch n.Code {
	case NoticeAutoTopUp:
		return "Auto top-up is on. " + n.spending()
	case NoticeGracePeriod:
		return n.grace(w)
	case NoticeOrphanedUsage:
		return "The server reduced the credits by usage that it calls orphaned."
	case NoticeOnExtraUsage:
		return "The quota is used up; prompts are paid from extra usage: " + Balance(n.Balance) + "."
	case NoticeInDebt:
		return "Extra usage is in debt: " + Balance(n.Balance) + "."
	default:
		return ""
	}
}

func (n Notice) spending() string {
	const unit = " (the server states no unit)."
	switch {
	case !n.Spent.known:
		return "What it has spent could not be read."
	case n.Limit.positive():
		return "It has spent " + n.Spent.grouped() + " of " + n.Limit.grouped() + " a month" + unit
	default:
		return "It has spent " + n.Spent.grouped() + unit
	}
}

func (n Notice) grace(w Words) string {
	switch {
	case n.Over && n.Ends.IsZero():
		return "The grace period has ended."
	case n.Over:
		return "The grace period ended on " + w.Date(n.Ends) + "."
	case n.Ends.IsZero():
		return "A grace period is running; the server does not say until when."
	default:
		return "A grace period is running until " + w.Date(n.Ends) + "."
	}
}
