package window

import (
	"net/http"
	"slices"
	"time"

	"windsock/usage"
	"windsock/usage/history"
	"windsock/usage/pace"
	"windsock/usage/poll"
	"windsock/usage/words"
)

// chart is a meter's past and its forecast. Moments in lists are Unix seconds; an
// unknown figure is null.
type chart struct {
	Plans []chartPlan   `json:"plans"`
	Plan  string        `json:"plan"`
	Meter usage.MeterID `json:"meter"`
	Unit  usage.Unit    `json:"unit"`
	Total *float64      `json:"total"`
	// TotalWords and ResetsOn, the end of the present window, may be "".
	TotalWords string    `json:"total_words"`
	ResetsOn   string    `json:"resets_on"`
	Now        time.Time `json:"now"`
	Points     []point   `json:"points"`
	// Even is the line of an even use.
	Even     []point   `json:"even"`
	Forecast *forecast `json:"forecast"`
	// Past are the last windows, oldest first, if they were asked for.
	Past   []pastWindow `json:"past"`
	Resets []int64      `json:"resets"`
	// Last are the last figures of each day, the newest first.
	Last []figureAt `json:"last"`
	Days []day      `json:"days"`
	// DaysWords sums up all days, and Words stands below the figure.
	DaysWords string `json:"days_words"`
	Words     string `json:"words"`
}

// chartPlan is a plan with its meters; its heading is "" for the only one.
type chartPlan struct {
	Name    string       `json:"name"`
	Heading string       `json:"heading"`
	Meters  []chartMeter `json:"meters"`
}

type chartMeter struct {
	ID    usage.MeterID `json:"id"`
	Label string        `json:"label"`
	Unit  usage.Unit    `json:"unit"`
}

// point is a moment and a figure, which may be nil.
type point [2]any

// maxPoints is more than a screen's width.
const maxPoints = 2000

func (s *served) chart(w http.ResponseWriter, r *http.Request) {
	all := s.plans()
	state := s.choose(all, r.FormValue("plan"))
	snapshot, now := state.Snapshot, state.At
	text := s.config.Words()
	c := chart{
		Now: now.UTC().Truncate(time.Second), Points: []point{}, Even: []point{}, Resets: []int64{},
		Past: []pastWindow{}, Last: []figureAt{}, Days: []day{}, Plan: state.Name, Plans: chartPlans(all, text),
	}
	c.Meter = usage.MeterID(r.FormValue("meter"))
	if binding, ok := snapshot.Binding(); c.Meter == "" && ok {
		c.Meter = binding.ID
	}
	if meters := chartMeters(snapshot, text); c.Meter == "" && len(meters) > 0 {
		c.Meter = meters[0].ID
	}
	meter, known := snapshot.Meter(c.Meter)
	if known {
		c.about(snapshot, meter, text, s.config.Pace())
	}
	from, ok := rangeStart(r.FormValue("range"), now, meter.Window.Start)
	if !ok {
		fail(w, http.StatusUnprocessableEntity, "range", "The range is cycle, 7d, 30d, 90d or 1y.")
		return
	}
	samples, err := s.config.History.SamplesOf(r.Context(), snapshot.Plan, c.Meter, from)
	if err == nil && r.FormValue("past") == "on" && known {
		c.Past, err = s.past(r.Context(), snapshot.Plan, meter, text)
	}
	var days []history.Day
	if err == nil {
		days, err = s.config.History.Days(r.Context(), from, snapshot.Plan)
	}
	if err != nil {
		failWith(w, http.StatusServiceUnavailable, err)
		return
	}
	samples, days = history.NotAhead(samples, now), history.DaysNotAhead(days, now)
	if c.Meter == usage.ExtraUsage {
		samples = spent(samples)
	}
	c.trace(samples, now)
	c.lastOfDays(samples, text)
	c.eachDay(slices.DeleteFunc(days, func(d history.Day) bool { return d.Meter != c.Meter }))
	write(w, http.StatusOK, c)
}

// choose is the state of the plan with that name, else the leading one's.
func (s *served) choose(all poll.Plans, name string) poll.State {
	state := all.Lead()
	if named := all.Of(name); len(named) > 0 {
		state = named[0]
	}
	if state.At.IsZero() {
		state.At = s.config.Now()
	}
	return state
}

// chartPlans are the plans with something to draw.
func chartPlans(all poll.Plans, words words.Words) []chartPlan {
	plans := []chartPlan{}
	headings := all.Headings()
	for i, state := range all {
		made := chartPlan{Name: state.Name, Meters: chartMeters(state.Snapshot, words)}
		if len(all) > 1 {
			made.Heading = headings[i]
		}
		if len(made.Meters) > 0 {
			plans = append(plans, made)
		}
	}
	return plans
}

// chartMeters are the meters with something to draw. The history has none but those of
// the table.
func chartMeters(snapshot usage.Snapshot, words words.Words) []chartMeter {
	meters := []chartMeter{}
	for _, m := range snapshot.Meters {
		if m.State != usage.StateUnlimited && m.Name == "" {
			meters = append(meters, chartMeter{m.ID, words.Line(snapshot, m).Label, m.Unit})
		}
	}
	return meters
}

// rangeStart is the start of a range; an unknown cycle counts as 30 days.
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

// about sets the chart's part of the current figures.
func (c *chart) about(snapshot usage.Snapshot, m usage.Meter, text words.Words, o pace.Options) {
	c.Unit = m.Unit
	c.setTotal(m.Total)
	if !m.Window.End.IsZero() {
		c.ResetsOn = text.Date(m.Window.End)
	}
	c.Words = below(text.Line(snapshot, m))
	total, ok := m.Total.Float()
	if !ok || m.ID.IsMoney() || m.Window.Start.IsZero() || m.Window.End.IsZero() {
		return
	}
	counted := pace.Counted(m.Window, o)
	if len(counted) > 0 {
		c.Even = courseOf(m.Window, counted, m.Window.Start, 0, total, total).points
	}
	c.Forecast = forecastOf(m, snapshot.Source.FetchedAt, counted, text)
}

// trace sets the chart's part of the samples.
func (c *chart) trace(samples []history.Sample, now time.Time) {
	if len(samples) == 0 {
		return
	}
	c.Unit = samples[0].Unit
	if c.Total == nil {
		c.setTotal(samples[len(samples)-1].Total)
	}
	var last time.Time // the end of the previous window
	each := (len(samples) + maxPoints - 1) / maxPoints
	for i, x := range samples {
		end := x.Window.End
		reset := i > 0 && !last.IsZero() && !x.At.Before(last) && end.After(last)
		if reset {
			c.Resets = append(c.Resets, last.Unix())
			c.Points = append(c.Points, point{last.Unix(), nil}) // the moment of the reset is unknown
		}
		// Of many samples, it draws every n-th, and both sides of a reset.
		next := i+1 == len(samples) || !samples[i+1].Window.End.Equal(end)
		if reset || next || i%each == 0 {
			c.Points = append(c.Points, point{x.At.Unix(), value(x.Used)})
		}
		if !end.IsZero() {
			last = end
		}
	}
	if !last.IsZero() && !last.After(now) { // the window is over, and nothing was seen since
		c.Resets = append(c.Resets, last.Unix())
		c.Points = append(c.Points, point{last.Unix(), nil})
	}
}

func (c *chart) setTotal(total usage.Amount) {
	if c.Total = number(total); c.Total != nil {
		c.TotalWords = words.InUnit(total, c.Unit)
	}
}

// spent turns a balance into use: the sum of its decreases since the first sample.
// Additions do not count.
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
