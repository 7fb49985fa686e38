package window

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"windsock/probe/loopback"
)

var errClosed = errors.New("show window: it is closed for good")

// served is the server of one run, from the first Show to the last page's end.
type served struct {
	*Window

	host    string
	server  *http.Server
	hub     *hub
	asks    *asks
	cards   *cards
	cleaner *cleaner
	spender *spender

	// ctx is for all work for the pages; work counts it.
	ctx    context.Context //nolint:containedctx // it is the run's, and ends with it
	cancel context.CancelFunc
	work   sync.WaitGroup

	cookie http.Cookie // the session

	// Guarded by Window.mu.
	view    View
	tickets tickets
	streams int
	wanted  time.Time // the run's deadline without a stream
	opening time.Time // the deadline of a browser that may be on its way
	idle    *time.Timer
	moving  bool            // the next page continues in place of an existing one
	handed  json.RawMessage // the state that it gets from that one

	// raised reports whether a page is visible.
	raised chan bool

	gate  sync.Mutex // guards over, and keeps work from starting after it
	over  bool
	ended chan struct{} // closed when everything has ended
}

// serve starts a run. The caller holds mu.
func (w *Window) serve(ctx context.Context) (*served, error) {
	listeners, err := loopback.ListenBoth(ctx)
	if err != nil {
		return nil, err
	}
	name := "127.0.0.1"
	if w.config.ByName() {
		name = "w" + strings.ToLower(rand.Text()[:16]) + ".localhost"
	}
	s := &served{
		Window: w, host: listeners[0].Hosts(name)[0], hub: &hub{first: 1, fresh: make(chan struct{})}, ended: make(chan struct{}), raised: make(chan bool, 16),
		tickets: tickets{lasts: w.times.ticket},
		cookie: http.Cookie{ //nolint:gosec // there is no TLS on loopback for Secure
			Name: "windsock-" + strings.ToLower(rand.Text()[:12]), Value: rand.Text(),
			Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode,
		},
	}
	// The server outlives the Show: its owner is the Window, and Run closes it.
	s.ctx, s.cancel = context.WithCancel(context.WithoutCancel(ctx))
	s.asks = &asks{served: s, cancels: map[string]context.CancelFunc{}}
	s.cards = &cards{served: s, open: map[string]*card{}}
	s.cleaner, s.spender = &cleaner{served: s}, &spender{served: s}
	s.server = loopback.NewServer(s.guarded(), w.config.Log)
	s.idle = time.AfterFunc(time.Hour, s.leave)
	var serving sync.WaitGroup
	for _, listener := range listeners {
		serving.Go(func() {
			if err := s.server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
				w.config.Log.WarnContext(s.ctx, "window not served any more", slog.Any("err", err))
				s.close()
			}
		})
	}
	go func() { //nolint:contextcheck // it ends with the run, and stops the server after that
		<-s.ctx.Done()
		s.idle.Stop()
		s.cards.endAll(context.WithoutCancel(s.ctx))
		s.work.Wait() // so that answers get their ends, and cascades are archived
		s.stop()
		serving.Wait()
		w.mu.Lock()
		if w.served == s {
			w.served = nil
		}
		w.mu.Unlock()
		close(s.ended)
	}()
	w.config.Log.DebugContext(ctx, "window served")
	return s, nil
}

// stop ends the server, and a little later the requests under way.
func (s *served) stop() {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.ctx), time.Second)
	defer cancel()
	if s.server.Shutdown(ctx) != nil {
		_ = s.server.Close() // there is nothing left to save
	}
}

// close starts the end of the run.
func (s *served) close() {
	s.gate.Lock()
	defer s.gate.Unlock()
	s.over = true
	s.cancel()
}

// wantFor keeps the run alive for some time, and as long as a browser may come in with
// a ticket. The caller holds mu.
func (s *served) wantFor(d time.Duration) {
	now := time.Now()
	s.wanted = now.Add(d)
	if last := s.tickets.last(now); last.After(s.wanted) {
		s.wanted = last
	}
	s.idle.Reset(time.Until(s.wanted))
}

// leave ends the run if no page needs it any more.
func (s *served) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	left := time.Until(s.wanted)
	switch {
	case s.streams > 0: // its end calls leave again
	case left > 0:
		s.idle.Reset(left)
	default:
		if s.served == s {
			s.served = nil // the next Show makes a new one
		}
		s.close()
	}
}

// join counts a stream, and returns the function that ends the count. fresh is a page's
// first stream. A blank page shows no card of before. from is the page that it replaced,
// if any; that one is told to go.
func (s *served) join(fresh, blank bool, from string) (left func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.streams++
	if blank && s.streams == 1 {
		defer s.cards.closeAll()
	}
	if fresh {
		s.moving, s.handed = false, nil // the page has the state by now
		s.opening = time.Time{}
	}
	if fresh && from != "" {
		s.hub.tell("moved", movedEvent{from})
	}
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.streams--
		s.wantFor(s.times.leave)
	}
}

// begin runs a function for the pages that may outlive its request; false means that
// the run is over.
func (s *served) begin(f func(context.Context)) bool {
	s.gate.Lock()
	defer s.gate.Unlock()
	if s.over {
		return false
	}
	s.work.Go(func() { f(s.ctx) })
	return true
}

// clearAfter removes a browser's start file once its ticket is spent or expired, or
// the run is over.
func (s *served) clearAfter(spent <-chan struct{}, clearAway func()) {
	if !s.begin(func(ctx context.Context) {
		late := time.NewTimer(s.times.ticket)
		defer late.Stop()
		select {
		case <-spent:
		case <-late.C:
		case <-ctx.Done():
		}
		clearAway()
	}) {
		clearAway()
	}
}

// entered reports whether a request has the session's cookie.
func (s *served) entered(r *http.Request) bool {
	for _, c := range r.CookiesNamed(s.cookie.Name) {
		if subtle.ConstantTimeCompare([]byte(c.Value), []byte(s.cookie.Value)) == 1 {
			return true
		}
	}
	return false
}
