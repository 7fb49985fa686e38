package window

import (
	"net/http"
	"slices"
	"time"

	"windsock/usage"
	"windsock/usage/history"
	"windsock/usage/words"
)

// chart is what a meter did, and what it may do. Moments in lists are in Unix
// seconds; a figure that is not known is null.
type chart struct {
	Meters []chartMeter  `json:"meters"`
	Meter  usage.MeterID `json:"meter"`
	Unit   usage.Unit    `json:"unit"`
	Total  *float64      `json:"total"`
	// ResetsAt is the end of the present window; null where it has none.
	ResetsAt *time.Time `json:"resets_at"`
	Now      time.Time  `json:"now"`
	Points   []point    `json:"points"`
	// Even is what an even use is at: its bounds, and between them the present where
	// some days do not count.
	Even        []point    `json:"even"`
	Forecast    *forecast  `json:"forecast"`
	Resets      []int64    `json:"resets"`
	Days        []day      `json:"days"`
	FirstSample *time.Time `json:"first_sample"`
	Words       string     `json:"words"`
}

type chartMeter struct {
	ID    usage.MeterID `json:"id"`
	Label string        `json:"label"`
	Unit  usage.Unit    `json:"unit"`
}

// point is a moment and a figure, which may be nil.
type point [2]any

type day struct {
	Day  string   `json:"day"`
	Used *float64 `json:"used"`
}

// maxPoints is more than a screen is wide.
const maxPoints = 2000

func (s *served) chart(w http.ResponseWriter, r *http.Request) {
	snapshot, now := s.figures()
	c := chart{Now: now.UTC().Truncate(time.Second), Points: []point{}, Even: []point{}, Resets: []int64{}, Days: []day{}, Meters: s.chartMeters(snapshot)}
	c.Meter = usage.MeterID(r.FormValue("meter"))
	if binding, ok := snapshot.Binding(); c.Meter == "" && ok {
		c.Meter = binding.ID
	}
	if c.Meter == "" && len(c.Meters) > 0 {
		c.Meter = c.Meters[0].ID
	}
	meter, known := snapshot.Meter(c.Meter)
	if known {
		c.about(snapshot, meter, s.config.Words())
	}
	from, ok := rangeStart(r.FormValue("range"), now, meter.Window.Start)
	if !ok {
		fail(w, http.StatusUnprocessableEntity, "range", "The range is cycle, 7d, 30d, 90d or 1y.")
		return
	}
	samples, err := s.config.History.SamplesOf(r.Context(), c.Meter, from)
	var days []history.Day
	if err == nil {
		days, err = s.config.History.Days(r.Context(), from)
	}
	if err != nil {
		failWith(w, http.StatusServiceUnavailable, err)
		return
	}
	c.trace(samples, now)
	for _, d := range days {
		if d.Meter == c.Meter {
			c.Days = append(c.Days, day{d.Date, number(d.Used)})
			c.Unit = d.Unit
		}
	}
	write(w, http.StatusOK, c)
}

// figures are those of now, and when that is.
func (s *served) figures() (snapshot usage.Snapshot, now time.Time) {
	state := s.state()
	if state.At.IsZero() {
		return state.Snapshot, s.config.Now()
	}
	return state.Snapshot, state.At
}

// chartMeters are the meters that have something to draw.
func (s *served) chartMeters(snapshot usage.Snapshot) []chartMeter {
	meters := []chartMeter{}
	for _, m := range snapshot.Meters {
		if m.State != usage.StateUnlimited {
			meters = append(meters, chartMeter{m.ID, s.config.Words().Line(snapshot, m).Label, m.Unit})
		}
	}
	return meters
}

// rangeStart is where a range begins; a cycle that is not known is 30 days.
func rangeStart(name string, now, cycle time.Time) (time.Time, bool) {
	days, ok := map[string]int{"": 0, "cycle": 0, "7d": 7, "30d": 30, "90d": 90, "1y": 365}[name]
	switch {
	case days == 0 && !cycle.IsZero():
		return cycle, ok
	case days == 0:
		days = 30
	}
	return now.AddDate(0, 0, -days), ok
}

