package window

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"

	"windsock/usage"
	"windsock/usage/spend"
)

// spendReader has what is new read; only one reading runs at a time.
type spendReader struct {
	mu      sync.Mutex // guards the fields below
	running *reading   // nil while none runs
	last    map[usage.Plan]seen
}

// reading is how far a reading is.
type reading struct {
	Done  int `json:"done"`
	Total int `json:"total"`

	plan string // its name
}

// seen is what the last reading of a plan has seen.
type seen struct {
	look spend.Look
	// err is why there was nothing to read.
	err error
	// reading is the one that runs; nil while none does.
	reading *reading
}

// spendEvent tells how far a reading is; without one, that it has ended.
type spendEvent struct {
	Plan    string   `json:"plan"`
	Reading *reading `json:"reading"`
}

// seen is what is known of a plan's readings.
func (r *spendReader) seen(plan usage.Plan) seen {
	r.mu.Lock()
	defer r.mu.Unlock()
	found := r.last[plan]
	if r.running != nil {
		now := *r.running
		found.reading = &now
	}
	return found
}

// read starts a reading unless one runs, and tells whose runs.
func (s *spender) read(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Plan string `json:"plan"`
	}
	if !s.served.read(w, r, &body) {
		return
	}
	state := s.served.choose(s.served.plans(), body.Plan)
	if why := untold(state); why != "" {
		fail(w, http.StatusNotFound, "untold", why)
		return
	}
	running, start := s.reader.begin(state.Name)
	if start && !s.served.begin(func(ctx context.Context) { s.look(ctx, state.Name, state.Snapshot.Plan) }) {
		fail(w, http.StatusServiceUnavailable, "ended", "This window is about to close.")
		return
	}
	write(w, http.StatusAccepted, map[string]string{"plan": running})
}

// begin takes a place for a plan's reading. It returns the name of the plan that is read,
// and whether the place was free.
func (r *spendReader) begin(plan string) (running string, free bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.running != nil {
		return r.running.plan, false
	}
	r.running = &reading{plan: plan}
	return plan, true
}

// look reads, and reports how far it is and its end.
func (s *spender) look(ctx context.Context, name string, plan usage.Plan) {
	percent := -1
	look, err := s.served.config.Spend.Look(ctx, plan, func(done, total int) {
		now := reading{done, total, name}
		s.reader.mu.Lock()
		*s.reader.running = now
		s.reader.mu.Unlock()
		// The pages' stream keeps a limited number of events, and prompts' are among them.
		if next := 100 * done / max(1, total); next != percent {
			percent = next
			s.served.hub.tell("spend", spendEvent{name, &now})
		}
	})
	if err != nil && !errors.Is(err, context.Canceled) {
		s.served.config.Log.DebugContext(ctx, "what was spent not read", slog.Any("err", err))
	}
	s.reader.end(plan, look, err)
	s.served.hub.tell("spend", spendEvent{Plan: name})
}

// end notes what a reading has seen. The names of before hold where it saw none.
func (r *spendReader) end(plan usage.Plan, look spend.Look, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.running = nil
	if r.last == nil {
		r.last = map[usage.Plan]seen{}
	}
	if len(look.Cascades) == 0 {
		look.Cascades = r.last[plan].look.Cascades
	}
	r.last[plan] = seen{look: look, err: err}
}
