package simulator

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/probe/simulator/account"
)

// What the cascades have cost in the windows of a plan is no more than the scenario says
// is used, and most of it in the scenario that is shown first.
func TestPastFitsTheScenario(t *testing.T) {
	t.Parallel()
	for i, s := range account.Scenarios() {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			server := start(t, Config{Token: "t", At: testTime, Scenario: s.Name, Cascade: Cascade{Old: 48}})
			plan := planOf(s.Answer(account.Clock{Start: testTime, Now: testTime}, ""))
			for _, limit := range account.PastLimits(plan, testTime) {
				var sum float64
				for _, charge := range server.cascades.charges(time.Time{}) {
					if charge.Cost.Unit == limit.Unit && !charge.At.Before(limit.From) && !charge.At.After(limit.Until) {
						sum += charge.Cost.Amount
					}
				}
				if sum > limit.Amount || i == 0 && sum < limit.Amount*0.9 {
					t.Errorf("%v to %v: %v of %v %s", limit.From, limit.Until, sum, limit.Amount, limit.Unit)
				}
			}
		})
	}
}

// At its end a turn has told all that it costs, but for what it does not tell at all.
func TestPastTurnTellsItsCost(t *testing.T) {
	t.Parallel()
	for _, scenario := range []string{"teams_credits", "acu", "quota_tight"} {
		server := start(t, Config{Token: "t", At: testTime, Scenario: scenario, Cascade: Cascade{Old: 60}})
		turns := 0
		for _, one := range server.cascades.all {
			for _, turn := range one.Turns {
				end := turn.ends(turn.Past.Steps)
				if !turn.Past.Cleared.IsZero() || !turn.there(end) {
					continue
				}
				turns++
				var told int64
				for _, s := range turn.steps(end) {
					for _, minor := range spentBy(s.metadata, end).Told {
						told += minor
					}
				}
				want := turn.Past.Minor
				if turn.Past.Lacks == lacksCost {
					want = 0
				}
				if told != want {
					t.Errorf("%s: a turn of %d steps tells %d, want %d", scenario, turn.Past.Steps, told, want)
				}
			}
		}
		if turns < 100 {
			t.Errorf("%s: %d turns", scenario, turns)
		}
	}
}

// A client that asks only for cascades whose time or number of steps has changed misses
// nothing.
func TestPastListingTellsOfEachChange(t *testing.T) {
	t.Parallel()
	begin := testTime.Add(-12 * day)
	s := start(t, Config{Token: "t", At: begin, Start: begin, Cascade: Cascade{Old: 60, Until: testTime}})
	type state struct {
		Modified time.Time
		Count    int
		Steps    string
	}
	last := map[string]state{}
	var begun, reverted, grown int
	for at := begin; !at.After(testTime); at = at.Add(31 * time.Minute) {
		s.SetTime(at)
		for id, one := range s.cascades.all {
			if one.Created.After(at) {
				continue
			}
			if at.Sub(one.modified(at)) > 3*day {
				continue
			}
			var steps strings.Builder
			for _, m := range s.cascades.messages(one, 0) {
				fmt.Fprintln(&steps, m.GetStatus(), spentBy(m.GetMetadata(), time.Time{}), m.GetMetadata().GetRequestId())
			}
			now := state{one.modified(at), one.count(at), steps.String()}
			before, known := last[id]
			last[id] = now
			switch {
			case now.Modified.After(at):
				t.Fatalf("modified %v, at %v", now.Modified, at)
			case !known:
				begun++
			case now.Count < before.Count:
				reverted++
			case now.Steps != before.Steps:
				grown++
			}
			if known && now.Steps != before.Steps && now.Modified.Equal(before.Modified) && now.Count == before.Count {
				t.Fatalf("%s changed at %v, but not in the listing: %s", one.Title, at, cmp.Diff(before.Steps, now.Steps))
			}
		}
	}
	if begun < 5 || reverted == 0 || grown < 30 {
		t.Errorf("%d begun, %d reverted, %d grown", begun, reverted, grown)
	}
}

