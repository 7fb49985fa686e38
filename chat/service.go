package chat

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"windsock/probe/say"
)

const (
	// listTime is how old a list of models may be to find one in it, and freshTime how
	// old after a failed search.
	listTime  = time.Minute
	freshTime = 5 * time.Second
	// backTime is the time limit for asking when an exhausted quota returns.
	backTime = 5 * time.Second
)

// ServiceParts are the parts of a Service.
type ServiceParts struct {
	// Engines are the available engines. Engine is the ID of the one that the Service
	// asks for its whole life; empty is the first.
	Engines []Engine
	Engine  string
	// Model returns the model's name for prompts that name none; empty is the engine's
	// own choice.
	Model func() (string, error)
	// Back returns when an exhausted quota returns: the time, zero if unknown, and a
	// sentence, which may be empty. A nil Back never knows.
	Back func(context.Context) (time.Time, string)
	// Ended is told each prompt's outcome; it may be nil.
	Ended func(error)
}

// Service asks for all front ends: the command line, the window and the local API. Its
// methods may be called from several goroutines.
type Service struct {
	parts ServiceParts

	mu    sync.Mutex // guards what is below, held during the request for models
	known Catalogue
	at    time.Time // of known; zero if that is not to be trusted
}

// NewService returns a Service.
func NewService(p ServiceParts) *Service { return &Service{parts: p} }

// Models requests the current list of models.
func (s *Service) Models(ctx context.Context) (Catalogue, error) { return s.models(ctx, 0) }

// Default is the model for prompts that name none.
func (s *Service) Default(all Catalogue) (Model, DefaultRule, error) {
	configured, err := s.parts.Model()
	if err != nil {
		return Model{}, "", err
	}
	return all.Default(configured)
}

// Choose finds the model of a name, or the default for an empty name, in the list that
// it also returns.
func (s *Service) Choose(ctx context.Context, name string) (Model, Catalogue, error) {
	m, all, err := s.choose(ctx, name, listTime)
	if _, unknown := errors.AsType[*ModelError](err); unknown { // the list may be out of date
		m, all, err = s.choose(ctx, name, freshTime)
	}
	return m, all, err
}

// Ask is like [Engine.Ask]. For an exhausted quota, the error says when quota returns.
func (s *Service) Ask(ctx context.Context, p Prompt, tell func(Event)) (Answer, error) {
	engine, err := s.engine()
	if err != nil {
		return Answer{}, err
	}
	answer, err := engine.Ask(ctx, p, tell)
	if s.parts.Ended != nil {
		s.parts.Ended(err)
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		s.mu.Lock()
		s.at = time.Time{} // it may be the program's error; the next question checks that first
		s.mu.Unlock()
	}
	if f, ok := errors.AsType[*Failure](err); ok && f.Code == QuotaExhausted && s.parts.Back != nil {
		asking, cancel := context.WithTimeout(ctx, backTime)
		defer cancel()
		f.BackAt, f.Back = s.parts.Back(asking)
	}
	return answer, err
}

// End is [Engine.End].
func (s *Service) End(ctx context.Context, ref string) Leftover {
	engine, err := s.engine()
	if err != nil {
		return NothingLeft // it has opened none
	}
	return engine.End(ctx, ref)
}

func (s *Service) engine() (Engine, error) {
	names := make([]string, 0, len(s.parts.Engines))
	for _, e := range s.parts.Engines {
		if s.parts.Engine == "" || s.parts.Engine == e.ID() {
			return e, nil
		}
		names = append(names, e.ID())
	}
	return nil, say.Usage("There is no engine %q. There is: %s.", s.parts.Engine, strings.Join(names, ", "))
}

// models returns a list of at most that age.
func (s *Service) models(ctx context.Context, age time.Duration) (Catalogue, error) {
	engine, err := s.engine()
	if err != nil {
		return Catalogue{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if age > 0 && time.Since(s.at) < age {
		return s.known, nil
	}
	all, err := engine.Models(ctx)
	if err != nil {
		return Catalogue{}, err
	}
	s.known, s.at = all, time.Now()
	return all, nil
}

func (s *Service) choose(ctx context.Context, name string, age time.Duration) (Model, Catalogue, error) {
	all, err := s.models(ctx, age)
	if err != nil {
		return Model{}, Catalogue{}, err
	}
	var m Model
	if strings.TrimSpace(name) == "" {
		m, _, err = s.Default(all)
	} else {
		m, err = all.Resolve(name)
	}
	return m, all, err
}
