package history

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"windsock/usage"
)

// Samples are those since a moment of the account whose figures came last, all
// meters together, in the order in which they were taken. There are none when
// there is no file yet.
func (s *Store) Samples(ctx context.Context, since time.Time) ([]Sample, error) {
	return s.samples(ctx, since, "")
}

// SamplesOf are those of one meter alone, which is what a chart is of: most of
// the time that Samples takes goes by the rows.
func (s *Store) SamplesOf(ctx context.Context, meter usage.MeterID, since time.Time) ([]Sample, error) {
	return s.samples(ctx, since, " AND meter = (SELECT id FROM meter WHERE name = ?)", string(meter))
}

// samples are those since a moment for which a condition holds as well.
func (s *Store) samples(ctx context.Context, since time.Time, condition string, args ...any) ([]Sample, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var samples []Sample
	err := s.with(ctx, false, func(ctx context.Context) error {
		samples = nil
		account, err := s.latestAccount(ctx)
		if err != nil || account == 0 {
			return err
		}
		query := "SELECT " + columns + " FROM sample WHERE account = ? AND taken >= ?" + condition + " ORDER BY taken"
		return s.each(ctx, s.db, func(sample Sample, _ int64) {
			if sample.At.Before(since) {
				return
			}
			if len(samples) == cap(samples) { // append would copy a long list five times
				samples = slices.Grow(samples, len(samples)+1)
			}
			samples = append(samples, sample)
		}, query, append([]any{account, since.UnixMilli()}, args...)...)
	})
	return samples, err
}

// latestAccount is the number of the account whose figures came last, 0 when
// there are none.
func (s *Store) latestAccount(ctx context.Context) (int64, error) {
	var account int64
	err := s.db.QueryRowContext(ctx, "SELECT account FROM sample ORDER BY taken DESC LIMIT 1").Scan(&account)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return account, err
}

// each calls use with the samples that a query yields, and their places in the
// order. It uses the one connection there is until it returns.
func (s *Store) each(ctx context.Context, q querier, use func(s Sample, taken int64), query string, args ...any) error {
	var r row
	fields := r.fields()
	return scanEach(ctx, q, func(rows *sql.Rows) error {
		if err := rows.Scan(fields...); err != nil {
			return err
		}
		if sample, taken, ok := s.meters.sample(&r); ok {
			use(sample, taken)
		}
		return nil
	}, query, args...)
}

// query is each, at once.
func (s *Store) query(ctx context.Context, q querier, query string, args ...any) ([]Sample, error) {
	var samples []Sample
	err := s.each(ctx, q, func(sample Sample, _ int64) { samples = append(samples, sample) }, query, args...)
	return samples, err
}

// leads are, for every meter that has samples from a place in the order on, the
// last one before: what the first ones have risen from.
func (s *Store) leads(ctx context.Context, q querier, account, from int64) ([]Sample, error) {
	meters, err := collect(ctx, q, number, "SELECT DISTINCT meter FROM sample WHERE account = ? AND taken >= ?", account, from)
	if err != nil {
		return nil, err
	}
	var leads []Sample
	for _, meter := range meters {
		before, err := s.query(ctx, q, "SELECT "+columns+" FROM sample WHERE account = ? AND meter = ? AND taken < ? ORDER BY taken DESC LIMIT 1", account, meter, from)
		if err != nil {
			return nil, err
		}
		leads = append(leads, before...)
	}
	return leads, nil
}

// querier is a database or a transaction on it.
type querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// scanEach calls scan for each row.
func scanEach(ctx context.Context, q querier, scan func(*sql.Rows) error, query string, args ...any) error {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }() // Err has what there is to tell
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// collect is what scan makes of each row.
func collect[T any](ctx context.Context, q querier, scan func(*sql.Rows) (T, error), query string, args ...any) ([]T, error) {
	var all []T
	err := scanEach(ctx, q, func(rows *sql.Rows) error {
		one, err := scan(rows)
		all = append(all, one)
		return err
	}, query, args...)
	return all, err
}

func number(rows *sql.Rows) (n int64, err error) {
	err = rows.Scan(&n)
	return n, err
}
