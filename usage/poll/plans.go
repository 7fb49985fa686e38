package poll

import (
	"fmt"
	"slices"
	"strings"

	"windsock/usage"
	"windsock/usage/words"
)

// Plans are the states of all plans, in the order of the products; there is at least
// one. A product that does not run has no state beside others with figures. One that
// runs and cannot be read has a state without figures.
type Plans []State

// Lead is the state of the leading plan.
func (all Plans) Lead() State {
	for _, s := range all {
		if s.Lead {
			return s
		}
	}
	if len(all) == 0 {
		return State{}
	}
	return all[0]
}

// Headings name the plans for people, each differently. One plan alone is called as by
// [words.Heading].
func (all Plans) Headings() []string {
	snapshots, marks := make([]usage.Snapshot, len(all)), make([]string, len(all))
	for i, s := range all {
		snapshots[i] = s.Snapshot
		_, marks[i], _ = strings.Cut(s.Name, ":")
	}
	return words.Headings(snapshots, marks)
}

// Names are short names of the plans, for a text that names one beside something else:
// the product or the app, with a mark where two are called the same.
func (all Plans) Names() []string {
	short := slices.Clone(all)
	for i := range short {
		short[i].Snapshot.PlanName = ""
	}
	return short.Headings()
}

// HasFigures reports whether a plan has figures.
func (all Plans) HasFigures() bool { return slices.ContainsFunc(all, State.HasFigures) }

// Of are the states of one product, or of the one plan with that name.
func (all Plans) Of(name string) (some Plans) {
	for _, s := range all {
		if s.named(name) {
			some = append(some, s)
		}
	}
	return some
}

// named reports whether a name means this plan. A product's name means all its plans.
// The full name of a plan holds whether or not the product has another one.
func (s State) named(name string) bool {
	product, hash, one := strings.Cut(name, ":")
	return name == s.Name || product == string(s.product()) && (!one || hash != "" && hash == s.Hash)
}

func (s State) product() usage.Product { return s.Snapshot.Plan.Product }

// isLive reports whether the figures were fetched.
func (s State) isLive() bool {
	return s.HasFigures() && s.Snapshot.Source.Kind != usage.KindCache
}

// merged are the states to show. lead names the plan that a person has chosen to lead,
// "" for the first with figures.
func merged(all []State, lead string, salt []byte) Plans {
	live := slices.ContainsFunc(all, State.isLive)
	figures := slices.ContainsFunc(all, State.HasFigures)
	shown := slices.DeleteFunc(slices.Clone(all), func(s State) bool {
		switch {
		case s.HasFigures():
			return live && !s.isLive()
		case s.Err == nil || isNotRunning(s.Err):
			return true
		default:
			return false
		}
	})
	if len(shown) == 0 && len(all) > 0 && !figures {
		shown = append(shown, leastBad(all))
	}
	named := name(shown, salt)
	if i := leading(named, lead); i < len(named) {
		named[i].Lead = true
	}
	return named
}

// leastBad is the state to show when none has figures and no product runs: one that is
// still being asked for, else the first.
func leastBad(all []State) State {
	for _, s := range all {
		if s.Err == nil {
			return s
		}
	}
	return all[0]
}

// name gives each plan its name and its hash.
func name(all []State, salt []byte) Plans {
	count := map[usage.Product]int{}
	for _, s := range all {
		count[s.product()]++
	}
	number := map[usage.Product]int{}
	for i, s := range all {
		product := s.product()
		number[product]++
		if salt != nil {
			all[i].Hash = s.Snapshot.Plan.Short(salt)
		}
		all[i].Name = string(product)
		switch {
		case count[product] == 1:
		case all[i].Hash != "":
			all[i].Name += ":" + all[i].Hash
		default:
			all[i].Name += fmt.Sprintf(":%d", number[product])
		}
	}
	return all
}

// leading is the index of the leading plan: the one that the name means, if it has
// figures, else the first with figures.
func leading(all Plans, lead string) int {
	first := max(0, slices.IndexFunc(all, State.HasFigures))
	chosen := slices.IndexFunc(all, func(s State) bool { return s.HasFigures() && s.named(lead) })
	if lead != "" && chosen >= 0 {
		return chosen
	}
	return first
}
