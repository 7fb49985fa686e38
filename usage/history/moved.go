package history

import (
	"context"
	"math"
	"slices"
	"time"

	"windsock/probe/sorted"
	"windsock/usage"
)

// longAgo is how many days before a time the last sample of a meter may lie.
const longAgo = 31

// Move is how much of a meter was used in a time.
type Move struct {
	Meter usage.MeterID
	// Used is at least 0; unknown where the samples do not cover the time.
	Used usage.Amount
	// From is the time of the meter's first sample.
	From time.Time
}

// Moved is the use of a plan's meters after a moment, up to another one, in the order of
// a snapshot. It adds up what [Store.Days] does, to the second: a rise counts at the
// time of the sample that shows it. The first of these is compared with the last sample
// at or before since; without one the use is unknown, however soon the history begins
// after it. Nor is it known when no later sample was taken and the last one is so old
// that the meter cannot have stood still. A meter that the plan did not have in that time
// is missing, and so is one without a sample since a month before it.
//
// The last figures that this Store has recorded count as a sample, though the file has at
// most one a minute. After 90 days, when one sample an hour is kept, a rise may count up
// to an hour late, after two years up to a day. A plan with an unknown account is that of
// [Store.Samples]. Without a file there are no meters.
func (s *Store) Moved(ctx context.Context, plan usage.Plan, since, until time.Time) (moves []Move, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	err = s.with(ctx, false, func(ctx context.Context) error {
		moves = nil
		names, err := s.planNames(ctx, []usage.Plan{plan})
		if err != nil {
			return err
		}
		for account := range names {
			moves, err = s.moves(ctx, account, since, until)
		}
		return err
	})
	sorted.By(moves, func(a, b Move) int { return byMeter(a.Meter, b.Meter) })
	return moves, err
}

func (s *Store) moves(ctx context.Context, account int64, since, until time.Time) (moves []Move, err error) {
	all, err := seriesBetween(ctx, s.db, since.AddDate(0, 0, -longAgo).UnixMilli(), math.MaxInt64)
	if err != nil {
		return nil, err
	}
	var key string
	if err := s.db.QueryRowContext(ctx, "SELECT hash FROM account WHERE id = ?", account).Scan(&key); err != nil {
		return nil, err
	}
	lasts := map[usage.MeterID]time.Time{}
	var latest time.Time
	for _, one := range all {
		if one.account != account {
			continue
		}
		samples, err := s.window(ctx, one, since)
		if err != nil {
			return nil, err
		}
		samples = withPresent(samples, s.present[key])
		used, last, covered := usedIn(samples, since, until)
		if last.IsZero() {
			continue
		}
		first, _, err := s.query(ctx, s.db, "account = ? AND meter = ? ORDER BY taken LIMIT 1", one.account, one.meter)
		if err != nil {
			return nil, err
		}
		move := Move{Meter: samples[0].Meter, From: first[0].At}
		if covered {
			move.Used = usage.Micros(used)
		}
		lasts[move.Meter] = last
		if last.After(latest) {
			latest = last
		}
		moves = append(moves, move)
	}
	return slices.DeleteFunc(moves, func(m Move) bool {
		last := lasts[m.Meter]
		return last.Before(since) && latest.Sub(last) > atLeast+atMost
	}), nil
}

// window are the samples of a series since a moment, after those of the window of that
// moment: a small fall in it is ignored until the figure is higher again.
func (s *Store) window(ctx context.Context, one series, since time.Time) ([]Sample, error) {
	base, _, err := s.query(ctx, s.db, "account = ? AND meter = ? AND taken <= ? ORDER BY taken DESC LIMIT 1", one.account, one.meter, since.UnixMilli())
	if err != nil {
		return nil, err
	}
	from := since.AddDate(0, 0, -1)
	if len(base) > 0 && !base[0].Window.Start.IsZero() && base[0].Window.Start.Before(from) {
		from = base[0].Window.Start
	}
	samples, _, err := s.between(ctx, s.db, one, from.UnixMilli(), math.MaxInt64)
	return samples, err
}

// withPresent are the samples of a meter, and the present one if it is later.
func withPresent(samples, present []Sample) []Sample {
	for _, p := range present {
		if last := len(samples) - 1; last >= 0 && p.Meter == samples[last].Meter && p.At.After(samples[last].At) {
			return append(samples, p)
		}
	}
	return samples
}

// usedIn is what the samples of a meter show of its use in a time. last is the time of
// the last sample that is not after it. covered says that the use is known.
func usedIn(samples []Sample, since, until time.Time) (used int64, last time.Time, covered bool) {
	based := false
	for i, use := range usesOf(samples) {
		switch at := samples[i].At; {
		case at.After(until):
		case at.After(since):
			used, last = used+use, at
		default:
			based, last = true, at
		}
	}
	// An unchanged meter has a sample every six hours.
	return used, last, based && (last.After(since) || until.Sub(last) <= atLeast+atMost)
}
