package usage

import "time"

// The codes of notices.
const (
	NoticeAutoTopUp     = "auto_top_up"
	NoticeGracePeriod   = "grace_period"
	NoticeOrphanedUsage = "orphaned_usage"
	NoticeOnExtraUsage  = "on_extra_usage"
	NoticeInDebt        = "in_debt"

	NoticeOnDemandOff          = "on_demand_off"
	NoticeOnDemandWithoutLimit = "on_demand_without_limit"
)

// Notice is a fact beside the meters that the user should know because it costs
// money. Its code decides which figures it has.
type Notice struct {
	Code string
	// Spent and Limit belong to NoticeAutoTopUp. No source states their unit.
	Spent, Limit Amount
	// Balance belongs to NoticeOnExtraUsage and NoticeInDebt, in dollars.
	Balance Amount
	// Ends belongs to NoticeGracePeriod; Over says that it has ended. The end may
	// be unknown either way.
	Ends time.Time
	Over bool
}

// Facts are an answer's facts beside its figures. At a given time they become notices.
type Facts struct {
	// TopUp says that auto top-up is on; Spent and Limit are its figures.
	TopUp        bool
	Spent, Limit Amount
	// Grace is "active", "expired", or "" for no grace period; its end may be unknown.
	Grace     string
	GraceEnds time.Time
	// Orphaned says that the server removed usage that it calls orphaned.
	Orphaned bool
	// OnDemandOff says that nothing can be bought on demand, and OnDemandWithoutLimit that
	// it can without a limit.
	OnDemandOff, OnDemandWithoutLimit bool
}

// notices are the notices at a moment; the meters are judged at the same moment.
func (f Facts) notices(meters []Meter, now time.Time) []Notice {
	var notices []Notice
	if f.TopUp {
		notices = append(notices, Notice{Code: NoticeAutoTopUp, Spent: f.Spent, Limit: f.Limit})
	}
	if f.Grace == "active" || f.Grace == "expired" {
		over := f.Grace == "expired" || (!f.GraceEnds.IsZero() && !f.GraceEnds.After(now))
		notices = append(notices, Notice{Code: NoticeGracePeriod, Ends: f.GraceEnds, Over: over})
	}
	if f.Orphaned {
		notices = append(notices, Notice{Code: NoticeOrphanedUsage})
	}
	switch {
	case f.OnDemandOff:
		notices = append(notices, Notice{Code: NoticeOnDemandOff})
	case f.OnDemandWithoutLimit:
		notices = append(notices, Notice{Code: NoticeOnDemandWithoutLimit})
	}
	balance := BalanceOf(meters)
	money, pays := payer(meters)
	switch {
	case pays && money.ID == ExtraUsage:
		notices = append(notices, Notice{Code: NoticeOnExtraUsage, Balance: balance})
	case balance.Negative():
		notices = append(notices, Notice{Code: NoticeInDebt, Balance: balance})
	}
	return notices
}