// about is what the figures of now say.
func (c *chart) about(snapshot usage.Snapshot, m usage.Meter, words words.Words) {
	c.Unit, c.Total = m.Unit, number(m.Total)
	c.ResetsAt = known(m.Window.End)
	c.Words = below(words.Line(snapshot, m))
	total, ok := m.Total.Float()
	if !ok || m.Window.Start.IsZero() || m.Window.End.IsZero() {
		return
	}
	c.Even = []point{{m.Window.Start.Unix(), 0.0}, {m.Window.End.Unix(), total}}
	at := snapshot.Source.FetchedAt
	if m.Pace == nil || !at.After(m.Window.Start) || !at.Before(m.Window.End) {
		return
	}
	if elapsed, ok := m.Pace.Elapsed.Float(); ok {
		plain := 100 * at.Sub(m.Window.Start).Seconds() / m.Window.End.Sub(m.Window.Start).Seconds()
		if elapsed-plain > 1 || plain-elapsed > 1 { // some days do not count
			c.Even = slices.Insert(c.Even, 1, point{at.Unix(), total * elapsed / 100})
		}
	}
	c.Forecast = forecastOf(m, at, total)
}

// trace is what the samples say.
func (c *chart) trace(samples []history.Sample, now time.Time) {
	if len(samples) == 0 {
		return
	}
	c.FirstSample, c.Unit = known(samples[0].At), samples[0].Unit
	if c.Total == nil {
		c.Total = number(samples[len(samples)-1].Total)
	}
	if c.Meter == usage.ExtraUsage {
		samples = spent(samples)
	}
	var last time.Time // the end of the window before
	each := (len(samples) + maxPoints - 1) / maxPoints
	for i, x := range samples {
		end := x.Window.End
		reset := i > 0 && !last.IsZero() && !x.At.Before(last) && end.After(last)
		if reset {
			c.Resets = append(c.Resets, last.Unix())
			c.Points = append(c.Points, point{last.Unix(), nil}) // nobody saw it fall
		}
		// What is drawn of many: every so-manieth, and both sides of a reset.
		next := i+1 == len(samples) || !samples[i+1].Window.End.Equal(end)
		if reset || next || i%each == 0 {
			c.Points = append(c.Points, point{x.At.Unix(), value(x.Used)})
		}
		if !end.IsZero() {
			last = end
		}
	}
	if !last.IsZero() && !last.After(now) { // it is over, and nothing was seen since
		c.Resets = append(c.Resets, last.Unix())
		c.Points = append(c.Points, point{last.Unix(), nil})
	}
}

// spent is a balance as use: the sum of its falls since the first sample. What was
// added to it counts nothing.
func spent(samples []history.Sample) []history.Sample {
	samples = slices.Clone(samples)
	var sum, last int64
	for i := range samples {
		left, ok := samples[i].Remaining.Micros()
		if !ok {
			continue
		}
		if i > 0 {
			sum += max(0, last-left)
		}
		last, samples[i].Used = left, usage.Micros(sum)
	}
	return samples
}

func number(a usage.Amount) *float64 {
	if f, ok := a.Float(); ok {
		return &f
	}
	return nil
}

func value(a usage.Amount) any {
	if f, ok := a.Float(); ok {
		return f
	}
	return nil
}

func known(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC().Truncate(time.Second)
	return &t
}

// csv has all meters; the one that is named is that whose cycle a range goes by.
func (s *served) csv(w http.ResponseWriter, r *http.Request) {
	snapshot, now := s.figures()
	meter, _ := snapshot.Meter(usage.MeterID(r.FormValue("meter")))
	from, ok := rangeStart(r.FormValue("range"), now, meter.Window.Start)
	if !ok {
		fail(w, http.StatusUnprocessableEntity, "range", "The range is cycle, 7d, 30d, 90d or 1y.")
		return
	}
	samples, err := s.config.History.Samples(r.Context(), from)
	if err != nil {
		failWith(w, http.StatusServiceUnavailable, err)
		return
	}
	w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	w.Header().Set("Content-Disposition", `attachment; filename="windsock-history.csv"`)
	_ = history.WriteCSV(w, samples) // who does not listen is not told
}
