package spend_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"windsock/probe/say"
	"windsock/usage"
	"windsock/usage/history"
	"windsock/usage/spend"
)

// threeCascades are a, b and c, in the order of their creation, with a prompt and a
// credit each.
func threeCascades() *server {
	s := &server{}
	for i, id := range []string{"c", "b", "a"} {
		s.put(id, now, prompt(now, "opus"), answer(now, "of "+id, "opus", credits(100)))
		s.list[i].Created = now.Add(time.Duration(-i) * time.Hour)
	}
	return s
}

func (s *server) run(id string) *server {
	for i := range s.list {
		s.list[i].Runs = s.list[i].Runs || s.list[i].ID == id
	}
	return s
}

// begin lists a cascade that has no step yet.
func (s *server) begin(id string) *server {
	s.put(id, now)
	return s
}

func prompts(tb testing.TB, b *spend.Book) int {
	tb.Helper()
	return sum(tb, b, spend.ByModel, spend.Look{}).Total.Prompts
}

func TestTurns(t *testing.T) {
	t.Parallel()
	own := func(of ...map[string]int) func(context.Context) (map[string]int, error) {
		return func(context.Context) (map[string]int, error) {
			open := of[0]
			of = of[min(1, len(of)-1):]
			return open, nil
		}
	}
	for name, c := range map[string]struct {
		server  *server
		reading spend.Reading
		want    spend.Look
		prompts int
	}{
		"nothing runs":              {threeCascades(), spend.Reading{}, spend.Look{}, 3},
		"nothing runs, patient":     {threeCascades(), spend.Reading{Patient: true}, spend.Look{}, 3},
		"a turn is left for later":  {threeCascades().run("b"), spend.Reading{}, spend.Look{Running: 1}, 2},
		"turns are waited for":      {threeCascades().run("b").run("a"), spend.Reading{Patient: true}, spend.Look{Running: 2}, 0},
		"our own turn":              {threeCascades().run("b"), spend.Reading{Own: own(map[string]int{"b": 1})}, spend.Look{Busy: true}, 0},
		"our own turn, not begun":   {threeCascades().begin("x"), spend.Reading{Own: own(map[string]int{"x": 1})}, spend.Look{Busy: true}, 0},
		"ours waits for a person":   {threeCascades(), spend.Reading{Own: own(map[string]int{"b": 1})}, spend.Look{}, 3},
		"ours begins with the list": {threeCascades(), spend.Reading{Own: own(nil, map[string]int{"x": 1})}, spend.Look{Busy: true}, 0},
		"ours begins meanwhile": {
			threeCascades(), spend.Reading{Own: own(nil, nil, nil, nil, map[string]int{"x": 1})}, spend.Look{Busy: true}, 2,
		},
		"a further prompt of ours": {
			threeCascades(),
			spend.Reading{Own: own(map[string]int{"x": 1}, map[string]int{"x": 1}, map[string]int{"x": 1}, map[string]int{"x": 2})},
			spend.Look{Busy: true},
			1,
		},
		"one of ours is closed": {threeCascades(), spend.Reading{Own: own(map[string]int{"x": 1}, nil)}, spend.Look{}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := reading(c.server)
			r.Patient = c.reading.Patient
			if c.reading.Own != nil {
				r.Own = c.reading.Own
			}
			path := tempPath(t)
			look := read(t, book(t, path), r)
			c.want.Plan, c.want.At = plan, now
			if diff := cmp.Diff(c.want, look, cmpopts.IgnoreFields(spend.Look{}, "Cascades")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if got := prompts(t, book(t, path)); got != c.prompts {
				t.Errorf("%d prompts, want %d", got, c.prompts)
			}
			// Later, all is there.
			for i := range c.server.list {
				c.server.list[i].Runs = false
			}
			read(t, book(t, path), reading(c.server))
			if got := prompts(t, book(t, path)); got != 3 {
				t.Errorf("later %d prompts", got)
			}
		})
	}
}

func TestOwnFails(t *testing.T) {
	t.Parallel()
	s, failed := threeCascades(), errors.New("locked")
	r := reading(s)
	r.Own = func(context.Context) (map[string]int, error) { return nil, failed }
	if _, err := book(t, tempPath(t)).Read(t.Context(), r); !errors.Is(err, failed) || len(s.asked) > 0 {
		t.Errorf("%v, asked %v", err, s.asked)
	}
}

