package history

import (
	"cmp"
	"context"
	"database/sql"
	"math"
	"slices"
	"time"

	"windsock/probe/sorted"
	"windsock/usage"
)

// Day is the use of a meter on a day: credits, per cent of the window's quota, ACU, or
// dollars of the balance. A day without samples has none.
type Day struct {
	// Plan is the plan's name for programs, as in [Plan].
	Plan string
	// Date is the local day, such as 2026-02-03.
	Date  string
	Meter usage.MeterID
	Unit  usage.Unit
	// Used is at least 0. The actual use may be higher: use between the last sample of
	// a window and its reset is unknown.
	Used usage.Amount
}

const dateFormat = time.DateOnly

// daysOf is the use of each day, from the samples of one meter in the order in which
// they were taken. Days begin at midnight in location.
//
// A rise counts on the day of the sample that shows it, since its spread over the time
// before is unknown.
func daysOf(samples []Sample, location *time.Location) (days []Day) {
	byDate := map[string]int64{}
	for i, used := range usesOf(samples) {
		byDate[samples[i].At.In(location).Format(dateFormat)] += used
	}
	for date, used := range byDate {
		days = append(days, Day{samples[0].Plan, date, samples[0].Meter, samples[0].Unit, usage.Micros(used)})
	}
	return days
}

// usesOf is the use that each sample of one meter shows: the rise of its figure. After
// a reset it counts from 0. A fall within a window is a correction by the server and no
// use; a fall of no more than the figure's step is ignored, and the higher figure
// stands. A balance is used as it falls; additions to it do not count. Nor does the
// figure of the first sample.
func usesOf(samples []Sample) []int64 {
	uses := make([]int64, len(samples))
	var base int64 // a figure above it is new use
	for i, s := range samples {
		figure, _ := s.counter()
		switch {
		case i == 0:
			base = figure
		case renewed(samples[i-1], s):
			uses[i], base = figure, figure
		case figure > base:
			uses[i], base = figure-base, figure
		case base-figure > s.Unit.Step():
			base = figure
		}
	}
	return uses
}

// order is the order of a snapshot's meters.
var order = usage.MeterIDs()

func byMeter(a, b usage.MeterID) int {
	return cmp.Or(cmp.Compare(slices.Index(order, a), slices.Index(order, b)), cmp.Compare(a, b))
}

// Days is the use of each day since the day of since, by date, plan and meter. It is of
// the plans that [Store.Samples] tells of. Without a file there are none.
func (s *Store) Days(ctx context.Context, since time.Time, plans ...usage.Plan) (days []Day, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	first := since.In(s.location).Format(dateFormat)
	err = s.with(ctx, false, func(ctx context.Context) error {
		days = nil
		names, err := s.planNames(ctx, plans)
		if err != nil || len(names) == 0 {
			return err
		}
		var open string
		if err := s.db.QueryRowContext(ctx, "SELECT closed FROM installation").Scan(&open); err != nil {
			return err
		}
		for id := range names {
			closed, err := s.closedDays(ctx, id, first, open)
			if err != nil {
				return err
			}
			days = append(days, named(closed, names[id])...)
		}
		all, err := seriesBetween(ctx, s.db, s.openSince(max(first, open)), math.MaxInt64)
		if err != nil {
			return err
		}
		for _, one := range all {
			name, wanted := names[one.account]
			if !wanted {
				continue
			}
			late, err := s.openDays(ctx, s.db, one, max(first, open), "")
			if err != nil {
				return err
			}
			days = append(days, named(late, name)...)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	sortDays(days)
	return days, nil
}

// named gives the days the name of their plan.
func named(days []Day, plan string) []Day {
	for i := range days {
		days[i].Plan = plan
	}
	return days
}

func sortDays(days []Day) {
	sorted.By(days, func(a, b Day) int {
		return cmp.Or(cmp.Compare(a.Date, b.Date), byPlan(a.Plan, b.Plan), byMeter(a.Meter, b.Meter))
	})
}

// closedDays are the closed days from first to before open.
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

// openDays are the days of a series from first to before end, computed from the
// samples; an empty end means all.
func (s *Store) openDays(ctx context.Context, q querier, one series, first, end string) ([]Day, error) {
	samples, _, err := s.between(ctx, q, one, s.openSince(first), math.MaxInt64)
	return slices.DeleteFunc(daysOf(samples, s.location), func(d Day) bool {
		return d.Date < first || (end != "" && d.Date >= end)
	}), err
}

// openSince is the place in the order from which the days since a date are computed: a
// day earlier, so that the base of the first use is known.
func (s *Store) openSince(date string) int64 {
	return s.midnight(date).AddDate(0, 0, -1).UnixMilli()
}
