package usage

import "time"

// Binding is the meter that stops the user first: one that is exhausted (of
// several the one that comes back last), else the one with the lowest share
// left. Flex credits are drawn on when the prompt credits are gone, so they
// bind then, and only then, and the used-up prompt credits do not. A meter
// without a figure and a balance never bind. It returns false when nothing
// does.
func (s Snapshot) Binding() (Meter, bool) {
	flex, hasFlex := s.Meter(FlexCredits)
	prompt, hasPrompt := s.Meter(PromptCredits)
	onFlex := hasFlex && (!hasPrompt || prompt.State == StateExhausted)
	if onFlex && flex.binds() {
		return flex, true
	}
	var binding Meter
	found := false
	for _, m := range s.Meters {
		// Flex credits whose figure is unknown may still carry the user on.
		if !m.binds() || m.ID == FlexCredits || (onFlex && m.ID == PromptCredits) {
			continue
		}
		if !found || m.stopsBefore(binding) {
			binding, found = m, true
		}
	}
	return binding, found
}

// binds reports whether the meter can stop anyone, as far as is known.
func (m Meter) binds() bool {
	return (m.State == StateOK || m.State == StateExhausted) && m.RemainingPercent().known
}

func (m Meter) stopsBefore(o Meter) bool {
	gone, otherGone := m.State == StateExhausted, o.State == StateExhausted
	switch {
	case gone != otherGone:
		return gone
	case gone:
		return m.comesBackAfter(o.Window.End)
	default:
		return m.RemainingPercent().micros < o.RemainingPercent().micros
	}
}

// comesBackAfter treats a reset that is not known as the latest of all: nobody
// may be told that they can go on sooner.
func (m Meter) comesBackAfter(end time.Time) bool {
	if end.IsZero() {
		return false
	}
	return m.Window.End.IsZero() || m.Window.End.After(end)
}
