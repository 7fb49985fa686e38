package history

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"windsock/usage"
	"windsock/usage/pace"
)

// How often a meter is sampled: at most every atMost, and at least every atLeast even
// without a change.
const (
	atMost  = time.Minute
	atLeast = 6 * time.Hour
	// drift is the least move of a window's bound that counts as a change.
	drift = 10 * time.Minute
)

// waiting is a sample that is not in the file yet.
type waiting struct {
	plan   usage.Plan
	sample Sample
}

// maxWaiting limits the samples that wait for a full disk: two days of two meters that
// change all the time.
const maxWaiting = 1024

// Record stores the figures of a fresh snapshot, and returns what was seen of its
// meters: the samples of their current windows, the present one last, and the last
// windows before them. It matches [poll.Record].
//
// It takes half a second at most while another process has the file locked. Samples
// that could not be written wait for the next call, and are returned nevertheless. A
// snapshot without a time, or from a file or a cache, is not recorded and has no
// history. All snapshots of a product without an account count as one account.
// A kept answer, as of a status line, that is older than what is stored adds nothing.
func (s *Store) Record(ctx context.Context, snapshot usage.Snapshot) pace.History {
	present := samplesOf(snapshot)
	if present == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	// The figures are stored even if the caller's context is about to end.
	ctx = context.WithoutCancel(ctx)
	s.wait(snapshot.Plan, present)
	var kept map[usage.MeterID]seen
	err := s.with(ctx, true, func(ctx context.Context) error {
		now := present[0].At
		if snapshot.Source.Kind.IsKept() {
			now = time.Time{} // an earlier one was not written just now
		}
		failed := s.write(ctx, now)
		s.present[snapshot.Plan.Key(s.salt)] = present
		// The file can be read while it is locked or the disk is full.
		var err error
		if kept, err = s.seen(ctx, snapshot.Plan, present); err != nil {
			return err
		}
		return failed
	})
	if err == nil {
		_ = s.with(ctx, true, func(ctx context.Context) error { return s.tidy(ctx, present[0].At) }) // it is in the log
	}
	h := pace.History{}
	for _, p := range present {
		if paced(p) {
			later := append(s.waitingOf(snapshot.Plan, p.Meter), p)
			h[p.Meter] = pace.Seen{Samples: forPace(current(p, kept[p.Meter].samples, later)), Past: kept[p.Meter].past}
		}
	}
	return h
}

// wait appends the present samples to the waiting ones.
func (s *Store) wait(plan usage.Plan, present []Sample) {
	for _, next := range present {
		if earlier := s.waitingOf(plan, next.Meter); len(earlier) == 0 || due(earlier[len(earlier)-1], next) {
			s.waiting = append(s.waiting, waiting{plan, next})
		}
	}
	s.waiting = slices.Delete(s.waiting, 0, max(0, len(s.waiting)-maxWaiting))
}

// waitingOf are the waiting samples of a meter.
func (s *Store) waitingOf(plan usage.Plan, meter usage.MeterID) (samples []Sample) {
	for _, w := range s.waiting {
		if w.plan == plan && w.sample.Meter == meter {
			samples = append(samples, w.sample)
		}
	}
	return samples
}

// due reports whether a sample is worth a row.
func due(last, next Sample) bool {
	apart := next.At.Sub(last.At).Abs() // the clock may have been set back
	return apart >= atLeast || (apart >= atMost && changed(last, next))
}

func changed(a, b Sample) bool {
	return a.Used != b.Used || a.Total != b.Total || a.Remaining != b.Remaining ||
		moved(a.Window.Start, b.Window.Start) || moved(a.Window.End, b.Window.End)
}

func moved(a, b time.Time) bool { return a.Sub(b).Abs() >= drift }

