package history

import (
	"context"
	"database/sql"
	"slices"
	"sort"
	"time"

	"windsock/usage"
)

// Samples returns all meters' samples since a moment, in the order in which they were
// taken. They are those of the named plans, or of all plans if none is named. Without a
// file there are none.
//
// A plan with an unknown account stands for its product's plan with the latest samples.
func (s *Store) Samples(ctx context.Context, since time.Time, plans ...usage.Plan) ([]Sample, error) {
	return s.samples(ctx, plans, since, "true")
}

// SamplesOf returns the samples of one meter of a plan only, which a chart needs: the
// time that Samples takes is mostly per row.
func (s *Store) SamplesOf(ctx context.Context, plan usage.Plan, meter usage.MeterID, since time.Time) ([]Sample, error) {
	return s.samples(ctx, []usage.Plan{plan}, since, "meter = (SELECT id FROM meter WHERE name = ?)", string(meter))
}

// samples returns the samples since a moment that also meet a condition.
func (s *Store) samples(ctx context.Context, plans []usage.Plan, since time.Time, condition string, args ...any) (samples []Sample, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	err = s.with(ctx, false, func(ctx context.Context) error {
		samples = nil
		names, err := s.planNames(ctx, plans)
		if err != nil {
			return err
		}
		var taken []int64
		for id, name := range names {
			some, places, err := s.query(ctx, s.db, condition+" AND account = ? AND taken >= ? ORDER BY taken", append(slices.Clone(args), id, since.UnixMilli())...)
			if err != nil {
				return err
			}
			for i := range some {
				some[i].Plan = name
			}
			samples, taken = append(some, samples...), append(places, taken...)
		}
		if len(names) > 1 {
			sort.Sort(&byPlace{samples, taken})
		}
		samples = slices.DeleteFunc(samples, func(sample Sample) bool { return sample.At.Before(since) })
		return nil
	})
	return samples, err
}

// byPlace sorts samples by their places in the order of samples.
type byPlace struct {
	samples []Sample
	places  []int64
}

func (b *byPlace) Len() int           { return len(b.places) }
func (b *byPlace) Less(i, j int) bool { return b.places[i] < b.places[j] }
func (b *byPlace) Swap(i, j int) {
	b.samples[i], b.samples[j] = b.samples[j], b.samples[i]
	b.places[i], b.places[j] = b.places[j], b.places[i]
}

// query returns the samples that meet a condition, and their places in the order of
// samples.
func (s *Store) query(ctx context.Context, q querier, condition string, args ...any) (samples []Sample, taken []int64, err error) {
	return s.meters.query(ctx, q, condition, args...)
}

func (m meterTable) query(ctx context.Context, q querier, condition string, args ...any) (samples []Sample, taken []int64, err error) {
	var r row
	fields := r.fields()
	err = scanEach(ctx, q, func(rows *sql.Rows) error {
		if err := rows.Scan(fields...); err != nil {
			return err
		}
		if sample, at, ok := m.sample(&r); ok {
			if len(samples) == cap(samples) { // append would copy a long list five times
				samples, taken = slices.Grow(samples, 16+len(samples)), slices.Grow(taken, 16+len(samples))
			}
			samples, taken = append(samples, sample), append(taken, at)
		}
		return nil
	}, "SELECT "+columns+" FROM sample WHERE "+condition, args...)
	return samples, taken, err
}

// series are the samples of one meter of one account.
type series struct{ account, meter int64 }

// seriesBetween returns the series with samples from one place in the order to before
// another.
func seriesBetween(ctx context.Context, q querier, from, to int64) ([]series, error) {
	return collect(ctx, q, func(rows *sql.Rows) (one series, err error) {
		err = rows.Scan(&one.account, &one.meter)
		return one, err
	}, "SELECT DISTINCT account, meter FROM sample WHERE taken >= ? AND taken < ?", from, to)
}

// between returns the samples of a series from one place in the order to before
// another, preceded by the sample before them, which is the base of their use.
func (s *Store) between(ctx context.Context, q querier, one series, from, to int64) ([]Sample, []int64, error) {
	return s.query(ctx, q, `account = ?1 AND meter = ?2 AND taken < ?4 AND taken >=
		COALESCE((SELECT max(taken) FROM sample WHERE account = ?1 AND meter = ?2 AND taken < ?3), ?3) ORDER BY taken`,
		one.account, one.meter, from, to)
}

// querier is a database or a transaction on it.
type querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// transact commits everything that do does, or nothing.
func transact(ctx context.Context, db *sql.DB, do func(*sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // does nothing after a commit
	if err := do(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// scanEach calls scan for each row.
func scanEach(ctx context.Context, q querier, scan func(*sql.Rows) error, query string, args ...any) error {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }() // Err has the error
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// collect returns the results of scan for all rows.
func collect[T any](ctx context.Context, q querier, scan func(*sql.Rows) (T, error), query string, args ...any) ([]T, error) {
	var all []T
	err := scanEach(ctx, q, func(rows *sql.Rows) error {
		one, err := scan(rows)
		all = append(all, one)
		return err
	}, query, args...)
	return all, err
}
