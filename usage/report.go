package usage

import (
	"cmp"
	"slices"
	"time"

	"windsock/probe/say"
)

// Answer is what `status --json` and the local API give: schema 1, of which
// the order of fields, the names and the meaning are stable. Marshal it with
// encoding/json.
type Answer struct {
	Schema   int             `json:"schema"`
	At       stamp           `json:"at"`
	Source   answerSource    `json:"source"`
	Plan     *string         `json:"plan"`
	Billing  Billing         `json:"billing"`
	Cycle    answerCycle     `json:"cycle"`
	Meters   []answerMeter   `json:"meters"`
	Binding  *MeterID        `json:"binding"`
	Notices  []answerMessage `json:"notices"`
	Problems []answerMessage `json:"problems"`
}

type answerSource struct {
	Kind      SourceKind `json:"kind"`
	Variant   *string    `json:"variant"`
	PID       *int       `json:"pid"`
	FetchedAt stamp      `json:"fetched_at"`
	Stale     bool       `json:"stale"`
}

type answerCycle struct {
	Start stamp `json:"start"`
	End   stamp `json:"end"`
}

type answerMeter struct {
	ID               MeterID `json:"id"`
	Unit             Unit    `json:"unit"`
	State            State   `json:"state"`
	Used             rounded `json:"used"`
	Total            rounded `json:"total"`
	Remaining        rounded `json:"remaining"`
	RemainingPercent rounded `json:"remaining_percent"`
	WindowStart      stamp   `json:"window_start"`
	ResetsAt         stamp   `json:"resets_at"`
	// Pace is null where nothing can be said.
	Pace *answerPace `json:"pace"`
}

type answerPace struct {
	Verdict    Verdict    `json:"verdict"`
	Confidence Confidence `json:"confidence"`
	Basis      Basis      `json:"basis"`
	// Elapsed and Even are one figure: an even use is what the time makes it.
	Elapsed      rounded `json:"elapsed_percent"`
	Even         rounded `json:"even_percent"`
	Projected    rounded `json:"projected_percent"`
	RunsOutAt    stamp   `json:"runs_out_at"`
	RunsOutFrom  stamp   `json:"runs_out_from"`
	SwitchesAt   stamp   `json:"switches_at"`
	BudgetPerDay rounded `json:"budget_per_day"`
	Reason       string  `json:"reason"`
}

type answerMessage struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// stamp is a time in JSON: RFC 3339, UTC, whole seconds; null when unknown.
type stamp time.Time

// MarshalJSON cuts the fraction of a second off, as a clock does.
func (s stamp) MarshalJSON() ([]byte, error) {
	t := time.Time(s)
	if t.IsZero() {
		return []byte("null"), nil
	}
	return []byte(t.UTC().Format(`"2006-01-02T15:04:05Z"`)), nil
}

// NewAnswer is the answer for a snapshot that was judged with [Snapshot.At].
func NewAnswer(s Snapshot) Answer {
	a := newAnswer(s.Source, s.Judged, s.Plan)
	a.Billing = s.Billing
	a.Cycle = answerCycle{Start: stamp(s.Cycle.Start), End: stamp(s.Cycle.End)}
	for _, m := range s.Meters {
		a.Meters = append(a.Meters, newAnswerMeter(m))
	}
	if binding, ok := s.Binding(); ok {
		a.Binding = &binding.ID
	}
	for _, n := range s.Notices {
		a.Notices = append(a.Notices, answerMessage{n.Code, n.Sentence(Words{})})
	}
	for _, p := range s.Problems {
		a.Problems = append(a.Problems, answerMessage(p))
	}
	return a
}

func newAnswerMeter(m Meter) answerMeter {
	places := 2
	if m.Unit == UnitACU {
		places = 4
	}
	return answerMeter{
		ID: m.ID, Unit: m.Unit, State: m.State,
		Used:             rounded{m.Used, places},
		Total:            rounded{m.Total, places},
		Remaining:        rounded{m.Remaining, places},
		RemainingPercent: rounded{m.RemainingPercent(), 1},
		WindowStart:      stamp(m.Window.Start),
		ResetsAt:         stamp(m.Window.End),
		Pace:             newAnswerPace(m.Pace),
	}
}

func newAnswerPace(p *Pace) *answerPace {
	if p == nil {
		return nil
	}
	return &answerPace{
		Verdict: p.Verdict, Confidence: p.Confidence, Basis: p.Basis,
		Elapsed: rounded{p.Elapsed, 1}, Even: rounded{p.Elapsed, 1}, Projected: rounded{p.Projected, 1},
		RunsOutAt: stamp(p.RunsOutAt), RunsOutFrom: stamp(p.RunsOutFrom), SwitchesAt: stamp(p.SwitchesAt),
		BudgetPerDay: rounded{p.BudgetPerDay, 1},
		Reason:       p.Reason,
	}
}

// NewErrorAnswer is the answer when there are no figures. s holds what is known
// all the same: the source, the plan's name and the moment. The problem what
// err tells; an error without a code has bad_response.
func NewErrorAnswer(s Snapshot, err error) Answer {
	a := newAnswer(s.Source, s.Judged, s.Plan)
	problem := answerMessage{cmp.Or(say.Code(err), "bad_response"), say.Sentence(err, err.Error())}
	a.Problems = append(a.Problems, problem)
	return a
}

// timeless is the answer without what the clock alone changes: the projection
// moves with every look, while the verdict is news.
func (a Answer) timeless() Answer {
	a.At, a.Source.FetchedAt = stamp{}, stamp{}
	a.Meters = slices.Clone(a.Meters)
	for i, m := range a.Meters {
		if p := m.Pace; p != nil {
			a.Meters[i].Pace = &answerPace{Verdict: p.Verdict, Confidence: p.Confidence, Basis: p.Basis, Reason: p.Reason}
		}
	}
	return a
}

// newAnswer has lists that are empty, not null.
func newAnswer(src Source, at time.Time, plan string) Answer {
	a := Answer{
		Schema:  1,
		At:      stamp(at),
		Source:  answerSource{Kind: src.Kind, FetchedAt: stamp(src.FetchedAt), Stale: src.Stale},
		Billing: BillingUnknown,
		Meters:  []answerMeter{}, Notices: []answerMessage{}, Problems: []answerMessage{},
	}
	if plan != "" {
		a.Plan = &plan
	}
	if src.Variant != "" {
		a.Source.Variant = &src.Variant
	}
	if src.PID != 0 {
		a.Source.PID = &src.PID
	}
	return a
}
