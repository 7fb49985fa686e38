package simulator

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	pb "windsock/probe/languageserver"
	"windsock/probe/simulator/account"
)

// pastStep is a step of a past turn at a time.
func (t *turn) pastStep(i int, at time.Time) step {
	p := t.Past
	s := step{kind: p.kind(i), status: pb.CortexStepStatus_CORTEX_STEP_STATUS_DONE, rank: rankOf(i)}
	if i == 0 {
		s.text = t.Prompt
	}
	ends := t.ends(i)
	switch {
	case !p.Cleared.IsZero() && !at.Before(p.Cleared):
		s.status, s.text = pb.CortexStepStatus_CORTEX_STEP_STATUS_CLEARED, ""
	case at.Before(ends) && s.kind == stepAnswer:
		s.status = generating
	case at.Before(ends):
		s.status = pb.CortexStepStatus_CORTEX_STEP_STATUS_RUNNING
	}
	s.metadata = t.metadata(i, s)
	return s
}

// ends is when a step of a past turn is complete.
func (t *turn) ends(i int) time.Time {
	if i == t.Past.Steps && !t.Past.Open.IsZero() {
		return t.Past.Open
	}
	return t.stepAt(i + 1)
}

// metadata is what a step of a past turn tells, before its server's release and its lack
// take something away.
func (t *turn) metadata(i int, s step) *pb.CortexStepMetadata {
	p := t.Past
	done, cleared := s.status == pb.CortexStepStatus_CORTEX_STEP_STATUS_DONE, s.status == pb.CortexStepStatus_CORTEX_STEP_STATUS_CLEARED
	m := &pb.CortexStepMetadata{
		CreatedAt: timestamppb.New(t.stepAt(i)), Source: pb.CortexStepSource_CORTEX_STEP_SOURCE_MODEL,
		RequestId: fmt.Sprintf("%016x-%03d", p.Seed, i),
	}
	if i == 0 {
		m.Source, m.RequestedModelUid = pb.CortexStepSource_CORTEX_STEP_SOURCE_USER_EXPLICIT, t.Model
	}
	if done {
		m.CompletedAt = timestamppb.New(t.ends(i))
	}
	if p.byModel(i) && !cleared {
		t.used(i, done, m)
	}
	p.Lacks.from(m)
	return m
}

// used stores what a model has used for a step: half of it, if the step is not done.
func (t *turn) used(i int, done bool, m *pb.CortexStepMetadata) {
	random := rand.New(rand.NewPCG(t.Past.Seed, uint64(i))) //nolint:gosec // made-up data, not below zero
	minor := t.Past.share(i)
	input, output := 2000+random.Uint64N(40_000), 50+random.Uint64N(2000)
	if done {
		m.UsageTimestamp = timestamppb.New(t.ends(i).Add(-time.Duration(random.Int64N(int64(t.Past.Long/64) + 1))))
	} else {
		minor, output = minor/2, output/2
	}
	m.GeneratorModelUid, m.RequestedModelUid = t.Model, t.Model
	m.ModelUsage = &pb.ModelUsageStats{
		InputTokens: input, OutputTokens: output, CacheWriteTokens: input / 8, CacheReadTokens: input / 4 * 3, ModelUid: t.Model,
	}
	m.InputTokens, m.CacheReadTokens = input, input/4*3
	tellCost(account.Cost{Unit: t.Cost.Unit, Amount: float64(minor) / minors[t.Cost.Unit]}, m)
}

// from takes away what is lacking.
func (l lack) from(m *pb.CortexStepMetadata) {
	switch l {
	case lacksTimes, lacksEnd, lacksUse:
		m.UsageTimestamp = nil
		if l != lacksUse {
			m.CompletedAt = nil
		}
		if l == lacksTimes {
			m.CreatedAt = nil
		}
	case lacksGenerator, lacksUsage, lacksModel:
		m.GeneratorModelUid = ""
		if l != lacksGenerator && m.GetModelUsage() != nil {
			m.ModelUsage.ModelUid = ""
		}
		if l == lacksModel {
			m.RequestedModelUid = ""
		}
	case lacksCost:
		m.PromptCreditsUsed, m.AcuCost, m.QuotaCostBasisPoints, m.OverageCostCents = 0, 0, nil, nil
	case lacksTokens:
		m.ModelUsage = nil
	case lacksRequest:
		m.RequestId = ""
	case lacksNothing, lacks:
	}
}

// tells takes away what the release does not have.
func (r Release) tells(m *pb.CortexStepMetadata) {
	switch r {
	case Release0:
		m.PromptCreditsUsed, m.AcuCost, m.ModelUsage = 0, 0, nil
		m.GeneratorModelUid, m.RequestedModelUid = "", ""
		fallthrough
	case Release1:
		m.QuotaCostBasisPoints, m.OverageCostCents = nil, nil
		m.InputTokens, m.CacheReadTokens, m.UsageTimestamp = 0, 0, nil
	case Release2, Release3:
	}
}

// filler is the text of a prompt or an answer whose turn has weight.
func (p *past) filler() string {
	const line = "0123456789 the quick brown fox jumps over the lazy dog, and \"quotes\" it.\n"
	texts := 1
	for i := range p.Steps {
		if p.byModel(i + 1) {
			texts++
		}
	}
	size := int(p.Weight) / texts
	return strings.Repeat(line, size/len(line)+1)[:size]
}
