package main

import (
	"context"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/usage"
	"windsock/usage/history"
	"windsock/usage/poll"
)

func home(tb testing.TB) *time.Location {
	tb.Helper()
	loc, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		tb.Fatal(err)
	}
	return loc
}

// The target, with as many cycles as a test has time for.
func TestTarget(t *testing.T) {
	t.Parallel()
	all := kinds(home(t))
	o := options{plan: monthly, cycles: 30, seed: 1, inMemory: true}
	scores, err := o.live(t.Context(), all, home(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := target(all, scores[0], scores[1]); err != nil {
		t.Error(err)
	}
	var table strings.Builder
	if err := report(&table, o, all, scores); err != nil {
		t.Fatal(err)
	}
	t.Log("\n" + table.String())
}

func TestSameSeedSameScores(t *testing.T) {
	t.Parallel()
	all := kinds(home(t))
	o := options{plan: weekly, cycles: 3, seed: 5, inMemory: true}
	first, err := o.live(t.Context(), all, home(t))
	if err != nil {
		t.Fatal(err)
	}
	second, err := o.live(t.Context(), all, home(t))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(first, second, cmp.AllowUnexported(score{})); diff != "" {
		t.Errorf("(-first +second):\n%s", diff)
	}
}

// The history in a file thins what is old, and yet it is seen alike.
func TestStoreIsAsGoodAsMemory(t *testing.T) {
	t.Parallel()
	store := history.New(history.Config{Path: filepath.Join(t.TempDir(), "history.db"), Location: home(t)})
	defer func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	}()
	k := kinds(home(t))[4] // bursts, of which not everything is alike
	look := func(record poll.Record) (paces []usage.Pace) {
		o := options{plan: monthly, cycles: 3}
		r := rand.New(rand.NewPCG(3, 4))
		err := o.liveKind(t.Context(), k, r, home(t), record, func(_ *cycle, sights []*sight) {
			for _, s := range sights {
				paces = append(paces, *s.meter.Pace)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		return paces
	}
	kept, remembered := look(store.Record), look((&memory{}).record)
	if len(kept) < 9 || len(kept) != len(remembered) {
		t.Fatalf("%d looks, and %d", len(kept), len(remembered))
	}
	for i, p := range kept {
		a, _ := p.Projected.Float()
		b, _ := remembered[i].Projected.Float()
		if p.Verdict != remembered[i].Verdict || p.Basis != remembered[i].Basis || math.Abs(a-b) > 2 {
			t.Errorf("look %d: %+v, and by memory %+v", i, p, remembered[i])
		}
	}
}

func TestCyclesAreWhatTheyAreCalled(t *testing.T) {
	t.Parallel()
	berlin := home(t)
	w := usage.Window{Start: time.Date(2026, 3, 5, 10, 0, 0, 0, berlin), End: time.Date(2026, 4, 5, 10, 0, 0, 0, berlin)}
	for i, k := range kinds(berlin) {
		r := rand.New(rand.NewPCG(1, uint64(i)))
		for range 20 {
			c := k.live(r, monthly, w, berlin)
			share := func(part float64) float64 {
				return c.used(c.Start.Add(time.Duration(part*float64(c.End.Sub(c.Start))))) / c.demand
			}
			switch {
			case c.used(c.Start.Add(-1)) != 0 || c.used(c.End) != c.demand:
				t.Errorf("%s: %v used before, %v of %v at the end", k.name, c.used(c.Start.Add(-1)), c.used(c.End), c.demand)
			case (c.demand >= c.total) != !c.out.IsZero():
				t.Errorf("%s: demand %v, out at %v", k.name, c.demand, c.out)
			case k.name == "steady" && math.Abs(share(0.5)-0.5) > 0.2,
				k.name == "sprint then idle" && share(0.5) < 0.8,
				k.name == "idle then sprint" && share(0.4) > 0.2,
				k.name == "run-out in mid-cycle" && c.out.IsZero():
				t.Errorf("%s: %v, %v and %v of it are used at 0.4, 0.5 and 0.6", k.name, share(0.4), share(0.5), share(0.6))
			}
			if k.name != "working days" && k.name != "weekend off" {
				continue
			}
			for _, u := range c.uses {
				if day := u.at.In(berlin).Weekday(); day == time.Saturday || day == time.Sunday {
					t.Fatalf("%s: used on %v", k.name, u.at)
				}
			}
		}
	}
}

func TestScore(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	lasts := &cycle{Window: usage.Window{Start: start, End: start.Add(40 * 24 * time.Hour)}, total: 100, demand: 90, uses: []use{{start, 90}}}
	ends := *lasts
	ends.demand, ends.out = 120, start.Add(15*24*time.Hour)
	sights := func(days ...int) []*sight {
		var all []*sight
		for _, d := range days {
			all = append(all, &sight{at: start.Add(time.Duration(d) * 24 * time.Hour)})
		}
		return all
	}
	var s score
	s.add(lasts, sights(10, 20, 30), func(at sight) forecast {
		return forecast{known: true, percent: 100, runsOut: at.at.Equal(start.Add(20 * 24 * time.Hour))}
	})
	// When it is out there is nothing to forecast; a day ahead there is a warning.
	s.add(&ends, sights(10, 20, 30, 14), func(sight) forecast { return forecast{known: true, percent: 110, runsOut: true} })
	s.add(&ends, sights(10, 20, 30, 14), func(sight) forecast { return forecast{} })
	want := score{off: 3*10 + 10, looks: 4, alarms: 1, lasting: 3, warned: 1, runOuts: 2}
	if diff := cmp.Diff(want, s, cmp.AllowUnexported(score{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := s.figures(); got != (figures{10, 100. / 3, 50}) {
		t.Errorf("figures %+v", got)
	}
	if got := moments(&ends); len(got) != 4 || !got[3].Equal(ends.out.Add(-24*time.Hour)) {
		t.Errorf("moments %v", got)
	}
	if got := moments(lasts); len(got) != 3 {
		t.Errorf("moments %v", got)
	}
}

func TestTargetIsMissed(t *testing.T) {
	t.Parallel()
	good := score{off: 100, looks: 100, alarms: 10, lasting: 300, warned: 95, runOuts: 100}
	naive := score{off: 200, looks: 100, alarms: 20, lasting: 300, warned: 93, runOuts: 100}
	tests := []struct {
		name string
		ours func(*score)
		want bool
	}{
		{"met", func(*score) {}, true},
		{"fewer_warnings", func(s *score) { s.warned, s.runOuts = 92, 99 }, false},
		{"off", func(s *score) { s.off = 200 }, false},
		{"alarms", func(s *score) { s.alarms = 20 }, false},
		{"warnings", func(s *score) { s.warned = 93 }, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ours := good
			tt.ours(&ours)
			err := target([]kind{{name: "kind"}}, []score{ours}, []score{naive})
			if (err == nil) != tt.want {
				t.Errorf("error %v", err)
			}
		})
	}
	// Better in the mean, and worse in a kind.
	much := naive
	much.off, much.alarms, much.warned = 1000, 200, 50
	two := []kind{{name: "one"}, {name: "two"}}
	for name, worse := range map[string]func(*score){
		"one: off":    func(s *score) { s.off += 101 },
		"one: 11.67":  func(s *score) { s.alarms += 15 },
		"one: warned": func(s *score) { s.warned -= 2 },
	} {
		ours := naive
		worse(&ours)
		err := target(two, []score{ours, good}, []score{naive, much})
		if err == nil || !strings.HasPrefix(err.Error(), name) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestMemory(t *testing.T) {
	t.Parallel()
	var m memory
	start := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	count := func(hours int, used int64, end time.Time) int {
		meter := usage.Meter{ID: usage.ACU, Used: usage.Micros(used), Window: usage.Window{End: end}}
		s := usage.Snapshot{Source: usage.Source{FetchedAt: start.Add(time.Duration(hours) * time.Hour)}, Meters: []usage.Meter{meter}}
		return len(m.record(context.Background(), s)[usage.ACU])
	}
	end := start.Add(48 * time.Hour)
	got := []int{
		count(0, 1, end), count(1, 1, end), count(2, 2, end), count(7, 2, end), count(8, 2, end), count(9, 0, end.Add(48*time.Hour)),
	}
	if diff := cmp.Diff([]int{1, 1, 2, 2, 3, 1}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
