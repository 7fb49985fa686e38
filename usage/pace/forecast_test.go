package pace_test

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"windsock/usage"
	"windsock/usage/history"
	"windsock/usage/pace"
	"windsock/usage/usagetest"
)

var (
	people = flag.Int("people", 6, "how many of each habit TestForecast follows")
	seed   = flag.Uint64("seed", 1, "what TestForecast draws them from")
)

// look is what a person saw, and what came.
type look struct {
	projected, low, high, chance float64
	three                        float64 // what the elapsed time alone makes of the use
	used                         float64 // at the reset, were there no limit
	lasts                        bool
}

// TestForecast follows made-up people through the windows of their plan. They poll at
// each use, the store keeps it, and the pace is held against what came. The projection
// has to be off by no more than use by time is, in any kind of window, and by less in
// all. One outcome in ten is to be below the range and one above, and the chances are to
// come true, each within 10 points.
func TestForecast(t *testing.T) {
	t.Parallel()
	if race {
		t.Skip("takes two minutes beside the race detector")
	}
	home := usagetest.Zone(t, "Europe/Berlin")
	looks := make([][]look, len(spans))
	t.Run("live", func(t *testing.T) {
		for i, s := range spans {
			t.Run(s.name, func(t *testing.T) {
				t.Parallel()
				for j, h := range habits {
					for n := range *people {
						r := rand.New(rand.NewPCG(*seed, uint64(100*j+n)))
						looks[i] = append(looks[i], s.follow(t, r, h, home)...)
					}
				}
			})
		}
	})
	var ours, their float64
	for i, s := range spans {
		off, three := errorsOf(looks[i])
		below, above, chances := calibrationOf(looks[i])
		t.Logf("%s: %d looks, off by %.1f, by time %.1f; %.0f %% below the range, %.0f above; lasting: %s", s.name, len(looks[i]), off, three, below, above, chances)
		ours, their = ours+off, their+three
		if off > three {
			t.Errorf("%s: off by %.1f points, and by time %.1f", s.name, off, three)
		}
		if math.Abs(below-10) > 10 || math.Abs(above-10) > 10 {
			t.Errorf("%s: %.0f %% are below the range, %.0f above", s.name, below, above)
		}
		for _, c := range chances {
			if math.Abs(c.said-c.came) > 10 {
				t.Errorf("%s: %v", s.name, c)
			}
		}
	}
	if ours >= their {
		t.Errorf("in the mean off by %.1f points, and by time %.1f", ours/3, their/3)
	}
}

// follow follows a person through the windows of one kind, with a look after the last
// use in each stretch of time. Those at which something is used and something left
// count.
func (s span) follow(t *testing.T, r *rand.Rand, h habit, home *time.Location) (looks []look) {
	t.Helper()
	store := history.New(history.Config{Path: filepath.Join(t.TempDir(), "history.db"), Location: home})
	defer func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	}()
	uses, windows := h.live(r, s.days, home), s.windows(home)
	total := allowance(r, uses, windows)
	for _, w := range windows {
		before := demand(uses, w.Start)
		all := (demand(uses, w.End) - before) / total
		for i, u := range uses {
			used := (u.sum - before) / total
			if !u.at.After(w.Start) || !u.at.Before(w.End) || (i+1 < len(uses) && uses[i+1].at.Sub(w.Start)/s.every == u.at.Sub(w.Start)/s.every) {
				continue
			}
			m := usage.NewMeter(s.meter, w).Of(usagetest.AmountOf(100*min(1, used)), usagetest.AmountOf(100))
			snapshot := usage.Snapshot{Source: usage.Source{Kind: usage.KindLanguageServer, FetchedAt: u.at}, Plan: usage.Plan{Product: usage.Windsurf, Account: usage.NewAccount("proof")}, Meters: []usage.Meter{m}}
			p := pace.Judge(snapshot, store.Record(t.Context(), snapshot), pace.Options{Location: home}).Meters[0].Pace
			if !p.Projected.Known() {
				continue
			}
			l := look{three: 100 * used * float64(s.length) / float64(u.at.Sub(w.Start)), used: 100 * all, lasts: all < 1}
			l.projected, _ = p.Projected.Float()
			l.low, _ = p.Low.Float()
			l.high, _ = p.High.Float()
			l.chance, _ = p.Chance.Float()
			looks = append(looks, l)
		}
	}
	return looks
}

// errorsOf are the mean errors of the projection and of use by time, in points of the
// total: what is used beyond it is the same to a person.
func errorsOf(looks []look) (ours, three float64) {
	for _, l := range looks {
		ours += math.Abs(min(100, l.projected) - min(100, l.used))
		three += math.Abs(min(100, l.three) - min(100, l.used))
	}
	return ours / float64(len(looks)), three / float64(len(looks))
}

// promise is how often something was said to last, and how often it did, in percent.
type promise struct{ said, came, n float64 }

func (p promise) String() string { return fmt.Sprintf("%.0f → %.0f (%.0f)", p.said, p.came, p.n) }

// calibrationOf is the share of the outcomes below and above the range, in percent, and
// what came of the chances, by thirds.
func calibrationOf(looks []look) (below, above float64, chances [3]promise) {
	for _, l := range looks {
		switch used := min(999, l.used); {
		case used < l.low-0.5: // figures are whole
			below++
		case used > l.high+0.5:
			above++
		}
		c := &chances[min(2, int(l.chance/33.4))]
		c.said, c.n = c.said+l.chance, c.n+1
		if l.lasts {
			c.came += 100
		}
	}
	for i := range chances {
		chances[i].said /= max(1, chances[i].n)
		chances[i].came /= max(1, chances[i].n)
	}
	return 100 * below / float64(len(looks)), 100 * above / float64(len(looks)), chances
}
