package antigravity

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/probe/say"
	"windsock/usage"
	"windsock/usage/usagetest"
)

type result struct {
	Billing  usage.Billing  `json:"billing"`
	Plan     *string        `json:"plan"`
	Binding  *usage.MeterID `json:"binding"`
	Meters   []meterResult  `json:"meters"`
	Problems []string       `json:"problems"`
}

// meterResult has figures in per cent.
type meterResult struct {
	ID            usage.MeterID `json:"id"`
	Name          string        `json:"name"`
	State         usage.State   `json:"state"`
	Used          *float64      `json:"used"`
	Remaining     *float64      `json:"remaining"`
	ResetsAt      *time.Time    `json:"resets_at"`
	WindowMinutes int           `json:"window_minutes"`
}

func cases(tb testing.TB) []usagetest.Case[result] {
	tb.Helper()
	return usagetest.Cases[result](tb, usage.Antigravity)
}

// live is an answer of a server at a moment.
func live(at time.Time) usage.Source {
	return usage.Source{Kind: usage.KindLanguageServer, FetchedAt: at}
}

func resultOf(s usage.Snapshot, err error) result {
	r := result{Billing: s.Billing, Meters: []meterResult{}, Problems: []string{}}
	if s.PlanName != "" {
		r.Plan = &s.PlanName
	}
	if m, ok := s.Binding(); ok {
		r.Binding = &m.ID
	}
	for _, m := range s.Meters {
		one := meterResult{ID: m.ID, Name: m.Name, State: m.State}
		if used, ok := m.Used.Float(); ok {
			one.Used = &used
		}
		if left, ok := m.Remaining.Float(); ok {
			one.Remaining = &left
		}
		if !m.Window.End.IsZero() {
			one.ResetsAt = &m.Window.End
			if !m.Window.Start.IsZero() {
				one.WindowMinutes = int(m.Window.End.Sub(m.Window.Start).Minutes())
			}
		}
		r.Meters = append(r.Meters, one)
	}
	for _, p := range s.Problems {
		r.Problems = append(r.Problems, p.Code)
	}
	if told, ok := errors.AsType[*say.Error](err); ok {
		r.Problems = append(r.Problems, told.Code)
	}
	return r
}

func TestCases(t *testing.T) {
	t.Parallel()
	for _, c := range cases(t) {
		t.Run(c.ID, func(t *testing.T) {
			t.Parallel()
			s, err := Decode(c.Input, live(c.At))
			if diff := cmp.Diff(c.Expect, resultOf(s.At(c.At), err)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			// A saved answer has no time of its own.
			s, err = Decode(c.Input, usage.Source{Kind: usage.KindFile})
			if diff := cmp.Diff(c.Expect, resultOf(s.At(c.At), err)); diff != "" {
				t.Errorf("without a time (-want +got):\n%s", diff)
			}
		})
	}
}
