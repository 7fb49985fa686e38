package history

import (
	"cmp"
	"context"
	"slices"
	"time"

	"windsock/usage"
	"windsock/usage/pace"
)

// recent holds the samples of the current windows of the account that was
// recorded last, so that a call reads the rows that are new, and no others.
type recent struct {
	plan usage.Plan
	// id is the account's number, 0 before it has one.
	id int64
	// until is the place of the last row that was read.
	until  int64
	tracks map[usage.MeterID][]Sample
}

// maxTrack is how many samples of a window are held, and maxDense how many of
// them are of its last third.
const (
	maxTrack = 768
	maxDense = 512
)

// follow reads what the file has of the current windows and was not read yet.
func (s *Store) follow(ctx context.Context, plan usage.Plan, present []Sample) error {
	r := &s.recent
	if r.id == 0 || r.plan != plan || !r.covers(present) {
		id, err := s.findPlan(ctx, s.db, plan)
		if err != nil {
			return err
		}
		*r = recent{plan: plan, id: id, until: earliest(present) - 1, tracks: map[usage.MeterID][]Sample{}}
	}
	if r.id == 0 {
		return nil
	}
	for _, p := range present {
		if _, ok := r.tracks[p.Meter]; !ok {
			r.tracks[p.Meter] = nil
		}
	}
	return s.each(ctx, s.db, func(sample Sample, taken int64) {
		r.until = taken
		r.add(sample)
	}, "SELECT "+columns+" FROM sample WHERE account = ? AND taken > ? ORDER BY taken", r.id, r.until)
}

// covers reports whether every meter is followed already.
func (r *recent) covers(present []Sample) bool {
	for _, p := range present {
		if _, ok := r.tracks[p.Meter]; !ok && paced(p) {
			return false
		}
	}
	return true
}

// paced reports whether a meter can have a pace.
func paced(s Sample) bool { return s.length() > 0 && s.Used.Known() }

// earliest is the place in the order from which on there may be samples of the
// current windows.
func earliest(present []Sample) int64 {
	first := present[0].At
	for _, p := range present {
		if paced(p) && p.Window.Start.Before(first) {
			first = p.Window.Start
		}
	}
	return first.UnixMilli()
}

func (r *recent) add(s Sample) {
	track := r.tracks[s.Meter]
	if !paced(s) {
		return
	}
	if n := len(track); n > 0 && !sameWindow(track[n-1], s) {
		track = track[:0]
	}
	track = append(track, s)
	if len(track) > 2*maxTrack {
		track = thinTrack(track, s)
		track = track[max(0, len(track)-maxTrack*3/2):] // a figure that goes up and down all the time
	}
	r.tracks[s.Meter] = track
}

// handOut is the history for a snapshot: what was read, then what waits to be
// written, then the present figures themselves.
func (s *Store) handOut(plan usage.Plan, present []Sample) pace.History {
	h := pace.History{}
	for _, p := range present {
		if !paced(p) {
			continue
		}
		later := []Sample{p}
		for _, w := range slices.Backward(s.waiting) {
			if w.plan == plan && w.sample.Meter == p.Meter {
				later = append(later, w.sample)
			}
		}
		slices.Reverse(later)
		var earlier []Sample
		if s.recent.plan == plan {
			earlier = s.recent.tracks[p.Meter]
		}
		h[p.Meter] = told(thinTrack(current(p, earlier, later), p))
	}
	return h
}

// current are the samples of the window of p, in an order that is both that of
// the samples and that of the clock. Where the clock was set back, those before
// that are later by the clock are left out.
func current(p Sample, earlier, later []Sample) []Sample {
	kept := make([]Sample, 0, len(earlier)+len(later))
	for _, track := range [][]Sample{later, earlier} {
		for _, s := range slices.Backward(track) {
			late := len(kept) > 0 && !s.At.Before(kept[len(kept)-1].At)
			if sameWindow(s, p) && !s.At.Before(p.Window.Start) && !late {
				kept = append(kept, s)
			}
		}
	}
	slices.Reverse(kept)
	return kept
}

// thinTrack leaves at most about maxTrack samples, most of them of the last third
// of the window before p, in which all stretches lie that recent rates are taken
// from.
func thinTrack(track []Sample, p Sample) []Sample {
	if len(track) <= maxTrack {
		return track
	}
	dense := p.At.Add(-p.length() / 3)
	split, _ := slices.BinarySearchFunc(track, dense, func(s Sample, t time.Time) int { return cmp.Compare(s.At.Unix(), t.Unix()) })
	return slices.Concat(sparse(track[:split], maxTrack-maxDense, p.length()), sparse(track[split:], maxDense, p.length()/3))
}

// sparse leaves the last sample of each nth part of a span, where there are more
// than n.
func sparse(samples []Sample, n int, span time.Duration) []Sample {
	if len(samples) <= n {
		return samples
	}
	part := max(1, int64(span/time.Second)/int64(n)+1)
	return thin(samples, func(s Sample) int64 { return s.At.Unix() / part })
}

func told(samples []Sample) []pace.Sample {
	all := make([]pace.Sample, len(samples))
	for i, s := range samples {
		all[i] = pace.Sample{At: s.At, Used: s.Used, End: s.Window.End}
	}
	return all
}