// write writes the waiting samples that are due, in one transaction. now is the time of
// the present samples, zero if they may be older than what is stored.
func (s *Store) write(ctx context.Context, now time.Time) error {
	// Without a row to write, no lock is taken.
	if rows, err := s.dueRows(ctx, s.db, now); err != nil || len(rows) == 0 {
		if err == nil {
			s.waiting = nil
		}
		return err
	}
	err := transact(ctx, s.db, func(tx *sql.Tx) error {
		// Another process may have written the same in the meantime.
		rows, err := s.dueRows(ctx, tx, now)
		if err != nil {
			return err
		}
		for _, w := range rows {
			if err := s.insert(ctx, tx, w.plan, w.sample); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		s.waiting = nil
	}
	return err
}

// insert appends a row, last in the order. The first row of a window ends the one
// before.
func (s *Store) insert(ctx context.Context, tx *sql.Tx, plan usage.Plan, sample Sample) error {
	account, err := s.makePlan(ctx, tx, plan)
	if err != nil {
		return err
	}
	before, err := s.last(ctx, tx, plan, sample.Meter)
	if err != nil {
		return err
	}
	if before != nil && paced(*before) && begins(*before, sample) {
		if err := s.endWindow(ctx, tx, series{account, s.meters.ids[sample.Meter]}, *before); err != nil {
			return err
		}
	}
	var last int64
	if err := tx.QueryRowContext(ctx, "SELECT COALESCE(max(taken), 0) FROM sample").Scan(&last); err != nil {
		return err
	}
	taken := max(last+1, sample.At.UnixMilli())
	args := append([]any{taken, taken/1000 - sample.At.Unix(), account}, s.meters.stored(sample)...)
	_, err = tx.ExecContext(ctx, "INSERT INTO sample (taken, behind, account, meter, used, total, remaining, starts, ends) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", args...)
	return err
}

// dueRows are the waiting samples that are due after those in q.
func (s *Store) dueRows(ctx context.Context, q querier, now time.Time) ([]waiting, error) {
	type series struct {
		plan  usage.Plan
		meter usage.MeterID
	}
	lasts := map[series]*Sample{}
	var rows []waiting
	for _, w := range s.waiting {
		key := series{w.plan, w.sample.Meter}
		last, asked := lasts[key]
		if !asked {
			var err error
			if last, err = s.last(ctx, q, w.plan, w.sample.Meter); err != nil {
				return nil, err
			}
		}
		// A sample is dropped when another process has written a later one meanwhile:
		// after that one it would look like a fall, and the next one like a rise.
		late := last != nil && !w.sample.At.After(last.At) && !w.sample.At.Equal(now)
		if !late && (last == nil || due(*last, w.sample)) {
			rows = append(rows, w)
			last = &w.sample
		}
		lasts[key] = last
	}
	return rows, nil
}

// last is the last sample of a meter, nil without one.
func (s *Store) last(ctx context.Context, q querier, plan usage.Plan, meter usage.MeterID) (*Sample, error) {
	id, err := s.findPlan(ctx, q, plan)
	if err != nil || id == 0 {
		return nil, err
	}
	samples, _, err := s.query(ctx, q, "account = ? AND meter = ? ORDER BY taken DESC LIMIT 1", id, s.meters.ids[meter])
	if err != nil || len(samples) == 0 {
		return nil, err
	}
	return &samples[0], nil
}

// findPlan is the number of a plan's row in the table account; 0 without one.
func (s *Store) findPlan(ctx context.Context, q querier, plan usage.Plan) (int64, error) {
	var id int64
	err := q.QueryRowContext(ctx, "SELECT id FROM account WHERE hash = ?", plan.Key(s.salt)).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return id, err
}

func (s *Store) makePlan(ctx context.Context, tx *sql.Tx, plan usage.Plan) (int64, error) {
	if id, err := s.findPlan(ctx, tx, plan); err != nil || id != 0 {
		return id, err
	}
	result, err := tx.ExecContext(ctx, "INSERT INTO account (hash) VALUES (?)", plan.Key(s.salt))
	if err != nil {
		return 0, err
	}
	return result.LastInsertId()
}
