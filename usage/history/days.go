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
// quota, ACU, or dollars of the balance. A day on which nothing was seen has
// none.
type Day struct {
	// Date is the local day, such as 2026-02-03.
	Date  string
	Meter usage.MeterID
	Unit  usage.Unit
	// Used is at least 0. More may have been used: what came after the last
	// sample of a window and before its reset was seen by nobody.
	Used usage.Amount
}

const dateFormat = time.DateOnly

// tally adds up the use of each day of samples that are added in the order in
// which they were taken. Days begin where location has midnight.
//
// Use is the sum of the rises of a figure. After a reset it counts from 0. A fall
// within a window is a correction by the server and no use; one of no more than
// the figure's step is not even that, and the higher figure stands. A balance is
// used as it falls, and what is added to it counts nothing.
//
// A rise counts on the day of the sample that shows it: that is when it was seen,
// and how it spread over a night in which nobody looked is not known. What a
// first sample shows was used at some time before, and counts nowhere.
type tally struct {
	location *time.Location
	meters   map[usage.MeterID]*meterTally
}

type meterTally struct {
	last Sample
	// base is the figure above which there is new use.
	base  int64
	unit  usage.Unit
	dates map[string]int64
	// date is the day from its first moment to before its last.
	date        string
	first, next time.Time
}

func (t *tally) add(s Sample) {
	figure, ok := s.counter()
	if !ok {
		return
	}
	m := t.meters[s.Meter]
	if m == nil {
		if t.meters == nil {
			t.meters = map[usage.MeterID]*meterTally{}
		}
		m = &meterTally{last: s, base: figure, unit: s.Unit, dates: map[string]int64{}}
		t.meters[s.Meter] = m
	}
	var used int64
	switch {
	case renewed(m.last, s):
		used, m.base = figure, figure
	case figure > m.base:
		used, m.base = figure-m.base, figure
	case m.base-figure > s.Unit.Step():
		m.base = figure
	}
	m.last = s
	m.turn(s.At, t.location)
	if before := m.dates[m.date]; used > math.MaxInt64-before {
		used = math.MaxInt64 - before
	}
	m.dates[m.date] += used
}

// turn makes the day of a moment the present one.
func (m *meterTally) turn(at time.Time, location *time.Location) {
	if !at.Before(m.first) && at.Before(m.next) {
		return
	}
	local := at.In(location)
	year, month, day := local.Date()
	m.date = local.Format(dateFormat)
	m.first = time.Date(year, month, day, 0, 0, 0, 0, location)
	m.next = time.Date(year, month, day+1, 0, 0, 0, 0, location)
}

// days are those of all samples, by date and then by meter.
func (t *tally) days() []Day {
	var days []Day
	for id, m := range t.meters {
		for date, used := range m.dates {
			days = append(days, Day{date, id, m.unit, usage.Micros(used)})
		}
	}
	sortDays(days)
	return days
}

// order is that of the meters of a snapshot.
var order = usage.MeterIDs()

func byMeter(a, b usage.MeterID) int {
	return cmp.Or(cmp.Compare(slices.Index(order, a), slices.Index(order, b)), cmp.Compare(a, b))
}

func sortDays(days []Day) {
	slices.SortFunc(days, func(a, b Day) int {
		return cmp.Or(cmp.Compare(a.Date, b.Date), byMeter(a.Meter, b.Meter))
	})
}

// Days is the use of each day since the one that has the moment since, of the
// account whose figures came last. There are none when there is no file yet.
func (s *Store) Days(ctx context.Context, since time.Time) ([]Day, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var days []Day
	first := since.In(s.location).Format(dateFormat)
	err := s.with(ctx, false, func(ctx context.Context) error {
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
		late, err := s.openDays(ctx, s.db, account, max(first, open), "")
		days = append(days, late...)
		return err
	})
	if err != nil {
		return nil, err
	}
	sortDays(days)
	return days, nil
}

// closedDays are those from first to before open.
func (s *Store) closedDays(ctx context.Context, account int64, first, open string) ([]Day, error) {
	if first >= open {
		return nil, nil
	}
	return collect(ctx, s.db, func(rows *sql.Rows) (Day, error) {
		var d Day
		var meter, used int64
		err := rows.Scan(&d.Date, &meter, &used)
		d.Meter, d.Unit, d.Used = s.meters.names[meter], s.meters.units[meter], usage.Micros(max(0, used))
		return d, err
	}, "SELECT date, meter, used FROM day WHERE account = ? AND date >= ? AND date < ?", account, first, open)
}

// openDays are the days from first to before end, worked out from the samples;
// an empty end is none. They are seen from a day before, so that the figure above
// which there is new use is known.
func (s *Store) openDays(ctx context.Context, q querier, account int64, first, end string) ([]Day, error) {
	var from int64
	if start, err := time.ParseInLocation(dateFormat, first, s.location); err == nil {
		from = start.AddDate(0, 0, -1).UnixMilli()
	}
	leads, err := s.leads(ctx, q, account, from)
	if err != nil {
		return nil, err
	}
	t := tally{location: s.location}
	for _, lead := range leads {
		t.add(lead)
	}
	err = s.each(ctx, q, func(sample Sample, _ int64) { t.add(sample) },
		"SELECT "+columns+" FROM sample WHERE account = ? AND taken >= ? ORDER BY taken", account, from)
	return slices.DeleteFunc(t.days(), func(d Day) bool { return d.Date < first || (end != "" && d.Date >= end) }), err
}
