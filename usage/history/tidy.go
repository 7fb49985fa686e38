package history

import (
	"context"
	"database/sql"
	"math"
	"time"
)

// The ages in days at which samples are thinned and days are closed. Samples are thinned
// only if there are later ones of as many days: a clock that is ahead makes nothing old.
const (
	tidyEvery   = 24 * time.Hour
	hourlyAfter = 90
	dailyAfter  = 2 * 365
	closedAfter = 7
	// maxTidied is the number of days tidied at a time.
	maxTidied = 31
)

// tidy closes days and thins samples, once a day.
func (s *Store) tidy(ctx context.Context, now time.Time) error {
	if since := now.Sub(s.tidied); since >= 0 && since < tidyEvery {
		return nil
	}
	var tidied int64
	err := transact(ctx, s.db, func(tx *sql.Tx) error {
		var marks struct{ closed, hourly, daily string }
		row := tx.QueryRowContext(ctx, "SELECT tidied, closed, hourly, daily FROM installation")
		if err := row.Scan(&tidied, &marks.closed, &marks.hourly, &marks.daily); err != nil {
			return err
		}
		if since := now.Sub(time.Unix(tidied, 0)); since >= 0 && since < tidyEvery {
			return nil // another process has tidied
		}
		tidied = now.Unix()
		if err := s.closeUntil(ctx, tx, &marks.closed, s.date(now, -closedAfter)); err != nil {
			return err
		}
		for _, job := range []struct {
			mark  *string
			after int
			part  func(time.Time) int64
		}{{&marks.hourly, hourlyAfter, hourOf}, {&marks.daily, dailyAfter, dayOf}} {
			recent, err := s.recent(ctx, tx, job.after)
			if err != nil {
				return err
			}
			if err := s.thinUntil(ctx, tx, job.mark, min(s.date(now, -job.after), recent), s.thinTo(job.part)); err != nil {
				return err
			}
		}
		// Future days were closed while the clock was ahead.
		if today := s.date(now, 0); marks.closed > today {
			marks.closed = today
			if _, err := tx.ExecContext(ctx, "DELETE FROM day WHERE date >= ?", today); err != nil {
				return err
			}
		}
		_, err := tx.ExecContext(ctx, "UPDATE installation SET tidied = ?, closed = ?, hourly = ?, daily = ?",
			tidied, marks.closed, marks.hourly, marks.daily)
		return err
	})
	if err == nil {
		s.tidied = time.Unix(tidied, 0)
	}
	return err
}

// closeUntil closes the days from a mark to before end, at most maxTidied, and moves the
// mark. It starts at the first sample, as a clock may start in 1970. Samples of a clock
// that was set back are dated by the clock: in the order they are later.
func (s *Store) closeUntil(ctx context.Context, tx *sql.Tx, mark *string, end string) error {
	var first sql.Null[int64]
	row := tx.QueryRowContext(ctx, "SELECT min(taken - behind * 1000) FROM sample WHERE taken >= ?1 AND taken - behind * 1000 >= ?1", s.midnight(*mark).UnixMilli())
	if err := row.Scan(&first); err != nil || !first.Valid {
		return err
	}
	from, to := s.span(*mark, time.UnixMilli(first.V), end)
	if to <= from {
		return nil
	}
	all, err := seriesBetween(ctx, tx, s.openSince(from), math.MaxInt64)
	if err != nil {
		return err
	}
	for _, one := range all {
		if err := s.closeDays(ctx, tx, one, from, to); err != nil {
			return err
		}
	}
	*mark = to
	return nil
}

// thinUntil thins the samples with a place on the days from a mark to before end, at most
// maxTidied, and moves the mark. It starts at the first sample, too.
func (s *Store) thinUntil(ctx context.Context, tx *sql.Tx, mark *string, end string, do func(context.Context, *sql.Tx, series, string, string) error) error {
	var taken sql.Null[int64]
	row := tx.QueryRowContext(ctx, "SELECT min(taken) FROM sample WHERE taken >= ?", s.midnight(*mark).UnixMilli())
	if err := row.Scan(&taken); err != nil || !taken.Valid {
		return err
	}
	from, to := s.span(*mark, time.UnixMilli(taken.V), end)
	if to <= from {
		return nil
	}
	all, err := seriesBetween(ctx, tx, s.midnight(from).UnixMilli(), s.midnight(to).UnixMilli())
	if err != nil {
		return err
	}
	for _, one := range all {
		if err := do(ctx, tx, one, from, to); err != nil {
			return err
		}
	}
	*mark = to
	return nil
}

