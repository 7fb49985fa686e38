package usage

import "time"

// Binding is the meter that stops the user first. In order: a used-up meter (of
// several, the one that comes back last), the one that runs out first, the tight
// one that is least likely to last, the one with the lowest share left. Of equals it is
// the first. Where windows begin with their first use, the pace does not count, since
// the short windows have none of that gravity; of equals it is the one with the later
// reset, then the one with the longer window. Flex credits bind only when the prompt credits
// are gone; the used-up prompt credits then do not. Requests bind before the percentages
// beside them. A meter without a figure, one of money that is spent beyond the plan, and
// one that the table lacks never bind. It returns false when no meter binds.
func (s Snapshot) Binding() (Meter, bool) { return s.first(Meter.stopsBefore) }

// Lowest is the meter with the lowest share left, of the meters that can bind.
func (s Snapshot) Lowest() (Meter, bool) { return s.first(Meter.lowerThan) }

// Untouched reports whether no window of the plan has started, so that no meter binds
// and all is left.
func (s Snapshot) Untouched() bool {
	known := 0
	for _, m := range s.Meters {
		switch {
		case m.Name != "":
		case m.State != StateNotStarted:
			return false
		default:
			known++
		}
	}
	return known > 0
}

// first returns the meter that sorts before all others that can stop the user; of
// equals, the first.
func (s Snapshot) first(before func(m, other Meter) bool) (Meter, bool) {
	flex, hasFlex := s.Meter(FlexCredits)
	prompt, hasPrompt := s.Meter(PromptCredits)
	onFlex := hasFlex && (!hasPrompt || prompt.State == StateExhausted)
	if onFlex && flex.Binds() {
		return flex, true
	}
	if requests, ok := s.Meter(Requests); ok && requests.Binds() {
		return requests, true
	}
	var first Meter
	found := false
	for _, m := range s.Meters {
		// Flex credits whose figure is unknown may still carry the user on.
		if !m.Binds() || m.ID == FlexCredits || (onFlex && m.ID == PromptCredits) {
			continue
		}
		if !found || before(m, first) {
			first, found = m, true
		}
	}
	return first, found
}

// Binds reports whether the meter can stop the user, as far as is known: it has a share
// that is left.
func (m Meter) Binds() bool {
	return m.Name == "" && !m.ID.IsMoney() && (m.State == StateOK || m.State == StateExhausted) && m.RemainingPercent().Known()
}

func (m Meter) stopsBefore(o Meter) bool {
	gravity, other := m.gravity(), o.gravity()
	switch {
	case gravity != other:
		return gravity > other
	case gravity == 3:
		return m.comesBackAfter(o.Window.End) || m.isLonger(o)
	case gravity == 2 && !m.Pace.RunsOutAt.Equal(o.Pace.RunsOutAt):
		// It has no moment when it was more likely to run out before.
		return !m.Pace.RunsOutAt.IsZero() && (o.Pace.RunsOutAt.IsZero() || m.Pace.RunsOutAt.Before(o.Pace.RunsOutAt))
	case gravity > 0 && m.Pace.Chance != o.Pace.Chance:
		return m.Pace.Chance.Millionths() < o.Pace.Chance.Millionths()
	default:
		return m.lowerThan(o)
	}
}

func (m Meter) lowerThan(o Meter) bool {
	if left, other := m.RemainingPercent(), o.RemainingPercent(); left != other {
		return left.Millionths() < other.Millionths()
	}
	return m.BeginsWithUse() && m.comesBackAfter(o.Window.End) || m.isLonger(o)
}

// isLonger reports whether the meter has the longer one of two windows with one reset.
func (m Meter) isLonger(o Meter) bool {
	return m.BeginsWithUse() && m.Window.End.Equal(o.Window.End) && m.Window.length() > o.Window.length()
}

// gravity orders meters: 3 are used up, 2 run out, 1 are tight.
func (m Meter) gravity() int {
	switch {
	case m.State == StateExhausted:
		return 3
	case m.Pace == nil || m.BeginsWithUse():
		return 0
	}
	return map[Verdict]int{VerdictUsedUp: 3, VerdictRunsOut: 2, VerdictTight: 1}[m.Pace.Verdict]
}

// comesBackAfter sorts an unknown reset last: no message may promise an earlier
// return.
func (m Meter) comesBackAfter(end time.Time) bool {
	if end.IsZero() {
		return false
	}
	return m.Window.End.IsZero() || m.Window.End.After(end)
}
