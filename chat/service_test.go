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
	lists  int
	labels []string
	err    error // of an answer
	asked  chat.Prompt
}

func (*engine) ID() string { return "fake" }

func (e *engine) Models(context.Context) (chat.Catalogue, error) {
	e.lists++
	return modelstest.Listed(e.labels...), nil
}

func (e *engine) Ask(_ context.Context, p chat.Prompt, _ func(chat.Event)) (chat.Answer, error) {
	e.asked = p
	return chat.Answer{Text: "Hi."}, e.err
}

func (*engine) End(context.Context, string) chat.Leftover { return chat.LeftForNow }

// The list is good for a minute; a name that is not in it has it asked for again, and so
// has an error.
func TestServiceChooses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := &engine{labels: []string{"Opus", "Haiku"}}
		s := chat.NewService(chat.ServiceParts{Engines: []chat.Engine{e}, Model: func() (string, error) { return "haiku", nil }})
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
	e := &engine{err: &chat.Failure{Code: chat.QuotaExhausted}}
	ended := 0
	s := chat.NewService(chat.ServiceParts{
		Engines: []chat.Engine{e}, Ended: func(error) { ended++ },
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

func TestServiceWithoutEngine(t *testing.T) {
	t.Parallel()
	s := chat.NewService(chat.ServiceParts{Engines: []chat.Engine{&engine{}}, Engine: "devin"})
	_, err := s.Models(t.Context())
	if got := say.Sentence(err, ""); got != `There is no engine "devin". There is: fake.` || say.Exit(err) != say.ExitUsage {
		t.Error(got)
	}
}