// span are the days to tidy: from a mark, or from the first sample after it, to before end.
func (s *Store) span(mark string, first time.Time, end string) (from, to string) {
	from = max(mark, s.date(first, 0))
	return from, min(end, s.date(s.midnight(from), maxTidied))
}

// recent is the date at which the last so many days with samples begin, by their places;
// "" if there are not so many. It makes one look-up a day.
func (s *Store) recent(ctx context.Context, tx *sql.Tx, days int) (string, error) {
	const recorded = `WITH RECURSIVE recorded(day, n) AS (
			SELECT max(taken) / 86400000, 1 FROM sample
			UNION ALL
			SELECT (SELECT max(taken) / 86400000 FROM sample WHERE taken < day * 86400000), n + 1 FROM recorded WHERE n < ?1 AND day IS NOT NULL)
		SELECT max(day) FROM recorded WHERE n = ?1`
	var day sql.Null[int64]
	if err := tx.QueryRowContext(ctx, recorded, days).Scan(&day); err != nil || !day.Valid {
		return "", err
	}
	return s.date(time.Unix(day.V*86400, 0), 0), nil
}

// date is the local date of a moment, plus away days.
func (s *Store) date(t time.Time, away int) string {
	return t.In(s.location).AddDate(0, 0, away).Format(dateFormat)
}

// midnight is the first moment of a date.
func (s *Store) midnight(date string) time.Time {
	t, err := time.ParseInLocation(dateFormat, date, s.location)
	if err != nil {
		return time.Unix(0, 0)
	}
	return t
}

// closeDays stores the use of the days from a date to before another.
func (s *Store) closeDays(ctx context.Context, tx *sql.Tx, one series, from, to string) error {
	days, err := s.openDays(ctx, tx, one, from, to)
	if err != nil {
		return err
	}
	for _, d := range days {
		used, _ := d.Used.Micros()
		if _, err := tx.ExecContext(ctx, "INSERT OR REPLACE INTO day (account, date, meter, used) VALUES (?, ?, ?, ?)",
			one.account, d.Date, one.meter, used); err != nil {
			return err
		}
	}
	return nil
}

// thinTo keeps one sample per part of time on the days from a date to before another.
func (s *Store) thinTo(part func(time.Time) int64) func(ctx context.Context, tx *sql.Tx, one series, from, to string) error {
	return func(ctx context.Context, tx *sql.Tx, one series, from, to string) error {
		first := s.midnight(from).UnixMilli()
		samples, taken, err := s.between(ctx, tx, one, first, s.midnight(to).UnixMilli())
		if err != nil {
			return err
		}
		for i, stays := range keep(samples, func(sample Sample) int64 { return part(sample.At.In(s.location)) }) {
			if stays || taken[i] < first { // the sample before the days is for comparison only
				continue
			}
			if _, err := tx.ExecContext(ctx, "DELETE FROM sample WHERE taken = ?", taken[i]); err != nil {
				return err
			}
		}
		return nil
	}
}

// hourOf and dayOf number the parts of time that keep one sample. Hours follow the
// local clock, so that none contains a midnight.
func hourOf(t time.Time) int64 {
	_, offset := t.Zone()
	return (t.Unix() + int64(offset)) / 3600
}

func dayOf(t time.Time) int64 {
	_, offset := t.Zone()
	return (t.Unix() + int64(offset)) / 86400
}

// keep marks the samples of one meter to keep: the first, the last of each part of
// time, and both sides of every edge. The use in a part is the same without the others.
func keep(samples []Sample, part func(Sample) int64) []bool {
	stays := make([]bool, len(samples))
	for i, s := range samples {
		if i == 0 || i == len(samples)-1 || part(s) != part(samples[i+1]) {
			stays[i] = true
		}
		if i > 0 && edge(samples[i-1], s) {
			stays[i-1], stays[i] = true, true
		}
	}
	return stays
}

// thin returns the samples that keep marks.
func thin(samples []Sample, part func(Sample) int64) (kept []Sample) {
	for i, stays := range keep(samples, part) {
		if stays {
			kept = append(kept, samples[i])
		}
	}
	return kept
}
