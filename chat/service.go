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
	// listTime is how long a list of models is good enough to find one in, and
	// freshTime how long it is where that fails.
	listTime  = time.Minute
	freshTime = 5 * time.Second
	// backTime is for asking what the plan has left, when it has nothing.
	backTime = 5 * time.Second
)

// ServiceParts are what a Service is made of.
type ServiceParts struct {
	// Engines are those that there are. Engine is the ID of the one that is asked, as
	// long as the Service lives; empty is the first.
	Engines []Engine
	Engine  string
	// Model gives the name of the model for prompts that name none; empty is the
	// engine's own choice.
	Model func() (string, error)
	// Back says when a plan with nothing left has something again: the time, zero where
	// nobody knows, and a sentence, which may be empty. Nil never knows.
	Back func(context.Context) (time.Time, string)
	// Ended is told how each prompt ended; nil tells nobody.
	Ended func(error)
}

// Service asks for everybody: the command line, the window and the local API are front
// ends of it. Its methods may be called from several goroutines.
type Service struct {
	parts ServiceParts

	mu    sync.Mutex // guards what is below, and is held while the models are asked for
	known Catalogue
	at    time.Time // of known; zero where it is not to be trusted
}

// NewService returns a Service.
func NewService(p ServiceParts) *Service { return &Service{parts: p} }

// Models asks for the models that there are now.
func (s *Service) Models(ctx context.Context) (Catalogue, error) { return s.models(ctx, 0) }

// Default is the model for prompts that name none.
func (s *Service) Default(all Catalogue) (Model, DefaultRule, error) {
	configured, err := s.parts.Model()
	if err != nil {
		return Model{}, "", err
	}
	return all.Default(configured)
}

// Choose finds the model that a name means, or the one for prompts without a name
// where it is empty, among those that it returns beside it.
func (s *Service) Choose(ctx context.Context, name string) (Model, Catalogue, error) {
	m, all, err := s.choose(ctx, name, listTime)
	if _, unknown := errors.AsType[*ModelError](err); unknown { // by a list that may be out of date
		m, all, err = s.choose(ctx, name, freshTime)
	}
	return m, all, err
}

// Ask is as [Engine.Ask]. Where the plan has nothing left, the error says when it has.
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
		s.at = time.Time{} // the error may be one of the program, which the next question looks at first
		s.mu.Unlock()
	}
	if f, ok := errors.AsType[*Failure](err); ok && f.Code == QuotaExhausted && s.parts.Back != nil {
		asking, cancel := context.WithTimeout(ctx, backTime)
		defer cancel()
		f.BackAt, f.Back = s.parts.Back(asking)
	}
	return answer, err
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

// models are those that were asked for at most so long ago.
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
