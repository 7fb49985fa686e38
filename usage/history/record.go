package history

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"windsock/usage"
)

// How often a meter is sampled: not within atMost of the last time, and after
// atLeast although nothing has changed.
const (
	atMost  = time.Minute
	atLeast = 6 * time.Hour
	// drift is how much the end of a window moves without being a change.
	drift = 10 * time.Minute
)

// waiting is a sample that is to be written. present says that it has just been
// taken.
type waiting struct {
	plan    usage.Plan
	sample  Sample
	present bool
}

// maxWaiting bounds what waits for a disk that is full: two meters that change
// all the time, for two days.
const maxWaiting = 1024

// wait puts the present samples behind those that wait already.
func (s *Store) wait(plan usage.Plan, present []Sample) {
	for i := range s.waiting {
		s.waiting[i].present = false
	}
	for _, next := range present {
		if last := s.lastWaiting(plan, next.Meter); last != nil && !due(last.sample, next) {
			last.present = last.sample.At.Equal(next.At) // the same, once more
			continue
		}
		s.waiting = append(s.waiting, waiting{plan, next, true})
	}
	if over := len(s.waiting) - maxWaiting; over > 0 {
		s.waiting = append(s.waiting[:0], s.waiting[over:]...)
	}
}

// lastWaiting is the last one of a meter that waits, nil when none does.
func (s *Store) lastWaiting(plan usage.Plan, meter usage.MeterID) *waiting {
	for i, w := range slices.Backward(s.waiting) {
		if w.plan == plan && w.sample.Meter == meter {
			return &s.waiting[i]
		}
	}
	return nil
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

// write writes those that wait and are due, in one transaction, or in none when
// there is nothing to write.
func (s *Store) write(ctx context.Context) error {
	if rows, err := s.dueRows(ctx, s.db); err != nil || len(rows) == 0 {
		if err == nil {
			s.waiting = nil
		}
		return err
	}
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // does nothing after a commit
	// Another process may have written the same in the meantime.
	rows, err := s.dueRows(ctx, tx)
	if err != nil {
		return err
	}
	var last int64
	if err := tx.QueryRowContext(ctx, "SELECT COALESCE(max(taken), 0) FROM sample").Scan(&last); err != nil {
		return err
	}
	for _, w := range rows {
		account, err := s.makePlan(ctx, tx, w.plan)
		if err != nil {
			return err
		}
		last = max(last+1, w.sample.At.UnixMilli())
		args := append([]any{last, last/1000 - w.sample.At.Unix(), account}, s.meters.stored(w.sample)...)
		_, err = tx.ExecContext(ctx, "INSERT INTO sample (taken, behind, account, meter, used, total, remaining, starts, ends) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", args...)
		if err != nil {
			return err
		}
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	s.waiting = nil
	return nil
}

// dueRows are those that wait and are due after what q has.
func (s *Store) dueRows(ctx context.Context, q querier) ([]waiting, error) {
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
		// Of what waited, that which another process went past is not told in
		// between: it would look like a fall and a rise.
		late := last != nil && !w.present && !w.sample.At.After(last.At)
		if !late && (last == nil || due(*last, w.sample)) {
			rows = append(rows, w)
			last = &w.sample
		}
		lasts[key] = last
	}
	return rows, nil
}

// last is the last sample of a meter, nil when there is none.
func (s *Store) last(ctx context.Context, q querier, plan usage.Plan, meter usage.MeterID) (*Sample, error) {
	id, err := s.findPlan(ctx, q, plan)
	if err != nil || id == 0 {
		return nil, err
	}
	samples, err := s.query(ctx, q, "SELECT "+columns+" FROM sample WHERE account = ? AND meter = ? ORDER BY taken DESC LIMIT 1", id, s.meters.ids[meter])
	if err != nil || len(samples) == 0 {
		return nil, err
	}
	return &samples[0], nil
}

// findPlan is a plan's number, 0 when it has none: that of its row in the table account.
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
