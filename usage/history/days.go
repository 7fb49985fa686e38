package history

import (
	"cmp"
	"context"
	"database/sql"
	"math"
	"slices"
	"time"

	"windsock/usage"
)

// Day is what was used of a meter on a day: credits, per cent of the window's
// quota, ACU, or dollars of the balance. There is none for a day without samples.
type Day struct {
	// Date is the local day, such as 2026-02-03.
	Date  string
	Meter usage.MeterID
	Unit  usage.Unit
	// Used is at least 0. More may have been used: what came after the last
	// sample of a window and before its reset is not known.
	Used usage.Amount
}

const dateFormat = time.DateOnly

// daysOf is the use of each day of the samples of one meter, in the order in which
// they were taken. Days begin where location has midnight.
//
// Use is the sum of the rises of a figure. After a reset it counts from 0. A fall
// within a window is a correction by the server and no use; one of no more than
// the figure's step is not even that, and the higher figure stands. A balance is
// used as it falls, and what is added to it counts nothing.
//
// A rise counts on the day of the sample that shows it, as it is not known how it
// spread over the time before. What the first sample shows counts nowhere.
func daysOf(samples []Sample, location *time.Location) (days []Day) {
	byDate := map[string]int64{}
	var base int64 // the figure above which there is new use
	for i, s := range samples {
		figure, _ := s.counter()
		var used int64
		switch {
		case i == 0:
			base = figure
		case renewed(samples[i-1], s):
			used, base = figure, figure
		case figure > base:
			used, base = figure-base, figure
		case base-figure > s.Unit.Step():
			base = figure
		}
		byDate[s.At.In(location).Format(dateFormat)] += used
	}
	for date, used := range byDate {
		days = append(days, Day{date, samples[0].Meter, samples[0].Unit, usage.Micros(used)})
	}
	return days
}

// order is that of the meters of a snapshot.
var order = usage.MeterIDs()

func byMeter(a, b usage.MeterID) int {
	return cmp.Or(cmp.Compare(slices.Index(order, a), slices.Index(order, b)), cmp.Compare(a, b))
}

// Days is the use of each day since the one that has the moment since, of the
// account whose figures came last, by date and then by meter. There are none when
// there is no file yet.
func (s *Store) Days(ctx context.Context, since time.Time) (days []Day, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	first := since.In(s.location).Format(dateFormat)
	err = s.with(ctx, false, func(ctx context.Context) error {
		account, err := s.latestAccount(ctx)
		if err != nil || account == 0 {
			return err
		}
		var open string
		if err := s.db.QueryRowContext(ctx, "SELECT closed FROM installation").Scan(&open); err != nil {
			return err
		}
		if days, err = s.closedDays(ctx, account, first, open); err != nil {
			return err
		}
		all, err := seriesBetween(ctx, s.db, s.openSince(max(first, open)), math.MaxInt64)
		if err != nil {
			return err
		}
		for _, one := range all {
			if one.account != account {
				continue
			}
			late, err := s.openDays(ctx, s.db, one, max(first, open), "")
			if err != nil {
				return err
			}
			days = append(days, late...)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	sortDays(days)
	return days, nil
}

func sortDays(days []Day) {
	slices.SortFunc(days, func(a, b Day) int {
		return cmp.Or(cmp.Compare(a.Date, b.Date), byMeter(a.Meter, b.Meter))
	})
}

// closedDays are those from first to before open.
func (s *Store) closedDays(ctx context.Context, account int64, first, open string) ([]Day, error) {
	return collect(ctx, s.db, func(rows *sql.Rows) (Day, error) {
		var d Day
		var meter, used int64
		err := rows.Scan(&d.Date, &meter, &used)
		info := s.meters.infos[meter]
		d.Meter, d.Unit, d.Used = info.ID, info.Unit, usage.Micros(max(0, used))
		return d, err
	}, "SELECT date, meter, used FROM day WHERE account = ? AND date >= ? AND date < ?", account, first, open)
}

// openDays are the days of a series from first to before end, worked out from the
// samples; an empty end means all.
func (s *Store) openDays(ctx context.Context, q querier, one series, first, end string) ([]Day, error) {
	samples, _, err := s.between(ctx, q, one, s.openSince(first), math.MaxInt64)
	return slices.DeleteFunc(daysOf(samples, s.location), func(d Day) bool {
		return d.Date < first || (end != "" && d.Date >= end)
	}), err
}

// openSince is where the samples of the days since a date begin in the order: a day
// before, so that the figure above which there is new use is known.
func (s *Store) openSince(date string) int64 {
	return s.midnight(date).AddDate(0, 0, -1).UnixMilli()
}
