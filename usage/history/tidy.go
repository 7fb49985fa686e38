package history

import (
	"context"
	"database/sql"
	"slices"
	"time"

	"windsock/usage"
)

// When samples are thinned, and days are closed.
const (
	tidyEvery   = 24 * time.Hour
	hourlyAfter = 90
	dailyAfter  = 2 * 365
	closedAfter = 7
	// maxTidied is how many days are tidied at a time. A clock that is years
	// ahead for an hour does a month's damage at most.
	maxTidied = 31
)

// tidy closes days and thins samples, once a day.
func (s *Store) tidy(ctx context.Context, now time.Time) error {
	if since := now.Sub(s.tidied); since >= 0 && since < tidyEvery {
		return nil
	}
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // does nothing after a commit
	var tidied int64
	var marks struct{ closed, hourly, daily string }
	row := tx.QueryRowContext(ctx, "SELECT tidied, closed, hourly, daily FROM installation")
	if err := row.Scan(&tidied, &marks.closed, &marks.hourly, &marks.daily); err != nil {
		return err
	}
	if since := now.Sub(time.Unix(tidied, 0)); since >= 0 && since < tidyEvery {
		s.tidied = time.Unix(tidied, 0) // another process was quicker
		return nil
	}
	for _, job := range []struct {
		mark  *string
		after int
		do    func(ctx context.Context, tx *sql.Tx, from, to string) error
	}{
		{&marks.closed, closedAfter, s.closeDays},
		{&marks.hourly, hourlyAfter, s.thinTo(hourOf)},
		{&marks.daily, dailyAfter, s.thinTo(dayOf)},
	} {
		from, err := s.firstSince(ctx, tx, *job.mark)
		if err != nil {
			return err
		}
		to := min(s.date(now, -job.after), s.later(from, maxTidied))
		if from == "" || to <= from {
			continue
		}
		if err := job.do(ctx, tx, from, to); err != nil {
			return err
		}
		*job.mark = to
	}
	if err := s.reopen(ctx, tx, &marks.closed, s.date(now, 0)); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "UPDATE installation SET tidied = ?, closed = ?, hourly = ?, daily = ?",
		now.Unix(), marks.closed, marks.hourly, marks.daily); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	s.tidied = now
	return nil
}

// date is the local date of a moment, some days away.
func (s *Store) date(t time.Time, away int) string {
	return t.In(s.location).AddDate(0, 0, away).Format(dateFormat)
}

// later is a date some days after another one.
func (s *Store) later(date string, days int) string {
	return s.date(s.midnight(date), days)
}

// midnight is the first moment of a date.
func (s *Store) midnight(date string) time.Time {
	t, err := time.ParseInLocation(dateFormat, date, s.location)
	if err != nil {
		return time.Unix(0, 0)
	}
	return t
}

// firstSince is the date of the first sample since another date, "" when there is
// none. What lies before it has nothing to tidy: a clock may have begun in 1970.
func (s *Store) firstSince(ctx context.Context, tx *sql.Tx, date string) (string, error) {
	var taken sql.Null[int64]
	row := tx.QueryRowContext(ctx, "SELECT min(taken) FROM sample WHERE taken >= ?", s.midnight(date).UnixMilli())
	if err := row.Scan(&taken); err != nil || !taken.Valid {
		return "", err
	}
	return max(date, s.date(time.UnixMilli(taken.V), 0)), nil
}

// reopen takes back that days were closed which have not even begun: the clock
// was ahead.
func (s *Store) reopen(ctx context.Context, tx *sql.Tx, closed *string, today string) error {
	if *closed <= today {
		return nil
	}
	*closed = today
	_, err := tx.ExecContext(ctx, "DELETE FROM day WHERE date >= ?", today)
	return err
}

// closeDays writes down what was used on the days from a date to before another.
func (s *Store) closeDays(ctx context.Context, tx *sql.Tx, from, to string) error {
	accounts, err := collect(ctx, tx, number, "SELECT id FROM account")
	if err != nil {
		return err
	}
	for _, account := range accounts {
		days, err := s.openDays(ctx, tx, account, from, to)
		if err != nil {
			return err
		}
		for _, d := range days {
			used, _ := d.Used.Micros()
			if _, err := tx.ExecContext(ctx, "INSERT OR REPLACE INTO day (account, date, meter, used) VALUES (?, ?, ?, ?)",
				account, d.Date, s.meters.ids[d.Meter], used); err != nil {
				return err
			}
		}
	}
	return nil
}

// hourOf and dayOf are the parts of time of which one sample is left. An hour
// begins with the local clock's, so that none has a midnight in it.
func hourOf(t time.Time) int64 {
	_, offset := t.Zone()
	return (t.Unix() + int64(offset)) / 3600
}

func dayOf(t time.Time) int64 {
	year, month, day := t.Date()
	return int64(year)<<9 + int64(month)<<5 + int64(day)
}

// thinTo leaves one sample for each part of time on the days from a date to
// before another.
func (s *Store) thinTo(part func(time.Time) int64) func(ctx context.Context, tx *sql.Tx, from, to string) error {
	return func(ctx context.Context, tx *sql.Tx, from, to string) error {
		accounts, err := collect(ctx, tx, number, "SELECT id FROM account")
		if err != nil {
			return err
		}
		for _, account := range accounts {
			gone, err := s.dispensable(ctx, tx, account, s.midnight(from).UnixMilli(), s.midnight(to).UnixMilli(), part)
			if err != nil {
				return err
			}
			for _, taken := range gone {
				if _, err := tx.ExecContext(ctx, "DELETE FROM sample WHERE taken = ?", taken); err != nil {
					return err
				}
			}
		}
		return nil
	}
}

// dispensable are the places of the samples in a range that thinning leaves out.
func (s *Store) dispensable(ctx context.Context, tx *sql.Tx, account, from, to int64, part func(time.Time) int64) ([]int64, error) {
	type track struct {
		samples []Sample
		taken   []int64
	}
	tracks := map[usage.MeterID]*track{}
	add := func(sample Sample, taken int64) {
		t := tracks[sample.Meter]
		if t == nil {
			t = &track{}
			tracks[sample.Meter] = t
		}
		t.samples, t.taken = append(t.samples, sample), append(t.taken, taken)
	}
	leads, err := s.leads(ctx, tx, account, from)
	if err != nil {
		return nil, err
	}
	for _, lead := range leads {
		add(lead, -1) // it shows what the first sample of the range follows, and stays
	}
	err = s.each(ctx, tx, add, "SELECT "+columns+" FROM sample WHERE account = ? AND taken >= ? AND taken < ? ORDER BY taken", account, from, to)
	var gone []int64
	for _, t := range tracks {
		for i, stays := range keep(t.samples, func(sample Sample) int64 { return part(sample.At.In(s.location)) }) {
			if !stays && t.taken[i] >= 0 {
				gone = append(gone, t.taken[i])
			}
		}
	}
	slices.Sort(gone)
	return gone, err
}
