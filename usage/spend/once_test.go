package spend_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"windsock/usage"
	"windsock/usage/spend"
)

// editor is a person's work with cascades: its server changes from turn to turn.
type editor struct {
	*server

	r        *rand.Rand
	clock    time.Time
	requests int
	// untold are what an old server does not tell.
	untold struct{ created, requests, modified bool }
}

func newEditor(seed uint64) *editor {
	return &editor{server: &server{}, r: rand.New(rand.NewPCG(seed, 2)), clock: now.AddDate(0, 0, -60)}
}

// turn is what happens until the next look.
func (e *editor) turn() {
	for range 1 + e.r.IntN(4) {
		e.clock = e.clock.Add(time.Duration(1+e.r.IntN(7200)) * time.Second)
		id := fmt.Sprintf("cascade-%d", e.r.IntN(6))
		steps := slices.Clone(e.steps[id])
		if open := len(steps) - 1; open >= 0 && steps[open].Open {
			steps[open] = e.grown(steps[open])
		}
		switch act := e.r.IntN(12); {
		case act == 0 && len(steps) > 0: // it is deleted
			e.list = slices.DeleteFunc(e.list, func(c spend.Cascade) bool { return c.ID == id })
			delete(e.steps, id)
			continue
		case act == 1: // the next cascade is branched off
			from := steps[:e.r.IntN(len(steps)+1)]
			id = fmt.Sprintf("branch-%d", e.r.IntN(1000))
			steps = slices.Clone(from)
		case act < 5 && len(steps) > 0: // it is reverted
			steps = steps[:e.r.IntN(len(steps))]
			if act == 2 {
				break
			}
			fallthrough
		default:
			for range 1 + e.r.IntN(8) {
				steps = append(steps, e.step())
			}
			if last := &steps[len(steps)-1]; last.Answer && e.r.IntN(3) == 0 {
				if last.Open = true; !e.untold.created && e.r.IntN(2) == 0 {
					last.Request = ""
				}
			}
		}
		e.put(id, e.clock, steps...)
		c := &e.list[slices.IndexFunc(e.list, func(c spend.Cascade) bool { return c.ID == id })]
		if c.Created = time.Unix(int64(e.r.IntN(1000)), 0); e.untold.modified {
			c.Modified = time.Time{}
		}
	}
}

func (e *editor) step() spend.Step {
	e.clock = e.clock.Add(time.Duration(1+e.r.IntN(90)) * time.Second)
	s := spend.Step{Created: e.clock, At: e.clock.Add(time.Second)}
	switch e.r.IntN(5) {
	case 0:
		s.Prompt, s.Model = true, []string{"", "opus"}[e.r.IntN(2)]
	case 1: // a tool's, which counts nothing
	default:
		s.Answer, s.Model = true, []string{"opus", "swe"}[e.r.IntN(2)]
		s = e.grown(s)
	}
	if e.untold.created {
		s.Created = time.Time{}
	}
	return s
}

// grown is a step with other figures. Its request may be told only now.
func (e *editor) grown(s spend.Step) spend.Step {
	if s.Request == "" && !e.untold.requests {
		e.requests++
		s.Request = fmt.Sprint("request-", e.requests)
	}
	s.Open, s.Costs, s.Tokens = false, spend.Costs{}, spend.Tokens{}
	if e.r.IntN(4) > 0 {
		s.Costs = credits(int64(e.r.IntN(500)))
		s.QuotaPercent = usage.Micros(int64(e.r.IntN(100)) * usage.One / 100)
		s.Tokens = tokens(int64(e.r.IntN(9000)), int64(e.r.IntN(900)), int64(e.r.IntN(9000)))
	}
	return s
}

// ledger counts all steps that it has ever seen, each at its last state.
type ledger struct {
	steps   map[string]spend.Step
	cascade map[string]string
}

// see looks at everything, the oldest cascade first.
func (l *ledger) see(s *server) {
	list := slices.SortedFunc(slices.Values(s.list), func(a, b spend.Cascade) int {
		return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID))
	})
	for _, c := range list {
		for _, step := range s.steps[c.ID] {
			id := fmt.Sprint(c.ID, "/", step.Index, "/", step.Created)
			if step.Request != "" {
				if !step.Created.IsZero() {
					delete(l.steps, id) // it has grown
				}
				id = fmt.Sprint(step.Request, "/", step.Index)
			}
			if of, seen := l.cascade[id]; seen && of != c.ID {
				continue
			}
			old := l.steps[id]
			if !step.Credits.Known() {
				step.Costs = old.Costs
			}
			if step.Input == nil {
				step.Tokens = old.Tokens
			}
			step.Prompt, step.Answer = step.Prompt || old.Prompt, step.Answer || old.Answer
			l.steps[id], l.cascade[id] = step, c.ID
		}
	}
}

// figures are the sums by cascade.
func (l *ledger) figures() map[string]spend.Figures {
	all := map[string]spend.Figures{}
	for id, s := range l.steps {
		if !s.Prompt && !s.Answer && !s.Credits.Known() {
			continue
		}
		f := spend.Figures{Costs: s.Costs, Tokens: s.Tokens}
		if s.Prompt {
			f.Prompts = 1
		}
		if s.Answer {
			f.ModelSteps = 1
			if !s.Credits.Known() {
				f.UnknownSteps = 1
			}
		}
		all[l.cascade[id]] = all[l.cascade[id]].Plus(f)
	}
	return all
}