// The account pays for what is spent after the start, in the windows where it is, and a
// branched cascade's copies once.
func TestPastIsPaid(t *testing.T) {
	t.Parallel()
	begin := testTime.Add(-10 * day)
	completions := account.Charge{At: begin.Add(day), Cost: account.Cost{Unit: account.Credits, Amount: 1.37}}
	s := start(t, Config{
		Token: "t", At: begin, Start: begin, Cascade: Cascade{Old: 60, Until: testTime}, Elsewhere: []account.Charge{completions},
	})
	before := s.plan().GetUsedPromptCredits()
	s.SetTime(testTime)
	var paid int64
	seeds := map[uint64]bool{}
	for _, one := range s.cascades.all {
		for _, turn := range one.Turns {
			if seeds[turn.Past.Seed] {
				continue
			}
			seeds[turn.Past.Seed] = true
			for i := range turn.Past.Steps {
				if at := turn.ends(i + 1); at.After(begin) && !at.After(testTime) {
					paid += turn.Past.share(i + 1)
				}
			}
		}
	}
	if used := s.plan().GetUsedPromptCredits(); int64(used-before) != paid+137 || paid < 1000 {
		t.Errorf("used %d, and %d later; the cascades cost %d", before, used, paid)
	}
	s.SetTime(testTime.Add(31 * day)) // another cycle
	if used := s.plan().GetUsedPromptCredits(); used != 0 {
		t.Errorf("used %d in a cycle without cascades", used)
	}
}

// What is spent by steps is told of steps that are there, each once, and for cascades at
// rest.
func TestSpentTellsEachStepOnce(t *testing.T) {
	t.Parallel()
	s := start(t, Config{Token: "t", At: testTime, Cascade: Cascade{Old: 60}})
	all := s.Spent()
	ids := map[string]bool{}
	var prompts, cleared, untold int
	for _, one := range all {
		if ids[one.ID] {
			t.Errorf("%s twice", one.ID)
		}
		ids[one.ID] = true
		switch {
		case one.Prompt:
			prompts++
		case one.Cleared:
			cleared++
		case len(one.Told) == 0:
			untold++
		}
		if s.cascades.all[one.Cascade].running || one.At.After(testTime) {
			t.Errorf("%+v", one)
		}
	}
	if len(all) < 1000 || prompts < 100 || cleared == 0 || untold == 0 {
		t.Errorf("%d steps, %d prompts, %d cleared, %d without a cost", len(all), prompts, cleared, untold)
	}
	gone := all[0].Cascade
	s.Delete(gone)
	if slices.ContainsFunc(s.Spent(), func(one Spent) bool { return one.Cascade == gone }) {
		t.Error("a deleted cascade is told of")
	}
}

// Older releases tell less.
func TestReleasesTellCosts(t *testing.T) {
	t.Parallel()
	tests := []struct {
		release                      Release
		scenario                     string
		costs, models, usage, tokens bool
	}{
		{Release0, "teams_credits", false, false, false, false},
		{Release1, "teams_credits", true, true, false, true},
		{Release1, "quota_fresh", false, true, false, true},
		{Release2, "quota_fresh", true, true, true, true},
		{Release3, "quota_fresh", true, true, true, true},
	}
	for _, tt := range tests {
		s := start(t, Config{Token: "t", At: testTime, Release: tt.release, Scenario: tt.scenario, Cascade: Cascade{Old: 20}})
		var costs, models, usage, tokens bool
		for _, one := range s.cascades.all {
			for _, m := range s.cascades.messages(one, 0) {
				m := m.GetMetadata()
				costs = costs || m.GetPromptCreditsUsed() > 0 || m.GetAcuCost() > 0 || m.QuotaCostBasisPoints != nil
				models = models || m.GetGeneratorModelUid() != ""
				usage = usage || m.GetUsageTimestamp() != nil
				tokens = tokens || m.GetModelUsage() != nil
			}
		}
		if costs != tt.costs || models != tt.models || usage != tt.usage || tokens != tt.tokens {
			t.Errorf("%s of %s: costs %v, models %v, usage %v, tokens %v", tt.release, tt.scenario, costs, models, usage, tokens)
		}
	}
}

const day = 24 * time.Hour

// A cascade's texts have the weight that is asked for.
func TestPastHasWeight(t *testing.T) {
	t.Parallel()
	const weight = 100_000
	s := start(t, Config{Token: "t", At: testTime, Cascade: Cascade{Old: 1, Weight: weight}})
	for _, one := range s.cascades.all {
		size := 0
		for _, m := range s.cascades.messages(one, 0) {
			size += len(m.GetUserInput().GetUserResponse()) + len(m.GetPlannerResponse().GetResponse())
		}
		if size < weight-2000 || size > weight+2000 {
			t.Errorf("%d bytes", size)
		}
	}
}
