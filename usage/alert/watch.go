package alert

import (
	"bytes"
	"context"
	"log/slog"
	"slices"
	"time"

	"windsock/usage"
	"windsock/usage/poll"
)

// Store keeps small documents by name. Load returns nil and no error for a document
// that was never saved.
type Store interface {
	Load(ctx context.Context, name string) ([]byte, error)
	Save(ctx context.Context, name string, document []byte) error
}

// documentName is the name of a Watch's document.
const documentName = "alerts"

// saveLimit is how long Told may wait for the store when the app ends.
const saveLimit = 5 * time.Second

// Watch applies the rules to a poller's states and records which alerts were shown. It
// has no clock and no goroutine: it uses the times of the snapshots, and its methods
// and fields are for one goroutine.
//
// When the store fails, alerts are still shown once in this run, and are saved when the
// store works again, beside what it has. A damaged state is discarded, which is logged. An alert that was
// shown before can then come a second time; all that is due at once is one alert. A
// state that a newer version wrote is left alone, and nothing is saved.
type Watch struct {
	// Store keeps the state; nil keeps it for this run only.
	Store Store
	// Salt is the salt for [usage.Plan.Key]. If it is nil, ReadSalt reads it with the state.
	Salt     []byte
	ReadSalt func(context.Context) ([]byte, error)
	// Config may be changed between two calls.
	Config Config
	// Log may be nil.
	Log *slog.Logger

	plans []*plan // last seen first
	// current are the plans with an answer, in the order of the last states; called is
	// what each is called beside others.
	current []seen
	called  map[usage.Plan]string

	// loaded says that the store was read; tries counts how often that failed.
	loaded   bool
	tries    int
	readOnly bool
	saved    []byte
	failing  bool
}

// seen is a plan with its last answer. The plan is nil until the stored state was read.
type seen struct {
	*plan

	name     string // for programs
	snapshot usage.Snapshot
}

// See takes a poller's states and returns the alert that is due, or nil. It checks each
// answer about a plan once; without a new answer it returns nil. The alerts of different
// plans come one after the other, the gravest first: Again has the next one. An alert
// that is not confirmed with Told is due again at the next answer and at Again.
func (w *Watch) See(ctx context.Context, all poll.Plans) *Alert {
	answers := slices.DeleteFunc(slices.Clone(all), func(s poll.State) bool { return s.Err != nil || !fresh(s.Snapshot) || w.has(s.Snapshot) })
	w.follow(all, answers)
	if len(answers) == 0 || !w.load(ctx) {
		return nil
	}
	return w.Again(ctx)
}

// Again returns the gravest alert that is due by the last answers; nil for none or no
// answer.
func (w *Watch) Again(ctx context.Context) *Alert {
	if !w.ready() {
		return nil
	}
	var gravest *Alert
	for i := range w.current {
		s := &w.current[i]
		if s.plan == nil {
			s.plan = w.planOf(s.snapshot.Plan)
		}
		due := s.due(s.snapshot, w.Config)
		if due == nil || gravest != nil && compare(*gravest, *due) <= 0 {
			continue
		}
		due.heading = w.called[due.Plan()]
		gravest = due
	}
	w.save(ctx)
	return gravest
}

// Told records that an alert was shown, with all alerts that it covers. It saves even
// when ctx has ended.
func (w *Watch) Told(ctx context.Context, a Alert) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveLimit)
	defer cancel()
	a.told()
	for _, o := range a.also {
		o.told()
	}
	w.save(ctx)
}

// Holds reports whether what a shown alert says still holds by the answers since. It ends
// when its meter is back: with its window, when a debt is paid, or when there is more of it
// again at two fetches ten minutes apart.
func (w *Watch) Holds(a Alert) bool {
	s, known := w.of(a.Plan())
	return !known || a.holds == nil || a.holds(s.snapshot)
}

// has reports whether an answer is no newer than the one of the same plan before. The
// time of a kept one is its own; the others go back with the clock.
func (w *Watch) has(s usage.Snapshot) bool {
	before, ok := w.of(s.Plan)
	if !ok {
		return false
	}
	was, at := before.snapshot.Source.FetchedAt, s.Source.FetchedAt
	return at.Equal(was) || s.Source.Kind.IsKept() && at.Before(was)
}

// of is the current plan.
func (w *Watch) of(plan usage.Plan) (seen, bool) {
	i := slices.IndexFunc(w.current, func(s seen) bool { return s.snapshot.Plan == plan })
	if i < 0 {
		return seen{}, false
	}
	return w.current[i], true
}

// follow makes the plans of the states the current ones. While no plan has figures, the
// plans stay.
func (w *Watch) follow(all, answers poll.Plans) {
	if !all.HasFigures() {
		return
	}
	var current []seen
	for _, s := range all {
		one, known := w.of(s.Snapshot.Plan)
		answered := slices.ContainsFunc(answers, func(a poll.State) bool { return a.Snapshot.Plan == s.Snapshot.Plan })
		if answered {
			one.snapshot = s.Snapshot
		}
		if one.name = s.Name; known || answered {
			current = append(current, one)
		}
	}
	w.current, w.called = current, nil
	if len(all) > 1 {
		w.called = map[usage.Plan]string{}
		for i, heading := range all.Headings() {
			w.called[all[i].Snapshot.Plan] = heading
		}
	}
}

// maxPlans is the number of plans that are kept.
const maxPlans = 8

// planOf is the stored state of a plan.
func (w *Watch) planOf(of usage.Plan) *plan {
	key := of.Key(w.Salt)
	p := &plan{Key: key}
	if i := slices.IndexFunc(w.plans, func(p *plan) bool { return p.Key == key }); i >= 0 {
		p = w.plans[i]
		w.plans = slices.Delete(w.plans, i, i+1)
	}
	p.Of = of
	w.plans = slices.Insert(w.plans, 0, p)
	w.plans = w.plans[:min(len(w.plans), maxPlans)]
	return p
}

// save saves the state if it has changed.
func (w *Watch) save(ctx context.Context) {
	if w.Store == nil || w.readOnly || !w.loaded {
		return
	}
	text, err := write(w.plans)
	if err == nil && bytes.Equal(text, w.saved) {
		return
	}
	if err == nil {
		err = w.Store.Save(ctx, documentName, text)
	}
	if err == nil {
		w.saved, w.failing = text, false
		return
	}
	if !w.failing { // once, not with every answer
		w.failing = true
		w.log().WarnContext(ctx, "told alerts cannot be saved", slog.Any("err", err))
	}
}

func (w *Watch) log() *slog.Logger {
	if w.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return w.Log
}