func figures(tb testing.TB, b *spend.Book) map[string]spend.Figures {
	tb.Helper()
	all := map[string]spend.Figures{}
	for _, row := range sum(tb, b, spend.ByCascade, spend.Look{}).Rows {
		all[row.Key] = row.Figures
	}
	return all
}

func equal[T any](tb testing.TB, got, want T) {
	tb.Helper()
	if diff := gocmp.Diff(want, got); diff != "" {
		tb.Fatalf("(-want +got):\n%s", diff)
	}
}

// Whatever happens between two readings, what the second one keeps is what a full look
// at everything would.
func TestEachStepCountsOnce(t *testing.T) {
	t.Parallel()
	seeds := uint64(15)
	if testing.Short() {
		seeds = 4
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			e := newEditor(seed)
			e.untold.created, e.untold.requests, e.untold.modified = seed%2 == 1, seed%3 == 1, seed%5 == 1
			l := ledger{map[string]spend.Step{}, map[string]string{}}
			path := tempPath(t)
			b := book(t, path)
			for turn := range 20 {
				e.turn()
				l.see(e.server)
				read(t, b, reading(e))
				if turn%5 == 0 {
					b = book(t, path) // as after a restart
				}
				equal(t, figures(t, b), l.figures())
			}
			e.asked = nil
			read(t, b, reading(e))
			if len(e.asked) != 1 && !e.untold.modified {
				t.Errorf("asked again: %v", e.asked)
			}
			equal(t, figures(t, b), l.figures())
		})
	}
}

// A reading that is interrupted at any request, or fails there, and is taken up again
// keeps the same as one that is not.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	build := func() *editor {
		e := newEditor(7)
		for range 5 {
			e.turn()
		}
		return e
	}
	whole, l := build(), ledger{map[string]spend.Step{}, map[string]string{}}
	read(t, book(t, tempPath(t)), reading(whole))
	l.see(whole.server)
	for k := range whole.asked {
		for _, how := range []string{"canceled", "failed"} {
			t.Run(fmt.Sprint(how, k), func(t *testing.T) {
				t.Parallel()
				e, path := build(), tempPath(t)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				e.before = func(ask) error {
					if len(e.asked) != k+1 {
						return nil
					}
					if how == "canceled" {
						cancel()
					}
					return errors.New("the editor was closed")
				}
				r := reading(e)
				r.Now = now.Add(-time.Minute)
				look, err := book(t, path).Read(ctx, r)
				switch {
				case how == "canceled" && !errors.Is(err, context.Canceled):
					t.Errorf("canceled: %v", err)
				case how == "failed" && k > 0 && (err != nil || len(look.Failed) != 1):
					t.Errorf("failed: %v, %v", err, look.Failed)
				}
				if how == "canceled" && !sum(t, book(t, path), spend.ByModel, look).Read.IsZero() {
					t.Error("it counts as read")
				}
				e.before = nil
				read(t, book(t, path), reading(e))
				if how == "canceled" { // a cascade that failed may have left its steps to a branch
					equal(t, figures(t, book(t, path)), l.figures())
				}
				var want, got spend.Figures
				for _, f := range l.figures() {
					want = want.Plus(f)
				}
				got = sum(t, book(t, path), spend.ByDay, look).Total
				equal(t, got, want)
			})
		}
	}
}

// What another process has read meanwhile is not undone by an older state.
func TestOvertaken(t *testing.T) {
	t.Parallel()
	b := book(t, tempPath(t))
	slow, quick := &server{}, &server{}
	open := answer(now, "r", "opus", credits(5))
	open.Open = true
	slow.put("a", now, open)
	quick.put("a", now.Add(time.Minute), answer(now, "r", "opus", credits(70)))
	slow.before = func(a ask) error {
		if a.Cascade != "" {
			read(t, b, reading(quick))
		}
		return nil
	}
	read(t, b, reading(slow))
	quick.asked = nil
	read(t, b, reading(quick))
	equal(t, sum(t, b, spend.ByModel, spend.Look{}).Total.Credits, usage.Micros(700_000))
	equal(t, quick.asked, []ask{{}})
}

// The time of the last complete reading stays when a later one is interrupted.
func TestInterruptedLater(t *testing.T) {
	t.Parallel()
	s, b := &server{}, book(t, tempPath(t))
	s.put("a", now, prompt(now, "opus"))
	s.put("b", now, prompt(now, "opus"))
	read(t, b, reading(s))
	s.put("a", now.Add(time.Minute), append(s.steps["a"], prompt(now, "opus"))...)
	s.put("b", now.Add(time.Minute), append(s.steps["b"], prompt(now, "opus"))...)
	ctx, cancel := context.WithCancel(t.Context())
	s.before = func(a ask) error {
		if a.Cascade == "b" {
			cancel()
		}
		return nil
	}
	r := reading(s)
	r.Now = now.Add(time.Hour)
	if _, err := b.Read(ctx, r); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	report := sum(t, b, spend.ByModel, spend.Look{})
	equal(t, report.Read, now)
	equal(t, report.Total.Prompts, 3)
}
