package status

import (
	"cmp"
	"slices"
	"time"

	"windsock/probe/say"
	"windsock/usage"
	"windsock/usage/poll"
	"windsock/usage/words"
)

// Document is the result of `status --json` and of the local API: schema 2. The order,
// names and meaning of its fields are stable. Marshal it with encoding/json.
type Document struct {
	Schema int            `json:"schema"`
	At     stamp          `json:"at"`
	Plans  []documentPlan `json:"plans"`
	// Problems are why other products that run cannot be read.
	Problems []documentMessage `json:"problems"`
}

type documentPlan struct {
	Product usage.Product `json:"product"`
	// Account is null when unknown.
	Account  *string           `json:"account"`
	Lead     bool              `json:"lead"`
	Source   documentSource    `json:"source"`
	Plan     *string           `json:"plan"`
	Billing  usage.Billing     `json:"billing"`
	Cycle    documentCycle     `json:"cycle"`
	Meters   []documentMeter   `json:"meters"`
	Binding  *usage.MeterID    `json:"binding"`
	Notices  []documentMessage `json:"notices"`
	Problems []documentMessage `json:"problems"`
}

type documentSource struct {
	Kind    usage.SourceKind `json:"kind"`
	Variant *string          `json:"variant"`
	PID     *int             `json:"pid"`
	// Host is the one that was asked over the internet.
	Host      *string `json:"host,omitempty"`
	FetchedAt stamp   `json:"fetched_at"`
	Stale     bool    `json:"stale"`
}

type documentCycle struct {
	Start stamp `json:"start"`
	End   stamp `json:"end"`
}

type documentMeter struct {
	ID               usage.MeterID `json:"id"`
	Unit             usage.Unit    `json:"unit"`
	State            usage.State   `json:"state"`
	Used             rounded       `json:"used"`
	Total            rounded       `json:"total"`
	Remaining        rounded       `json:"remaining"`
	RemainingPercent rounded       `json:"remaining_percent"`
	WindowStart      stamp         `json:"window_start"`
	ResetsAt         stamp         `json:"resets_at"`
	// Pace is null when unknown.
	Pace *documentPace `json:"pace"`
}

type documentPace struct {
	Verdict    usage.Verdict    `json:"verdict"`
	Confidence usage.Confidence `json:"confidence"`
	Basis      usage.Basis      `json:"basis"`
	// Elapsed and Even are one figure: an even use equals the elapsed share.
	Elapsed rounded `json:"elapsed_percent"`
	Even    rounded `json:"even_percent"`
	// Projected, Low and High are shares used at the reset, at most 999; Lasts is a
	// chance.
	Projected    rounded `json:"projected_percent"`
	Low          rounded `json:"low_percent"`
	High         rounded `json:"high_percent"`
	Lasts        rounded `json:"lasts_percent"`
	RunsOutAt    stamp   `json:"runs_out_at"`
	RunsOutFrom  stamp   `json:"runs_out_from"`
	RunsOutTo    stamp   `json:"runs_out_to"`
	SwitchesAt   stamp   `json:"switches_at"`
	BudgetPerDay rounded `json:"budget_per_day"`
	Reason       string  `json:"reason"`
}

type documentMessage struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// stamp is a time in JSON: RFC 3339, UTC, whole seconds; null when unknown.
type stamp time.Time

// MarshalJSON truncates the fraction of a second, as a clock does.
func (s stamp) MarshalJSON() ([]byte, error) {
	t := time.Time(s)
	if t.IsZero() {
		return []byte("null"), nil
	}
	return []byte(t.UTC().Format(`"2006-01-02T15:04:05Z"`)), nil
}

// PlansDocument is the document of plans whose snapshots were judged with
// [usage.Snapshot.At]. Without any figures the only plan is the leading one's error.
func PlansDocument(all poll.Plans) Document {
	// Empty lists are not null.
	d := Document{Schema: 2, At: stamp(all.Lead().At), Plans: []documentPlan{}, Problems: []documentMessage{}}
	if !all.HasFigures() {
		d.Plans = append(d.Plans, newDocumentPlan(all.Lead()))
		return d
	}
	for _, s := range all {
		if s.HasFigures() {
			d.Plans = append(d.Plans, newDocumentPlan(s))
		} else {
			d.Problems = append(d.Problems, documentError(s)...)
		}
	}
	return d
}

