package history

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"windsock/usage"
)

// Samples returns all meters' samples since a moment, in the order in which they were
// taken, for the account with the latest figures. Without a file there are none.
func (s *Store) Samples(ctx context.Context, since time.Time) ([]Sample, error) {
	return s.samples(ctx, since, "true")
}

// SamplesOf returns the samples of one meter only, which a chart needs: the time that
// Samples takes is mostly per row.
func (s *Store) SamplesOf(ctx context.Context, meter usage.MeterID, since time.Time) ([]Sample, error) {
	return s.samples(ctx, since, "meter = (SELECT id FROM meter WHERE name = ?)", string(meter))
}

// samples returns the samples since a moment that also meet a condition.
func (s *Store) samples(ctx context.Context, since time.Time, condition string, args ...any) (samples []Sample, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	err = s.with(ctx, false, func(ctx context.Context) error {
		account, err := s.latestAccount(ctx)
		if err != nil || account == 0 {
			return err
		}
		samples, _, err = s.query(ctx, s.db, condition+" AND account = ? AND taken >= ? ORDER BY taken", append(args, account, since.UnixMilli())...)
		samples = slices.DeleteFunc(samples, func(sample Sample) bool { return sample.At.Before(since) })
		return err
	})
	return samples, err
}

// latestAccount is the number of the account with the latest figures, 0 without
// figures.
func (s *Store) latestAccount(ctx context.Context) (int64, error) {
	var account int64
	err := s.db.QueryRowContext(ctx, "SELECT account FROM sample ORDER BY taken DESC LIMIT 1").Scan(&account)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return account, err
}

// query returns the samples that meet a condition, and their places in the order of
// samples.
func (s *Store) query(ctx context.Context, q querier, condition string, args ...any) (samples []Sample, taken []int64, err error) {
	var r row
	fields := r.fields()
	err = scanEach(ctx, q, func(rows *sql.Rows) error {
		if err := rows.Scan(fields...); err != nil {
			return err
		}
		if sample, at, ok := s.meters.sample(&r); ok {
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
