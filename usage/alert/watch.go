package alert

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"windsock/usage"
	"windsock/usage/poll"
)

// Store keeps small documents by name. Load returns nil without an error for
// one that was never saved.
type Store interface {
	Load(ctx context.Context, name string) ([]byte, error)
	Save(ctx context.Context, name string, document []byte) error
}

// documentName is what a Watch keeps its state under.
const documentName = "alerts"

// saveLimit is how long telling may wait for a store when the app ends.
const saveLimit = 5 * time.Second

// Watch runs the rules over a poller's states and remembers what was told. It
// has no clock and no goroutine: it goes by the snapshots' times, and its methods
// and fields are for one goroutine.
//
// A store that fails costs nothing but its memory: what was told is still told
// once in this run, and is saved when that works again. A state that cannot be
// read, because it is damaged, begins anew, which is logged; as what is due at
// once is one alert, it can make one that was told before come a second time. One
// that a newer version wrote is left alone, and nothing is saved.
type Watch struct {
	// Store is where the state is kept; nil for this run alone.
	Store Store
	// Salt is what accounts are hashed with.
	Salt []byte
	// Config may be changed between two calls.
	Config Config
	// Log is nil for none.
	Log *slog.Logger

	plans    []*plan // seen last comes first
	plan     *plan   // of the last answer
	snapshot usage.Snapshot

	loaded, tried bool
	readOnly      bool
	saved         []byte
	failing       bool
}

// See takes a poller's state and returns the alert that is due, nil if none is.
// Each answer of a server is looked at once; a state without a new one changes
// nothing. What is not followed by Told is due again with the next answer, and with
// Again.
func (w *Watch) See(ctx context.Context, state poll.State) *Alert {
	at := state.Snapshot.Source.FetchedAt
	if state.Err != nil || !fresh(state.Snapshot) || at.Equal(w.snapshot.Source.FetchedAt) {
		return nil
	}
	w.snapshot = state.Snapshot
	if !w.load(ctx) {
		return nil
	}
	w.plan = w.planOf(w.snapshot.Plan.Key(w.Salt))
	return w.Again(ctx)
}

// Again returns what is due by the last answer, nil if nothing is or there was none.
func (w *Watch) Again(ctx context.Context) *Alert {
	if w.plan == nil {
		return nil
	}
	due := w.plan.due(w.snapshot, w.Config)
	w.save(ctx)
	return due
}

// Told remembers that an alert was shown, with all that it stands for. It is saved even
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

// maxPlans is how many accounts are remembered.
const maxPlans = 8

// planOf is the plan of an account.
func (w *Watch) planOf(account string) *plan {
	p := &plan{Account: account}
	if i := slices.IndexFunc(w.plans, func(p *plan) bool { return p.Account == account }); i >= 0 {
		p = w.plans[i]
		w.plans = slices.Delete(w.plans, i, i+1)
	}
	w.plans = slices.Insert(w.plans, 0, p)
	w.plans = w.plans[:min(len(w.plans), maxPlans)]
	return p
}

// load reads the state once, and reports whether to go on. A store that cannot
// be read is tried a second time, with the next answer, before what it may hold
// is given up: to wait for one is better than to tell everything again.
func (w *Watch) load(ctx context.Context) bool {
	if w.loaded || w.Store == nil {
		return true
	}
	text, err := w.Store.Load(ctx, documentName)
	if err != nil {
		w.log().WarnContext(ctx, "told alerts cannot be loaded", slog.Any("err", err))
		again := !w.tried
		w.tried, w.loaded = true, !again
		return !again
	}
	w.loaded = true
	if len(text) == 0 {
		return true
	}
	switch w.plans, err = read(text); {
	case errors.Is(err, errNewer):
		w.readOnly = true
		w.log().WarnContext(ctx, "told alerts are of a newer version and left alone", slog.Any("err", err))
	case err != nil:
		w.log().WarnContext(ctx, "told alerts cannot be read and begin anew", slog.Any("err", err))
	default:
		w.saved = text
	}
	return true
}

// save saves what is remembered, if that has changed.
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
