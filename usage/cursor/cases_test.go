package cursor

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/probe/say"
	"windsock/usage"
	"windsock/usage/usagetest"
)

type result struct {
	Plan     *string        `json:"plan"`
	Billing  usage.Billing  `json:"billing"`
	Cycle    *cycleResult   `json:"cycle"`
	Meters   []meterResult  `json:"meters"`
	Binding  *usage.MeterID `json:"binding"`
	Notices  []string       `json:"notices"`
	Problems []string       `json:"problems"`
}

type cycleResult struct {
	Start time.Time `json:"start"`
	End   time.Time `json:"end"`
}

// meterResult has figures as they are written: rounded.
type meterResult struct {
	ID               usage.MeterID `json:"id"`
	Unit             usage.Unit    `json:"unit"`
	State            usage.State   `json:"state"`
	Used             *json.Number  `json:"used"`
	Total            *json.Number  `json:"total"`
	Remaining        *json.Number  `json:"remaining"`
	RemainingPercent *json.Number  `json:"remaining_percent"`
	ResetsAt         *time.Time    `json:"resets_at"`
}

// cases are the answers that others have seen or have made tests of. Of these, the meters
// that Windsock lacks are left out: what a team has used and pooled (cu-team-pooled,
// cu-individual-disabled, cu-team-on-demand, cu-team-on-demand-only and
// cu-enterprise-pool-only, of which the first, the fourth and the last then have none at
// all), credits (cu-ultra-june-2026, cu-credits-and-cap) and a weekly window of another
// program (cu-grok-bot).
func cases(tb testing.TB) []usagetest.Case[result] {
	tb.Helper()
	all := usagetest.Cases[result](tb, usage.Cursor)
	if len(all) != 38 {
		tb.Fatalf("%d cases", len(all))
	}
	return all
}

func resultOf(s usage.Snapshot, err error) result {
	r := result{Billing: s.Billing, Meters: []meterResult{}, Notices: []string{}, Problems: []string{}}
	if s.PlanName != "" {
		r.Plan = &s.PlanName
	}
	if s.Cycle != (usage.Window{}) {
		r.Cycle = &cycleResult{s.Cycle.Start.Truncate(time.Second), s.Cycle.End.Truncate(time.Second)}
	}
	if m, ok := s.Binding(); ok {
		r.Binding = &m.ID
	}
	for _, m := range s.Meters {
		places := m.Unit.Places()
		one := meterResult{
			ID: m.ID, Unit: m.Unit, State: m.State,
			Used: written(m.Used, places), Total: written(m.Total, places), Remaining: written(m.Remaining, places),
			RemainingPercent: written(m.RemainingPercent(), 1),
		}
		if end := m.Window.End; !end.IsZero() {
			one.ResetsAt = &end
		}
		r.Meters = append(r.Meters, one)
	}
	for _, n := range s.Notices {
		r.Notices = append(r.Notices, n.Code)
	}
	for _, p := range s.Problems {
		r.Problems = append(r.Problems, p.Code)
	}
	if told, ok := errors.AsType[*say.Error](err); ok {
		r.Problems = append(r.Problems, told.Code)
	}
	return r
}

func written(a usage.Amount, places int) *json.Number {
	if !a.Known() {
		return nil
	}
	n := json.Number(a.Decimal(places))
	return &n
}

// asked is an answer of the service at a moment.
func asked(at time.Time) usage.Source {
	return usage.Source{Kind: usage.KindCloud, Host: "api2.cursor.sh", FetchedAt: at}
}

func TestCases(t *testing.T) {
	t.Parallel()
	for _, c := range cases(t) {
		t.Run(c.ID, func(t *testing.T) {
			t.Parallel()
			s, err := Decode(c.Input, asked(c.At))
			if diff := cmp.Diff(c.Expect, resultOf(s.At(c.At), err)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if !Is(c.Input) {
				t.Error("it is not recognised")
			}
		})
	}
}
