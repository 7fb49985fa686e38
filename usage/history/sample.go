package history

import (
	"time"

	"windsock/usage"
)

// Sample is the reading of a meter at a moment. The figures are those of a
// [usage.Meter]; unknown ones are the zero value.
type Sample struct {
	// Plan is the plan's name for programs, as in [Plan]; "" until it is stored.
	Plan string
	// At is the time by the clock at that moment, UTC, in whole seconds.
	At    time.Time
	Meter usage.MeterID
	Unit  usage.Unit

	Used, Total, Remaining usage.Amount

	Window usage.Window
}

// samplesOf are the samples of a snapshot: one of every meter of the table with figures
// that hold at that moment. A window that has not started has none yet. A snapshot without a
// time, of a cache or of a saved answer has none. Nor have the dollars of included usage,
// which is in per cent elsewhere: a meter has one unit in the file.
func samplesOf(s usage.Snapshot) []Sample {
	at := s.Source.FetchedAt
	if at.IsZero() || !storable(at) || s.Source.Kind == usage.KindCache || s.Source.Kind == usage.KindFile {
		return nil
	}
	at = at.UTC().Truncate(time.Second)
	var samples []Sample
	for _, m := range s.Meters {
		counted := m.State == usage.StateOK || m.State == usage.StateExhausted
		over := !m.Window.End.IsZero() && !m.Window.End.After(s.Source.FetchedAt)
		if !counted || over || m.Unit != m.ID.Info().Unit {
			continue
		}
		sample := Sample{
			At: at, Meter: m.ID, Unit: m.Unit,
			Used: sane(m.Used), Total: sane(m.Total), Remaining: sane(m.Remaining),
			Window: usage.Window{Start: whole(m.Window.Start), End: whole(m.Window.End)},
		}
		if _, counts := sample.counter(); counts && sample.Used.Known() == m.Used.Known() {
			samples = append(samples, sample)
		}
	}
	return samples
}

// sane drops an amount of more than 10^9, which is meaningless, so that sums of the
// others do not overflow.
func sane(a usage.Amount) usage.Amount {
	if v, _ := a.Micros(); v > 1<<50 || v < -1<<50 {
		return usage.Amount{}
	}
	return a
}

// storable reports whether a moment is after the epoch and no later than 9999.
func storable(t time.Time) bool {
	return t.Unix() > 0 && t.Unix() <= usage.LastSecond
}

// whole is a moment as stored, in whole seconds.
func whole(t time.Time) time.Time {
	if !storable(t) {
		return time.Time{}
	}
	return t.UTC().Truncate(time.Second)
}

// counter is the figure that rises with use, in millionths: the used amount, else the
// negated balance.
func (s Sample) counter() (int64, bool) {
	if used, ok := s.Used.Micros(); ok {
		return used, true
	}
	left, ok := s.Remaining.Micros()
	return -left, ok
}

// length is the length of the sample's window, 0 when unknown.
func (s Sample) length() time.Duration {
	if s.Window.Start.IsZero() || s.Window.End.IsZero() {
		return 0
	}
	return s.Window.End.Sub(s.Window.Start)
}

// sameWindow reports whether two samples of a meter belong to one window. Its end
// differs a little between answers.
func sameWindow(a, b Sample) bool {
	if a.Window.End.IsZero() || b.Window.End.IsZero() {
		return a.Window.End.Equal(b.Window.End)
	}
	length := b.length()
	if length <= 0 {
		length = 24 * time.Hour // shorter windows tell both bounds
	}
	return b.Window.End.Sub(a.Window.End).Abs() < length/2
}

// ByWindow splits the samples of one meter, in the order in which they were taken, where
// a window of it ends. Samples without a window are left out.
func ByWindow(samples []Sample) (windows [][]Sample) {
	var last *Sample
	for i := range samples {
		if !paced(samples[i]) {
			continue
		}
		if last == nil || begins(*last, samples[i]) {
			windows = append(windows, nil)
		}
		last = &samples[i]
		windows[len(windows)-1] = append(windows[len(windows)-1], *last)
	}
	return windows
}

// renewed reports whether all that b has used was used after a: the window of a was
// over by then, or the window of b had not begun. An unchanged figure is not new: a
// server may send the dates of the next window before its figures.
func renewed(a, b Sample) bool {
	before, ok := a.counter()
	after, known := b.counter()
	if !ok || !known || !b.Used.Known() || before == after || a.Window.End.IsZero() {
		return false
	}
	over := !b.At.Before(a.Window.End)
	if b.Window.End.IsZero() {
		return over && after < before
	}
	return !sameWindow(a, b) && b.Window.End.After(a.Window.End) && (over || b.Window.Start.After(a.At))
}

// edge reports whether two samples have a reset, a correction or another window between
// them, so that both are needed.
func edge(a, b Sample) bool {
	before, ok := a.counter()
	after, known := b.counter()
	return ok != known || after < before || !sameWindow(a, b)
}

// columns are the columns of a row, in its order.
const columns = "taken, behind, meter, used, total, remaining, starts, ends"

// row is SQLite's values of the columns.
type row [8]any

// fields are the destinations for Scan, which then needs no reflection.
func (r *row) fields() []any {
	return []any{&r[0], &r[1], &r[2], &r[3], &r[4], &r[5], &r[6], &r[7]}
}

// sample decodes a row. taken is its place in the order of samples; ok is false for a
// row that no version of this package writes.
func (m meterTable) sample(r *row) (s Sample, taken int64, ok bool) {
	taken, ordered := r[0].(int64)
	behind, dated := r[1].(int64)
	meter, _ := r[2].(int64)
	s.At = time.Unix(taken/1000-behind, 0).UTC()
	s.Meter, s.Unit = m.infos[meter].ID, m.infos[meter].Unit
	s.Used, s.Total = figure(r[3]), figure(r[4])
	s.Window = usage.Window{Start: moment(r[6]), End: moment(r[7])}
	if left, ok := r[5].(int64); ok {
		s.Remaining = sane(usage.Micros(left))
	} else if used, ok := s.Used.Micros(); ok {
		if total, ok := s.Total.Micros(); ok {
			s.Remaining = usage.Micros(max(0, total-used))
		}
	}
	_, counts := s.counter()
	return s, taken, counts && ordered && dated && s.Meter != "" && storable(s.At)
}

// figure is an amount that is never negative.
func figure(v any) usage.Amount {
	if n, ok := v.(int64); ok && n >= 0 {
		return sane(usage.Micros(n))
	}
	return usage.Amount{}
}

func moment(v any) time.Time {
	if n, ok := v.(int64); ok {
		return whole(time.Unix(n, 0))
	}
	return time.Time{}
}

// stored is the row of a sample without its place and its account.
func (m meterTable) stored(s Sample) []any {
	row := []any{m.ids[s.Meter], nil, nil, nil, nil, nil}
	used, counted := s.Used.Micros()
	if counted {
		row[1] = used
	}
	total, limited := s.Total.Micros()
	if limited {
		row[2] = total
	}
	follows := counted && limited
	if left, ok := s.Remaining.Micros(); ok && (!follows || left != max(0, total-used)) {
		row[3] = left
	}
	if !s.Window.Start.IsZero() {
		row[4] = s.Window.Start.Unix()
	}
	if !s.Window.End.IsZero() {
		row[5] = s.Window.End.Unix()
	}
	return row
}