// newDocumentPlan is a plan. Without figures it holds the source and the plan's name.
// The error becomes the last problem, with or without figures.
func newDocumentPlan(s poll.State) documentPlan {
	src := s.Snapshot.Source
	d := documentPlan{
		Product: cmp.Or(s.Snapshot.Plan.Product, usage.Windsurf),
		Account: orNull(s.Hash),
		Lead:    s.Lead,
		Source:  documentSource{Kind: src.Kind, Variant: orNull(src.Variant), PID: orNull(src.PID), Host: orNull(src.Host), FetchedAt: stamp(src.FetchedAt), Stale: src.Stale},
		Plan:    orNull(s.Snapshot.PlanName),
		Billing: usage.BillingUnknown,
		Meters:  []documentMeter{}, Notices: []documentMessage{}, Problems: []documentMessage{},
	}
	if s.HasFigures() {
		d.addFigures(s.Snapshot)
	}
	d.Problems = append(d.Problems, documentError(s)...)
	return d
}

// documentError is why there are no newer figures, if there is a reason.
func documentError(s poll.State) []documentMessage {
	if s.Err == nil {
		return nil
	}
	return []documentMessage{{errorCode(s.Err), say.Sentence(s.Err, s.Err.Error())}}
}

func (d *documentPlan) addFigures(s usage.Snapshot) {
	d.Billing = s.Billing
	d.Cycle = documentCycle{Start: stamp(s.Cycle.Start), End: stamp(s.Cycle.End)}
	for _, m := range s.Meters {
		d.Meters = append(d.Meters, newDocumentMeter(m))
	}
	if binding, ok := s.Binding(); ok {
		d.Binding = &binding.ID
	}
	for _, n := range s.Notices {
		d.Notices = append(d.Notices, documentMessage{n.Code, words.Words{}.Notice(n)})
	}
	for _, p := range s.Problems {
		d.Problems = append(d.Problems, documentMessage(p))
	}
}

// errorCode is the code of a problem.
func errorCode(err error) string { return cmp.Or(say.Code(err), "bad_response") }

// orNull is nil for the zero value.
func orNull[T comparable](value T) *T {
	var zero T
	if value == zero {
		return nil
	}
	return &value
}

func newDocumentMeter(m usage.Meter) documentMeter {
	places := m.Unit.Places()
	return documentMeter{
		ID: m.ID, Unit: m.Unit, State: m.State,
		Used:             rounded{m.Used, places},
		Total:            rounded{m.Total, places},
		Remaining:        rounded{m.Remaining, places},
		RemainingPercent: rounded{m.RemainingPercent(), 1},
		WindowStart:      stamp(m.Window.Start),
		ResetsAt:         stamp(m.Window.End),
		Pace:             newDocumentPace(m.Pace),
	}
}

func newDocumentPace(p *usage.Pace) *documentPace {
	if p == nil {
		return nil
	}
	return &documentPace{
		Verdict: p.Verdict, Confidence: p.Confidence, Basis: p.Basis,
		Elapsed: rounded{p.Elapsed, 1}, Even: rounded{p.Elapsed, 1},
		Projected: rounded{p.Projected, 1}, Low: rounded{p.Low, 1}, High: rounded{p.High, 1}, Lasts: rounded{p.Chance, 0},
		RunsOutAt: stamp(p.RunsOutAt), RunsOutFrom: stamp(p.RunsOutFrom), RunsOutTo: stamp(p.RunsOutTo), SwitchesAt: stamp(p.SwitchesAt),
		BudgetPerDay: rounded{cutOff(p.BudgetPerDay), 1},
		Reason:       p.Reason,
	}
}

// cutOff leaves one decimal: who keeps to a budget that is rounded up runs out.
func cutOff(a usage.Amount) usage.Amount {
	if micros, known := a.Micros(); known {
		return usage.Micros(micros - micros%(usage.One/10))
	}
	return a
}

// timeless is the document without the parts that change with the clock alone. What is
// projected, a chance and their moments are such parts, a verdict is not.
func (d Document) timeless() Document {
	d.At, d.Plans = stamp{}, slices.Clone(d.Plans)
	for i, plan := range d.Plans {
		plan.Source.FetchedAt, plan.Meters = stamp{}, slices.Clone(plan.Meters)
		for j, m := range plan.Meters {
			if p := m.Pace; p != nil {
				plan.Meters[j].Pace = &documentPace{Verdict: p.Verdict, Confidence: p.Confidence, Basis: p.Basis, Reason: p.Reason}
			}
		}
		d.Plans[i] = plan
	}
	return d
}

// rounded is an amount to be written as JSON.
type rounded struct {
	amount usage.Amount
	places int
}

// MarshalJSON writes the shortest decimal, or null when the figure is unknown.
func (r rounded) MarshalJSON() ([]byte, error) {
	if !r.amount.Known() {
		return []byte("null"), nil
	}
	return []byte(r.amount.Decimal(r.places)), nil
}
