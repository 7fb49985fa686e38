// Package shortcut binds a key of the whole desktop to the prompt window.
//
// On Linux the desktop's portal for global shortcuts binds it, which asks the person first,
// and may give it another key. On Windows the system does. macOS has neither for a program
// without a bundle. Nothing is asked for until a person has set a key.
package shortcut

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"windsock/probe/say"
)

// Config is the section [prompt] of the configuration file.
type Config struct {
	Key string `comment:"A key that opens the prompt window from anywhere. On Linux the desktop asks you about it, and may give it another key." empty:"no key" takes:"a letter, digit or Space with Ctrl, Alt or Super, or a function key, such as Ctrl+Alt+W" toml:"key"`
}

// DefaultConfig has no key.
func DefaultConfig() Config { return Config{} }

// Invalid returns the keys with invalid values.
func (c Config) Invalid() []string {
	if _, ok := parse(c.Key); !ok && c.Key != "" {
		return []string{"key"}
	}
	return nil
}

// Options are the parts of a Service. All are required.
type Options struct {
	Config Config
	// Press is called at each press of the key, and must not block. What is opened with its
	// context may come to the front.
	Press func(context.Context)
	// Refused is called when the person does not allow the key. It should remove the key
	// from the settings: else the desktop would ask again at the next start.
	Refused func()
	// Changed is called after each change of the State.
	Changed func()
	Log     *slog.Logger
}

// State says for people what has become of the key. The zero State is that none is set.
type State struct {
	Text string `json:"text"`
	// Failed says that the key opens nothing.
	Failed bool `json:"failed"`
}

// Service holds the key of the settings while it runs. Its methods may be called from any
// goroutine.
type Service struct {
	options Options
	// configs has capacity one, and the latest value wins.
	configs chan Config
	state   atomic.Pointer[State]
	pause   time.Duration // firstPause; tests have a shorter one
}

// New is a Service that waits for Run.
func New(o Options) *Service {
	s := &Service{options: o, configs: make(chan Config, 1), pause: firstPause}
	s.state.Store(new(State))
	return s
}

// Configure changes the key. It is called by one goroutine at a time.
func (s *Service) Configure(c Config) {
	select {
	case <-s.configs:
	default:
	}
	s.configs <- c
}

// State is what has become of the key.
func (s *Service) State() State { return *s.state.Load() }

// Run holds the key until ctx ends, and then returns nil. It is called once.
func (s *Service) Run(ctx context.Context) error {
	config := s.options.Config
	for {
		holding, release := context.WithCancel(ctx)
		ended := make(chan struct{})
		go func() { // ends with holding, or when the key cannot be held
			defer close(ended)
			s.hold(holding, config)
		}()
		next := config
		for next == config && ctx.Err() == nil {
			select {
			case next = <-s.configs:
			case <-ctx.Done():
			}
		}
		release()
		<-ended
		if ctx.Err() != nil {
			return nil //nolint:nilerr // as documented
		}
		config = next
	}
}

// errLost ends a grab that had the key: the desktop's program for it has ended, which may
// start again. errLater is part of a failure that may pass, as at login before that program
// runs. errRefused is the person's answer.
var (
	errLost    = errors.New("the key is lost")
	errLater   = errors.New("the desktop may not be ready")
	errRefused = errors.New("the key is not allowed")
)

// What may pass is tried again after firstPause, and then after doubled pauses up to
// lastPause. A try that lasted as long as that begins anew.
const (
	firstPause = 10 * time.Second
	lastPause  = 10 * time.Minute
)

// notAllowed is told while there is no key since the person did not allow it.
var notAllowed = State{"The desktop was not allowed to bind a key.", true}

// hold holds a key until ctx ends.
func (s *Service) hold(ctx context.Context, c Config) {
	k, ok := parse(c.Key)
	if ok || s.State() != notAllowed {
		s.tell(State{})
	}
	if !ok {
		return
	}
	logged := false
	for pause := s.pause; ; pause = min(2*pause, lastPause) {
		start := time.Now()
		err := grab(ctx, k, s.tell, s.options.Press)
		if time.Since(start) >= lastPause { // a desktop that loses the key at once would ask the person at once
			pause = s.pause
		}
		switch {
		case ctx.Err() != nil:
			return
		case errors.Is(err, errRefused):
			s.tell(notAllowed)
			s.options.Refused()
			return
		case errors.Is(err, errLost):
			s.tell(State{"The desktop has taken the key back. Trying again…", true})
		default:
			if !logged {
				logged = true
				s.options.Log.WarnContext(ctx, "no key for the prompt", slog.Any("err", err))
			}
			s.tell(State{say.Sentence(err, "The key could not be bound."), true})
			if !errors.Is(err, errLater) {
				return
			}
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return
		}
	}
}

func (s *Service) tell(state State) {
	if *s.state.Swap(&state) != state {
		s.options.Changed()
	}
}
