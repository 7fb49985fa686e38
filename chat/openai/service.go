package openai

import (
	"context"
	"log/slog"
	"sync"

	"windsock/probe/say"
)

// Service is the local API of a running app: it can be switched on and off while Run
// runs. Its methods may be called from any goroutine.
type Service struct {
	options Options
	wanted  chan Config // the latest one only
	states  chan State  // the latest one only

	mu    sync.Mutex // guards state, and sending
	state State
}

// NewService returns a Service that is on or off as the options' Config says. It does
// not call Changed of the options.
func NewService(o Options) *Service {
	s := &Service{options: o, wanted: make(chan Config, 1), states: make(chan State, 1)}
	s.states <- s.state // the first one always
	s.Configure(o.Config)
	return s
}

// Configure switches the Service on or off, as c says. Any other change ends the
// answers under way.
func (s *Service) Configure(c Config) {
	s.change(func(st *State) { st.On = c.Enabled })
	s.mu.Lock()
	defer s.mu.Unlock()
	replace(s.wanted, c)
}

// States delivers the latest state after a change. All callers share the channel.
func (s *Service) States() <-chan State { return s.states }

// Run serves while it is on, until the end of ctx; it then takes at most ShutdownTime.
// It returns nil.
func (s *Service) Run(ctx context.Context) error {
	var current Config
	var ended chan error // how the current server ended; nil without one
	cancel := func() {}
	end := func() {
		cancel()
		if ended != nil {
			s.fail(ctx, <-ended)
			ended = nil
		}
	}
	defer end()
	for {
		select {
		case <-ctx.Done():
			return nil
		case err := <-ended:
			ended = nil
			s.fail(ctx, err)
		case c := <-s.wanted:
			if c == current && ended != nil { // a failed one is tried again
				continue
			}
			end()
			current = c
			s.change(func(st *State) { st.Problem = "" })
			if c.Enabled {
				ended, cancel = s.serve(ctx, c)
			}
		}
	}
}

// serve serves until it is cancelled, and then sends the outcome.
func (s *Service) serve(ctx context.Context, c Config) (ended chan error, cancel func()) {
	o := s.options
	o.Config = c
	o.Changed = func(seen State) {
		s.change(func(st *State) { st.Port, st.Requests = seen.Port, seen.Requests })
	}
	ended = make(chan error, 1)
	ctx, cancel = context.WithCancel(ctx)
	go func() { ended <- New(o).Run(ctx) }() // ends with cancel; the Service's Run waits for it
	return ended, cancel
}

// fail notes why serving ended.
func (s *Service) fail(ctx context.Context, err error) {
	if err == nil || ctx.Err() != nil {
		return
	}
	s.options.Log.WarnContext(ctx, "local API not served", slog.Any("err", err))
	text := say.Sentence(err, "The local API cannot be served. `windsock serve` says why.")
	s.change(func(st *State) { st.Problem = text })
}

func (s *Service) change(do func(*State)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.state
	do(&s.state)
	if s.state != before {
		replace(s.states, s.state)
	}
}

// replace sends the latest value to a channel of capacity one. Only one goroutine may
// send at a time.
func replace[T any](to chan T, latest T) {
	select {
	case <-to:
	default:
	}
	to <- latest
}
