package chat_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"windsock/chat"
	"windsock/chat/models/modelstest"
	"windsock/probe/say"
)

// engine is one whose list and answer a test decides on.
type engine struct {
	id     string
	left   chat.Leftover // of an answer
	ended  string        // the conversation
	lists  int
	labels []string
	models []chat.Model // in place of labels
	err    error        // of an answer
	asked  chat.Prompt
}

func (e *engine) ID() string { return e.id }

func (e *engine) Models(context.Context) (chat.Catalogue, error) {
	e.lists++
	if e.models != nil {
		return chat.Catalogue{Models: e.models}, nil
	}
	return modelstest.Listed(e.labels...), nil
}

func (e *engine) Ask(_ context.Context, p chat.Prompt, _ func(chat.Event)) (chat.Answer, error) {
	e.asked = p
	return chat.Answer{Text: "Hi.", Ref: "of " + e.id, Left: e.left}, e.err
}

func (e *engine) End(_ context.Context, ref string) chat.Leftover {
	e.ended = ref
	return chat.LeftForNow
}

func (e *engine) serves() (chat.Engine, error) { return e, nil }

// The list is good for a minute; a name that is not in it has it asked for again, and so
// has an error.
func TestServiceChooses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := &engine{id: "cascade", labels: []string{"Opus", "Haiku"}}
		s := chat.NewService(chat.ServiceParts{Engine: e.serves, Model: func(string) (string, error) { return "haiku", nil }})
		choose := func(name, want string, lists int) {
			t.Helper()
			m, _, err := s.Choose(t.Context(), name)
			if got := m.Label + say.Code(err); got != want || e.lists != lists {
				t.Errorf("%q is %q after %d lists, want %q after %d; %v", name, got, e.lists, want, lists, err)
			}
		}
		choose("opus", "Opus", 1)
		choose("", "Haiku", 1)
		choose("sonnet", "unknown_model", 1) // the list has just come
		time.Sleep(10 * time.Second)
		e.labels = append(e.labels, "Sonnet")
		choose("opus", "Opus", 1)
		choose("sonnet", "Sonnet", 2)
		time.Sleep(time.Minute)
		choose("opus", "Opus", 3)
		e.err = errors.New("gone")
		if _, err := s.Ask(t.Context(), chat.Prompt{}, nil); !errors.Is(err, e.err) {
			t.Error(err)
		}
		choose("opus", "Opus", 4)
		e.err = context.Canceled
		_, _ = s.Ask(t.Context(), chat.Prompt{}, nil) // TestServiceAsks looks at errors
		choose("opus", "Opus", 4)
	})
}

func TestServiceAsks(t *testing.T) {
	t.Parallel()
	back := time.Now().Add(time.Hour)
	e := &engine{id: "cascade", err: &chat.Failure{Code: chat.QuotaExhausted}}
	ended := 0
	s := chat.NewService(chat.ServiceParts{
		Engine: e.serves, Ended: func(error) { ended++ },
		Back: func(context.Context) (time.Time, string) { return back, "There is more on Wed 04:30" },
	})
	answer, err := s.Ask(t.Context(), chat.Prompt{Text: "hello", Model: "opus"}, nil)
	failure, _ := errors.AsType[*chat.Failure](err)
	if answer.Text != "Hi." || failure == nil || !failure.BackAt.Equal(back) || failure.Back == "" || ended != 1 || e.asked.Text != "hello" {
		t.Errorf("%+v, %v, ended %d times", answer, err, ended)
	}
	e.err = &chat.Failure{Code: chat.Busy}
	_, err = s.Ask(t.Context(), chat.Prompt{}, nil)
	if failure, _ := errors.AsType[*chat.Failure](err); failure == nil || failure.Back != "" {
		t.Errorf("%v has a reset", err)
	}
}

// TestServiceChangesEngine: the next question goes to the engine that was chosen
// meanwhile, with its own models. A conversation stays where it was begun.
func TestServiceChangesEngine(t *testing.T) {
	t.Parallel()
	editor, agent := &engine{id: "cascade", labels: []string{"Opus"}}, &engine{id: "devin", labels: []string{"Swe"}}
	chosen := editor
	s := chat.NewService(chat.ServiceParts{
		Engine: func() (chat.Engine, error) { return chosen, nil },
		Model:  func(of string) (string, error) { return map[string]string{"cascade": "opus", "devin": "swe"}[of], nil },
		Back:   func(context.Context) (time.Time, string) { return time.Now(), "There is more on Wed 04:30" },
	})
	first, _, err := s.Choose(t.Context(), "")
	if first.Label != "Opus" || err != nil {
		t.Errorf("%q, %v", first.Label, err)
	}
	editor.left = chat.LeftOpen
	kept, err := s.Ask(t.Context(), chat.Prompt{Keep: true}, nil)
	if kept.Engine != "cascade" || err != nil {
		t.Errorf("%+v, %v", kept, err)
	}
	chosen = agent
	second, _, err := s.Choose(t.Context(), "")
	if second.Label != "Swe" || err != nil {
		t.Errorf("%q, %v", second.Label, err)
	}
	_, _, err = s.Choose(t.Context(), "opus")
	if got, want := say.Sentence(err, ""), "There is no model \"opus\". `windsock models --engine devin` lists all."; got != want || say.Exit(err) != say.ExitUsage {
		t.Errorf("%s, want %s", got, want)
	}
	agent.err = &chat.Failure{Code: chat.QuotaExhausted}
	_, err = s.Ask(t.Context(), chat.Prompt{}, nil)
	if failure, _ := errors.AsType[*chat.Failure](err); failure == nil || failure.Back != "" {
		t.Errorf("%v has the reset of the editor's plan", err)
	}
	further, err := s.Ask(t.Context(), chat.Prompt{Text: "and then?", Further: kept.Ref}, nil)
	if further.Engine != "cascade" || editor.asked.Text != "and then?" || err != nil {
		t.Errorf("%+v, %v", further, err)
	}
	if left := s.End(t.Context(), kept.Ref); left != chat.LeftForNow || editor.ended != kept.Ref || agent.ended != "" {
		t.Errorf("left %v; ended %q and %q", left, editor.ended, agent.ended)
	}
	if left := s.End(t.Context(), kept.Ref); left != chat.NothingLeft {
		t.Errorf("left %v after the end", left)
	}
}

func TestServiceWithoutEngine(t *testing.T) {
	t.Parallel()
	s := chat.NewService(chat.ServiceParts{Engine: func() (chat.Engine, error) { return nil, say.Usage("There is none.") }})
	_, listing := s.Models(t.Context())
	_, asking := s.Ask(t.Context(), chat.Prompt{}, nil)
	for _, err := range []error{listing, asking} {
		if got := say.Sentence(err, ""); got != "There is none." {
			t.Error(got)
		}
	}
}
