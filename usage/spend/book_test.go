package spend_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/usage"
	"windsock/usage/history"
	"windsock/usage/spend"
)

var (
	plan = usage.Plan{Product: usage.Windsurf, Account: usage.NewAccount("someone")}
	now  = time.Date(2026, 2, 3, 12, 0, 0, 0, time.UTC)
)

// server tells plain values, and remembers what it was asked.
type server struct {
	list  []spend.Cascade
	steps map[string][]spend.Step
	asked []ask
	// before runs before each request, which fails with its error.
	before func(ask) error
	// whole says that it tells all steps, wherever it is asked to begin.
	whole bool
}

// ask is a request; the one for the list has no cascade.
type ask struct {
	Cascade string
	From    int
}

func (s *server) Cascades(context.Context) ([]spend.Cascade, error) {
	return s.list, s.ask(ask{})
}

func (s *server) Steps(_ context.Context, cascade string, from int) ([]spend.Step, error) {
	all := s.steps[cascade]
	if s.whole {
		return all, s.ask(ask{cascade, from})
	}
	return all[min(from, len(all)):], s.ask(ask{cascade, from})
}

func (s *server) ask(a ask) error {
	s.asked = append(s.asked, a)
	if s.before == nil {
		return nil
	}
	return s.before(a)
}

// put sets a cascade's steps, at a time at which the server modified it.
func (s *server) put(id string, modified time.Time, steps ...spend.Step) {
	for i := range steps {
		steps[i].Index = i
	}
	c := spend.Cascade{ID: id, Title: "Title of " + id, Workspace: "file:///src/" + id, Created: now.Add(-time.Hour), Modified: modified, Steps: len(steps)}
	if s.steps == nil {
		s.steps = map[string][]spend.Step{}
	}
	s.steps[id] = steps
	for i := range s.list {
		if s.list[i].ID == id {
			s.list[i] = c
			return
		}
	}
	s.list = append(s.list, c)
}

// book is a Book on a file, as one process has it.
func book(tb testing.TB, path string) *spend.Book {
	tb.Helper()
	return bookIn(tb, path, time.UTC)
}

func bookIn(tb testing.TB, path string, location *time.Location) *spend.Book {
	tb.Helper()
	store := history.New(history.Config{Path: path, Location: location})
	tb.Cleanup(func() { _ = store.Close() })
	return spend.New(spend.Config{
		Room: store, Salt: store.Salt, Location: location,
		Moved: noMeters,
	})
}

func noMeters(context.Context, usage.Plan, time.Time, time.Time) ([]spend.Moved, error) {
	return nil, nil
}

func tempPath(tb testing.TB) string {
	tb.Helper()
	return filepath.Join(tb.TempDir(), "history.db")
}

func none(context.Context) (map[string]int, error) { return map[string]int{}, nil }

func reading(servers ...spend.Server) spend.Reading {
	return spend.Reading{Plan: plan, Servers: servers, Own: none, Now: now}
}

func read(tb testing.TB, b *spend.Book, r spend.Reading) spend.Look {
	tb.Helper()
	look, err := b.Read(tb.Context(), r)
	if err != nil {
		tb.Fatal(err)
	}
	return look
}

// sum is of all times.
func sum(tb testing.TB, b *spend.Book, by spend.By, look spend.Look) spend.Report {
	tb.Helper()
	report, err := b.Sum(tb.Context(), spend.Query{Plan: plan, By: by, Until: now.AddDate(1, 0, 0)}, look, label)
	if err != nil {
		tb.Fatal(err)
	}
	return report
}

func label(uid string) string { return map[string]string{"opus": "Claude Opus"}[uid] }

func credits(hundredths int64) spend.Costs {
	return spend.Costs{Credits: usage.Micros(hundredths * usage.One / 100)}
}

func tokens(in, out, cached int64) spend.Tokens {
	return spend.Tokens{Input: &in, Output: &out, Cached: &cached}
}

// prompt and answer are steps of a server that tells everything.
func prompt(at time.Time, model string) spend.Step {
	return spend.Step{Created: at, At: at, Prompt: true, Model: model}
}

func answer(at time.Time, request, model string, costs spend.Costs) spend.Step {
	return spend.Step{Created: at, At: at, Request: request, Answer: true, Model: model, Costs: costs, Tokens: tokens(100, 10, 50)}
}

func TestRead(t *testing.T) {
	t.Parallel()
	s := &server{}
	s.put("a", now, prompt(now, "opus"), answer(now, "r1", "opus", credits(150)), answer(now, "r2", "swe", spend.Costs{}))
	b := book(t, tempPath(t))
	look := read(t, b, reading(s))
	want := []ask{{}, {"a", 0}, {}}
	read(t, b, reading(s))
	if diff := cmp.Diff(want, s.asked); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
	wantReport := spend.Report{
		Until: now.AddDate(1, 0, 0), By: spend.ByModel, Read: now,
		Rows: []spend.Row{
			{Key: "opus", Label: "Claude Opus", Days: 1, Figures: spend.Figures{Prompts: 1, Costs: credits(150), Tokens: tokens(100, 10, 50), ModelSteps: 1}},
			{Key: "swe", Label: "swe", Days: 1, Figures: spend.Figures{Tokens: tokens(100, 10, 50), ModelSteps: 1, UnknownSteps: 1}},
		},
		Total: spend.Figures{Prompts: 1, Costs: credits(150), Tokens: tokens(200, 20, 100), ModelSteps: 2, UnknownSteps: 1},
	}
	report := sum(t, b, spend.ByModel, look)
	report.Plan = ""
	if diff := cmp.Diff(wantReport, report); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	s.put("a", now.Add(time.Minute), append(s.steps["a"], prompt(now, "opus"), answer(now, "r3", "opus", credits(25)))...)
	s.asked = nil
	read(t, b, reading(s))
	if diff := cmp.Diff([]ask{{}, {"a", 2}}, s.asked); diff != "" {
		t.Errorf("asked after a turn (-want +got):\n%s", diff)
	}
	if got := sum(t, b, spend.ByModel, look).Total.Credits; got != usage.Micros(1_750_000) {
		t.Errorf("credits %v", got)
	}
}