// A request is sent when the one before has been answered and the rest is over.
func TestRest(t *testing.T) {
	t.Parallel()
	path := tempPath(t)
	synctest.Test(t, func(t *testing.T) {
		s := threeCascades()
		var at []time.Duration
		begun := time.Now()
		s.before = func(ask) error {
			at = append(at, time.Since(begun))
			time.Sleep(10 * time.Millisecond)
			return nil
		}
		r := reading(s)
		r.Rest = 250 * time.Millisecond
		store := history.New(history.Config{Path: path, Location: time.UTC})
		read(t, spend.New(spend.Config{Room: store, Salt: store.Salt, Location: time.UTC}), r)
		if err := store.Close(); err != nil {
			t.Error(err)
		}
		want := []time.Duration{0, 260 * time.Millisecond, 520 * time.Millisecond, 780 * time.Millisecond}
		if diff := cmp.Diff(want, at); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestFailures(t *testing.T) {
	t.Parallel()
	failed := errors.New("the server has gone")
	fail := func(s *server, cascade string) *server {
		s.before = func(a ask) error {
			if a.Cascade == cascade {
				return failed
			}
			return nil
		}
		return s
	}
	one := &server{}
	one.put("d", now, prompt(now, "opus"))
	for name, c := range map[string]struct {
		servers []spend.Server
		prompts int
		failed  []string
		err     bool
	}{
		"a cascade":       {[]spend.Server{fail(threeCascades(), "b")}, 2, []string{"b"}, false},
		"one of two":      {[]spend.Server{fail(threeCascades(), ""), one}, 1, []string{""}, false},
		"the only server": {[]spend.Server{fail(threeCascades(), "")}, 0, nil, true},
		"no server":       {nil, 0, nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := book(t, tempPath(t))
			look, err := b.Read(t.Context(), reading(c.servers...))
			if (err != nil) != c.err || (c.err && len(c.servers) > 0 && !errors.Is(err, failed)) {
				t.Errorf("error %v", err)
			}
			var named []string
			for _, f := range look.Failed {
				if named = append(named, f.Cascade.ID); !errors.Is(f.Err, failed) {
					t.Errorf("%s: %v", f.Cascade.ID, f.Err)
				}
			}
			if diff := cmp.Diff(c.failed, named); diff != "" {
				t.Errorf("failed (-want +got):\n%s", diff)
			}
			if got := prompts(t, b); got != c.prompts {
				t.Errorf("%d prompts", got)
			}
		})
	}
}

// Without the editor no other cascade is asked for, and the plan does not count as read:
// what the others cost would seem to have been spent elsewhere.
func TestEditorEnds(t *testing.T) {
	t.Parallel()
	s, b := threeCascades(), book(t, tempPath(t))
	gone := &say.Error{Code: "not_running", What: "It is not running.", Exit: 3}
	s.before = func(a ask) error {
		if a.Cascade == "b" {
			return gone
		}
		return nil
	}
	look, err := b.Read(t.Context(), reading(s))
	if !errors.Is(err, gone) || len(look.Failed) > 0 || len(look.Cascades) != 3 {
		t.Errorf("error %v, look %+v", err, look)
	}
	equal(t, s.asked, []ask{{}, {"a", 0}, {"b", 0}})
	if at, err := b.LastRead(t.Context(), plan); err != nil || !at.IsZero() {
		t.Errorf("read at %v, %v", at, err)
	}
	s.before = nil
	read(t, b, reading(s))
	equal(t, prompts(t, b), 3)
}

func TestNothingCanBeKept(t *testing.T) {
	t.Parallel()
	store := history.New(history.Config{Path: tempPath(t), Location: time.UTC})
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	salt := func(context.Context) ([]byte, error) { return []byte("salt"), nil }
	s := threeCascades()
	if _, err := spend.New(spend.Config{Room: store, Salt: salt, Location: time.UTC}).Read(t.Context(), reading(s)); err == nil {
		t.Error("no error")
	}
	if len(s.asked) > 2 {
		t.Errorf("it went on: %v", s.asked)
	}
}

// A cascade that several servers list is asked of the one with its latest state, and an
// older state is no news.
func TestSeveralServers(t *testing.T) {
	t.Parallel()
	early, late := &server{}, &server{}
	early.put("a", now, prompt(now, "opus"))
	late.put("a", now.Add(time.Minute), prompt(now, "opus"), answer(now, "r", "opus", credits(100)))
	path := tempPath(t)
	for i, servers := range [][]spend.Server{{early, late}, {late, early}, {early}, {late}} {
		look := read(t, book(t, path), reading(servers...))
		if i < 2 && look.Cascades["a"].Steps != 2 {
			t.Errorf("%d: listed %v", i, look.Cascades)
		}
	}
	if diff := cmp.Diff([]ask{{}, {}, {}}, early.asked); diff != "" {
		t.Errorf("early was asked (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]ask{{}, {"a", 0}, {}, {}}, late.asked); diff != "" {
		t.Errorf("late was asked (-want +got):\n%s", diff)
	}
}

// What is asked of a cascade after it has changed.
func TestCursor(t *testing.T) {
	t.Parallel()
	at := func(n int) time.Time { return now.Add(time.Duration(n) * time.Second) }
	reply := func(n int, cost int64) spend.Step {
		return answer(at(n), "r"+at(n).String(), "opus", credits(cost))
	}
	open := func(s spend.Step) spend.Step {
		s.Open = true
		return s
	}
	tool := spend.Step{Created: at(3)}
	unanswered := spend.Step{Created: at(9), Prompt: true}
	for name, c := range map[string]struct {
		before, after []spend.Step
		want          []int
		credits       int64
	}{
		"it grows":                      {[]spend.Step{prompt(at(0), "opus"), reply(1, 10)}, []spend.Step{prompt(at(0), "opus"), reply(1, 10), reply(2, 5)}, []int{1}, 15},
		"its first steps":               {nil, []spend.Step{reply(1, 10)}, []int{0}, 10},
		"a tool's step ended it":        {[]spend.Step{reply(1, 10), tool}, []spend.Step{reply(1, 10), tool, reply(4, 5)}, []int{1}, 15},
		"its last step was open":        {[]spend.Step{reply(1, 10), open(reply(2, 1))}, []spend.Step{reply(1, 10), reply(2, 5), reply(3, 7)}, []int{0}, 22},
		"all its steps were open":       {[]spend.Step{open(reply(2, 1))}, []spend.Step{reply(2, 5)}, []int{0}, 5},
		"an open step among others":     {[]spend.Step{reply(1, 10), reply(2, 1), open(reply(3, 2)), reply(4, 4)}, []spend.Step{reply(1, 10), reply(2, 1), reply(3, 3), reply(4, 4)}, []int{1}, 18},
		"a prompt without a model":      {[]spend.Step{reply(1, 10), unanswered}, []spend.Step{reply(1, 10), unanswered, reply(10, 5)}, []int{0}, 15},
		"it was cleared":                {[]spend.Step{reply(1, 10), reply(2, 1)}, nil, []int{0}, 11},
		"it was reverted":               {[]spend.Step{reply(1, 10), reply(2, 1)}, []spend.Step{reply(1, 10)}, []int{0}, 11},
		"reverted, and as long again":   {[]spend.Step{reply(1, 10), reply(2, 1)}, []spend.Step{reply(1, 10), reply(5, 2)}, []int{1, 0}, 13},
		"reverted, and longer":          {[]spend.Step{reply(1, 10), reply(2, 1)}, []spend.Step{reply(4, 20), reply(5, 2), reply(6, 3)}, []int{1, 0}, 36},
		"its last figures are kept":     {[]spend.Step{reply(1, 10), open(reply(2, 5))}, []spend.Step{reply(1, 10), {Created: at(2), Answer: true, Request: reply(2, 5).Request}}, []int{0}, 15},
		"its known step is open again":  {[]spend.Step{reply(1, 10), reply(2, 5)}, []spend.Step{reply(1, 10), open(reply(2, 6)), reply(3, 1)}, []int{1}, 17},
		"the server ignores the offset": {[]spend.Step{reply(1, 10), reply(2, 5)}, []spend.Step{reply(1, 10), reply(2, 5), reply(3, 1)}, []int{1, 0}, 16},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, b := &server{}, book(t, tempPath(t))
			s.put("a", at(0), c.before...)
			read(t, b, reading(s))
			s.put("a", at(100), c.after...)
			s.whole = name == "the server ignores the offset"
			s.asked = nil
			read(t, b, reading(s))
			want := []ask{{}}
			for _, from := range c.want {
				want = append(want, ask{"a", from})
			}
			if diff := cmp.Diff(want, s.asked); diff != "" {
				t.Errorf("asked (-want +got):\n%s", diff)
			}
			if got := sum(t, b, spend.ByModel, spend.Look{}).Total.Credits; got != usage.Micros(c.credits*usage.One/100) {
				t.Errorf("credits %v", got)
			}
		})
	}
}

// Whoever reads with another account finds the same cascades: what was spent is the
// first one's.
func TestAnotherAccount(t *testing.T) {
	t.Parallel()
	s, b := threeCascades(), book(t, tempPath(t))
	read(t, b, reading(s))
	r := reading(s)
	r.Plan.Account, r.Now = usage.NewAccount("another"), now.Add(time.Hour)
	read(t, b, r)
	s.put("a", now.Add(time.Hour), append(s.steps["a"], prompt(now.Add(time.Hour), "opus"))...)
	read(t, b, r)
	for account, want := range map[usage.Account]int{plan.Account: 3, r.Plan.Account: 1, {}: 1} {
		report, err := b.Sum(t.Context(), spend.Query{Plan: usage.Plan{Account: account}, By: spend.ByModel, Until: now.AddDate(1, 0, 0)}, spend.Look{}, label)
		if err != nil || report.Total.Prompts != want {
			t.Errorf("%d prompts, want %d (%v)", report.Total.Prompts, want, err)
		}
	}
	plans, err := b.Plans(t.Context())
	if err != nil || len(plans) != 2 {
		t.Fatalf("%v, %v", plans, err)
	}
	for i, want := range []int{1, 3} {
		report, err := b.Sum(t.Context(), spend.Query{Plan: plans[i], By: spend.ByModel, Until: now.AddDate(1, 0, 0)}, spend.Look{}, label)
		if err != nil || report.Total.Prompts != want {
			t.Errorf("plan %d: %d prompts, want %d (%v)", i, report.Total.Prompts, want, err)
		}
	}
}

func TestProgress(t *testing.T) {
	t.Parallel()
	var got [][2]int
	r := reading(threeCascades())
	r.Progress = func(done, total int) { got = append(got, [2]int{done, total}) }
	read(t, book(t, tempPath(t)), r)
	if diff := cmp.Diff([][2]int{{1, 3}, {2, 3}, {3, 3}}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
