package openai

import (
	"context"
	"log/slog"
	"sync"

	"windsock/probe/say"
)

// State is what there is to be seen of a Service.
type State struct {
	Status

	// On says whether it is wanted; with a Port of 0 it is about to serve, or there
	// is a Problem.
	On bool
	// Problem is a sentence on why it does not serve although it should; "" where all
	// is well.
	Problem string
}

// Service is the local API beside an app that goes on: it is switched on and off,
// and served by Run meanwhile. Its methods may be called from any goroutine.
type Service struct {
	options Options
	wanted  chan Config // holds one, the latest; nobody closes
	states  chan State  // the same

	mu    sync.Mutex // guards state, and is held while something is passed on
	state State
}

// NewService returns a Service that is wanted as the options' Config says. Their
// Changed is not told.
func NewService(o Options) *Service {
	s := &Service{options: o, wanted: make(chan Config, 1), states: make(chan State, 1)}
	s.Configure(o.Config)
	select {
	case s.states <- s.state: // the first one is told in any case
	default:
	}
	return s
}

// Configure has it served, or not, as c says. A change of anything else ends the
// answers that are under way.
func (s *Service) Configure(c Config) {
	s.change(func(st *State) { st.On = c.Enabled })
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.wanted:
	default:
	}
	s.wanted <- c
}

// States gives the state when it has changed; the latest one wins. There is one
// channel for all who ask.
func (s *Service) States() <-chan State { return s.states }

// Run serves while that is wanted, until the end of ctx, after which it may take
// ShutdownTime. It returns nil.
func (s *Service) Run(ctx context.Context) error {
	var current Config
	ended := make(chan error, 1) // what is served sends once
	stop := func() {}
	serving := false
	settle := func() {
		stop()
		if serving {
			s.fail(ctx, <-ended)
		}
		serving = false
	}
	defer settle()
	for {
		select {
		case <-ctx.Done():
			return nil
		case err := <-ended:
			serving = false
			s.fail(ctx, err)
		case c := <-s.wanted:
			if c == current && serving { // what has failed is tried again
				continue
			}
			settle()
			current = c
			s.change(func(st *State) { st.Problem = "" })
			if c.Enabled {
				serving, stop = true, s.serve(ctx, c, ended)
			}
		}
	}
}

// serve serves until it is stopped, and tells then how it ended.
func (s *Service) serve(ctx context.Context, c Config, ended chan<- error) (stop func()) {
	ctx, stop = context.WithCancel(ctx)
	server := New(s.with(c))
	go func() { ended <- server.Run(ctx) }() // ends with stop; Run of the Service waits for it
	return stop
}

// with are the options of a server that is served now.
func (s *Service) with(c Config) Options {
	o := s.options
	o.Config = c
	o.Changed = func(seen Status) { s.change(func(st *State) { st.Status = seen }) }
	return o
}

// fail says why nothing is served any more.
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
	if s.state == before {
		return
	}
	select {
	case <-s.states:
	default:
	}
	s.states <- s.state
}
