package words

import "windsock/usage"

// Notice is a notice as a sentence for people.
func (w Words) Notice(n usage.Notice) string {
	switch n.Code {
	case usage.NoticeAutoTopUp:
		return "Auto top-up is on. " + spending(n)
	case usage.NoticeGracePeriod:
		return w.grace(n)
	case usage.NoticeOrphanedUsage:
		return "The server reduced the credits by usage that it calls orphaned."
	case usage.NoticeOnExtraUsage:
		return "The quota is used up; prompts are paid from extra usage: " + Balance(n.Balance) + "."
	case usage.NoticeInDebt:
		return "Extra usage is in debt: " + Balance(n.Balance) + "."
	case usage.NoticeOnDemandOff:
		return "On-demand usage is off: nothing is paid beyond what is included."
	case usage.NoticeOnDemandWithoutLimit:
		return "On-demand usage is on, and has no limit."
	default:
		return ""
	}
}

func spending(n usage.Notice) string {
	const unit = " (the server states no unit)."
	switch {
	case !n.Spent.Known():
		return "What it has spent could not be read."
	case n.Limit.Positive():
		return "It has spent " + grouped(n.Spent) + " of " + grouped(n.Limit) + " a month" + unit
	default:
		return "It has spent " + grouped(n.Spent) + unit
	}
}

func (w Words) grace(n usage.Notice) string {
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
