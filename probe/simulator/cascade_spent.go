package simulator

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	pb "windsock/probe/languageserver"
	"windsock/probe/simulator/account"
	"windsock/probe/sorted"
)

// Spent is what a step has used, as far as the server tells it: what a client has to come
// to, worked out without one.
type Spent struct {
	// ID is the step's. It stays when the step grows, and a copy in a branched cascade has
	// its original's.
	ID string `json:"id"`
	// Cascade is the one that had the step first.
	Cascade   string `json:"cascade"`
	Workspace string `json:"workspace"`
	// Model is that of the answer, or the one that a prompt is for; "" is unknown.
	Model string `json:"model"`
	// At is the best time that is told.
	At time.Time `json:"at"`
	// Prompt says that it is a message, Answer that a model made it, Cleared that it no
	// longer tells what it told.
	Prompt  bool `json:"prompt"`
	Answer  bool `json:"answer"`
	Cleared bool `json:"cleared"`
	// Told are the costs in the smallest unit of each: hundredths, or of an ACU
	// ten-thousandths. One that is missing is unknown.
	Told map[account.Unit]int64 `json:"told"`
	// Cached tokens are a part of the Input.
	Input  uint64 `json:"input"`
	Output uint64 `json:"output"`
	Cached uint64 `json:"cached"`
}

// spent are the steps that the server tells at present, but for those of cascades that
// run.
func (c *cascades) spent() (all []Spent) {
	c.mu.Lock()
	defer c.mu.Unlock()
	seen := map[string]bool{}
	now := c.now()
	for _, one := range slices.SortedFunc(maps.Values(c.all), func(a, b *cascade) int {
		return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID))
	}) {
		if one.status(now) != pb.CascadeRunStatus_CASCADE_RUN_STATUS_IDLE {
			continue
		}
		messages, last := c.messages(one, 0), one.Created
		steps, from := one.steps(now)
		for i, m := range messages {
			s := spentBy(m.GetMetadata(), last)
			last = s.At
			s.Cascade, s.Workspace = one.ID, one.Workspace
			s.Prompt = m.GetType() == pb.CortexStepType_CORTEX_STEP_TYPE_USER_INPUT
			s.Answer = m.GetType() == stepAnswer || m.GetMetadata().GetGeneratorModelUid() != ""
			s.Cleared = steps[i].status == pb.CortexStepStatus_CORTEX_STEP_STATUS_CLEARED
			if s.Prompt && s.Model == "" {
				s.Model = nextModel(messages[i+1:])
			}
			if s.ID = fmt.Sprint(one.ID, i); from[i].Past != nil {
				s.ID = fmt.Sprint(from[i].Past.Seed, i-slices.Index(from, from[i]))
			}
			if !seen[s.ID] && (s.Prompt || s.Answer || len(s.Told) > 0) {
				all = append(all, s)
			}
			seen[s.ID] = true
		}
	}
	return all
}

// spentBy reads what a step tells; before is the time of the step before it.
func spentBy(m *pb.CortexStepMetadata, before time.Time) Spent {
	s := Spent{
		Model: cmp.Or(m.GetGeneratorModelUid(), m.GetModelUsage().GetModelUid(), m.GetRequestedModelUid()),
		At:    before, Told: map[account.Unit]int64{}, Input: m.GetInputTokens() + m.GetCacheReadTokens(), Cached: m.GetCacheReadTokens(),
	}
	switch {
	case m.GetUsageTimestamp() != nil:
		s.At = m.GetUsageTimestamp().AsTime()
	case m.GetCompletedAt() != nil:
		s.At = m.GetCompletedAt().AsTime()
	case m.GetCreatedAt() != nil:
		s.At = m.GetCreatedAt().AsTime()
	}
	if u := m.GetModelUsage(); u != nil {
		s.Input = u.GetInputTokens() + u.GetCacheWriteTokens() + u.GetCacheReadTokens() // its three parts
		s.Output, s.Cached = u.GetOutputTokens(), u.GetCacheReadTokens()
	}
	if n := m.GetPromptCreditsUsed(); n != 0 {
		s.Told[account.Credits] = int64(n)
	}
	if n := m.GetAcuCost(); n != 0 {
		s.Told[account.ACUs] = int64(n*minors[account.ACUs] + 0.5)
	}
	if m.QuotaCostBasisPoints != nil {
		s.Told[account.Quota] = m.GetQuotaCostBasisPoints()
	}
	if m.OverageCostCents != nil {
		s.Told[account.Dollars] = m.GetOverageCostCents()
	}
	return s
}

// nextModel is that of the first step that tells one.
func nextModel(steps []*pb.CortexTrajectoryStep) string {
	for _, m := range steps {
		if model := spentBy(m.GetMetadata(), time.Time{}).Model; model != "" {
			return model
		}
	}
	return ""
}

// oddities are when something odd happens to past turns, just before it and then: one is
// reverted or cleared, or a step that was held up ends.
func (c *cascades) oddities() (all []time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, one := range c.all {
		for _, t := range one.Turns {
			if t.Past == nil {
				continue
			}
			for _, at := range []time.Time{t.Past.Reverted, t.Past.Cleared, t.Past.Open} {
				if !at.IsZero() {
					all = append(all, at.Add(-time.Second), at)
				}
			}
		}
	}
	sorted.By(all, time.Time.Compare)
	return all
}

// charges are the costs paid since a time, in no order. What a step has cost stays paid
// when it disappears.
func (c *cascades) charges(since time.Time) []account.Charge {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.now()
	var all []account.Charge
	paid := map[uint64]bool{}
	for _, one := range c.all {
		for _, t := range one.Turns {
			switch {
			case t.Past == nil:
				if slices.ContainsFunc(t.now().steps, func(s step) bool { return s.charged }) {
					all = append(all, account.Charge{At: t.Date, Cost: t.Cost})
				}
			case !paid[t.Past.Seed] && t.ends(t.Past.Steps).After(since) && !t.Date.After(now):
				paid[t.Past.Seed] = true
				all = append(all, t.paid(since, now)...)
			}
		}
	}
	return all
}

// paid are the charges of a past turn's steps in a time.
func (t *turn) paid(since, until time.Time) (all []account.Charge) {
	pay := func(at time.Time, minor int64) {
		if at.After(since) && !at.After(until) && minor > 0 {
			all = append(all, account.Charge{At: at, Cost: account.Cost{Unit: t.Cost.Unit, Amount: float64(minor) / minors[t.Cost.Unit]}})
		}
	}
	for i := 1; i <= t.Past.Steps; i++ {
		share, begun := t.Past.share(i), int64(0)
		if i == t.Past.Steps && !t.Past.Open.IsZero() {
			begun = share / 2
			pay(t.stepAt(i), begun)
		}
		pay(t.ends(i), share-begun)
	}
	return all
}
