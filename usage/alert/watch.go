package alert

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"time"

	"windsock/usage"
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

	state    State
	snapshot usage.Snapshot
	account  string

	loaded, tried bool
	readOnly      bool
	saved         []byte
	failing       bool
}

// See takes a poller's state and returns the alert that is due, nil if none is.
// Each answer of a server is looked at once; a state without a new one changes
// nothing. What is not followed by Told is due again with the next answer, and with
// Again.
func (w *Watch) See(ctx context.Context, state usage.PollState) *Alert {
	at := state.Snapshot.Source.FetchedAt
	if state.Err != nil || !fresh(state.Snapshot) || at.Equal(w.snapshot.Source.FetchedAt) {
		return nil
	}
	w.snapshot, w.account = state.Snapshot, state.Snapshot.Account.Hash(w.Salt)
	if !w.load(ctx) {
		return nil
	}
	return w.Again(ctx)
}

// Again returns what is due by the last answer, nil if nothing is or there was none.
func (w *Watch) Again(ctx context.Context) *Alert {
	next, due := Next(w.state, w.account, w.snapshot, w.Config)
	w.keep(ctx, next)
	return due
}

// Told remembers that an alert was shown. It is saved even when ctx has ended.
func (w *Watch) Told(ctx context.Context, a Alert) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveLimit)
	defer cancel()
	w.keep(ctx, w.state.Told(a))
}

// Mutes are the meters of the last answer that can be muted, or are.
func (w *Watch) Mutes() []Mute { return w.state.Mutes(w.account, w.snapshot) }

// SetMute mutes a meter until its period ends, or takes that back. A meter that
// is not among the Mutes is left as it is.
func (w *Watch) SetMute(ctx context.Context, meter usage.MeterID, on bool) {
	w.keep(ctx, w.state.SetMute(w.account, w.snapshot, meter, on))
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
	switch w.state, err = parse(text); {
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

// keep makes a state the present one, and saves it if it is another than the
// saved one.
func (w *Watch) keep(ctx context.Context, state State) {
	w.state = state
	if w.Store == nil || w.readOnly || !w.loaded {
		return
	}
	text, err := state.document()
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
