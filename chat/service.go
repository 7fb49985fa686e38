package chat

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"sync"
	"time"
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
	// Engine returns the engine for the next question. The person may change it
	// meanwhile.
	Engine func() (Engine, error)
	// Model returns the model's name for prompts to an engine that name none; empty is
	// the engine's own choice.
	Model func(engine string) (string, error)
	// Back returns when an exhausted quota of the plan that Cascade uses returns: the
	// time, zero if unknown, and a sentence, which may be empty. A nil Back never knows.
	// An agent's login may be another account's, so it is not asked for that.
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
	of    string    // the ID of the engine that listed known
	at    time.Time // of known; zero if that is not to be trusted

	conversations conversations
}

// NewService returns a Service.
func NewService(p ServiceParts) *Service { return &Service{parts: p} }

// Engine returns the ID of the engine that the next question goes to.
func (s *Service) Engine() (string, error) {
	engine, err := s.parts.Engine()
	if err != nil {
		return "", err
	}
	return engine.ID(), nil
}

// Models requests the current list of models. An agent is started for it.
func (s *Service) Models(ctx context.Context) (Catalogue, error) {
	engine, err := s.parts.Engine()
	if err != nil {
		return Catalogue{}, err
	}
	return s.models(ctx, engine, 0)
}

// Default is the model for prompts that name none.
func (s *Service) Default(all Catalogue) (Model, DefaultRule, error) {
	engine, err := s.Engine()
	if err != nil {
		return Model{}, "", err
	}
	configured, err := s.parts.Model(engine)
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

// Ask is like [Engine.Ask]. For an exhausted quota, the error says when quota returns. A
// further prompt goes to the engine that has its conversation. Images for a model that
// takes none are refused before anything is sent, with a [*ModelError].
func (s *Service) Ask(ctx context.Context, p Prompt, tell func(Event)) (Answer, error) {
	engine, err := s.parts.Engine()
	known := s.conversations.of(p.Further)
	if known.Engine != nil {
		engine, err = known.Engine, nil
	}
	if err != nil {
		return Answer{}, err
	}
	model := cmp.Or(p.Model, known.model)
	if len(p.Images) > 0 {
		all, err := s.models(ctx, engine, listTime)
		if err == nil {
			err = all.refuseImages(model, engine.ID())
		}
		if err != nil {
			return Answer{Engine: engine.ID()}, err
		}
	}
	answer, err := engine.Ask(ctx, p, tell)
	answer.Engine = engine.ID()
	switch {
	case answer.Left == LeftOpen:
		s.conversations.add(answer.Ref, began{engine, model})
	case answer.Ref != "":
		s.conversations.remove(answer.Ref)
	}
	if s.parts.Ended != nil {
		s.parts.Ended(err)
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		s.mu.Lock()
		s.at = time.Time{} // it may be the program's error; the next question checks that first
		s.mu.Unlock()
	}
	if f, ok := errors.AsType[*Failure](err); ok && f.Code == QuotaExhausted && engine.ID() == Cascade && s.parts.Back != nil {
		asking, cancel := context.WithTimeout(ctx, backTime)
		defer cancel()
		f.BackAt, f.Back = s.parts.Back(asking)
	}
	return answer, err
}

// End is [Engine.End].
func (s *Service) End(ctx context.Context, ref string) Leftover {
	engine := s.conversations.of(ref).Engine
	if engine == nil {
		return NothingLeft // none of this Service's
	}
	s.conversations.remove(ref)
	return engine.End(ctx, ref)
}

// models returns a list of an engine, of at most that age.
func (s *Service) models(ctx context.Context, engine Engine, age time.Duration) (Catalogue, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if age > 0 && s.of == engine.ID() && time.Since(s.at) < age {
		return s.known, nil
	}
	all, err := engine.Models(ctx)
	if err != nil {
		return Catalogue{}, err
	}
	s.known, s.of, s.at = all, engine.ID(), time.Now()
	return all, nil
}

func (s *Service) choose(ctx context.Context, name string, age time.Duration) (Model, Catalogue, error) {
	engine, err := s.parts.Engine()
	if err != nil {
		return Model{}, Catalogue{}, err
	}
	all, err := s.models(ctx, engine, age)
	if err != nil {
		return Model{}, Catalogue{}, err
	}
	var m Model
	if strings.TrimSpace(name) == "" {
		m, _, err = s.Default(all)
	} else {
		m, err = all.Resolve(name)
	}
	if failed, ok := errors.AsType[*ModelError](err); ok {
		failed.Engine = engine.ID()
	}
	return m, all, err
}
