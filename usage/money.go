package usage

// IsMoney reports whether the meter is of money that is spent beyond what the plan
// includes: a balance, or what is bought on demand. Such a meter never stops the user, and
// has alerts of its own.
func (id MeterID) IsMoney() bool { return id == ExtraUsage || id == OnDemand }

// GivesWay reports whether the meter is used up, so that money pays for what goes on, where
// there is some. Prompt credits give way to flex credits, not to money.
func (m Meter) GivesWay() bool {
	if m.State != StateExhausted || m.ID.IsMoney() {
		return false
	}
	return m.Unit == UnitPercent || m.ID.Info().Product == Cursor
}

// Payer is the meter of the money that pays now, since one of the others is used up: a
// positive balance, or what can be bought on demand. It returns false when none pays.
func (s Snapshot) Payer() (Meter, bool) { return payer(s.Meters) }

func payer(meters []Meter) (Meter, bool) {
	var money Meter
	usedUp := false
	for _, m := range meters {
		switch {
		case m.GivesWay():
			usedUp = true
		case m.ID == ExtraUsage && m.Remaining.Positive(), m.ID == OnDemand && m.State == StateOK:
			money = m
		}
	}
	if !usedUp {
		return Meter{}, false
	}
	return money, money.ID != ""
}

// BalanceOf is the balance, unknown without one.
func BalanceOf(meters []Meter) Amount {
	for _, m := range meters {
		if m.ID == ExtraUsage {
			return m.Remaining
		}
	}
	return Amount{}
}
