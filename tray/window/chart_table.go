package window

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"windsock/usage"
	"windsock/usage/history"
	"windsock/usage/words"
)

// figureAt is a figure and its time, in words.
type figureAt struct {
	At   string `json:"at"`
	Used string `json:"used"`
}

// day is the use of a day, null if unknown.
type day struct {
	Day   string   `json:"day"`
	Used  *float64 `json:"used"`
	Words string   `json:"words"`
}

// lastOfDays makes the table of the last figure of each day: there may be thousands of
// samples.
func (c *chart) lastOfDays(samples []history.Sample, text words.Words) {
	next := ""
	for _, x := range slices.Backward(samples) {
		at := text.Date(x.At)
		if date, _, _ := strings.Cut(at, ","); date != next && x.Used.Known() {
			c.Last, next = append(c.Last, figureAt{at, words.InUnit(x.Used, c.Unit)}), date
		}
	}
}

// eachDay sets the use of each day.
func (c *chart) eachDay(days []history.Day) {
	var sum, most int64
	seen := 0
	for _, d := range days {
		date := d.Date
		if at, err := time.Parse(time.DateOnly, date); err == nil {
			date = at.Format("2 Jan")
		}
		c.Unit = d.Unit
		c.Days = append(c.Days, day{date, number(d.Used), inUnit(d.Used, d.Unit)})
		if used, ok := d.Used.Micros(); ok {
			sum, most, seen = sum+used, max(most, used), seen+1
		}
	}
	when := "on the one day with figures"
	if seen != 1 {
		when = fmt.Sprintf("on the %d days with figures", seen)
	}
	switch {
	case most == 0:
		c.DaysWords = "No use was seen " + when // the use before that is unknown
	case seen == 1:
		c.DaysWords = inUnit(usage.Micros(sum), c.Unit) + " used " + when
	default:
		c.DaysWords = inUnit(usage.Micros(sum), c.Unit) + " used " + when + ", at most " + inUnit(usage.Micros(most), c.Unit) + " on one"
	}
}

func inUnit(a usage.Amount, unit usage.Unit) string {
	if !a.Known() {
		return "not known"
	}
	return words.InUnit(a, unit)
}

// csv exports all meters of all plans; the range follows the cycle of the named one.
func (s *served) csv(w http.ResponseWriter, r *http.Request) {
	state := s.choose(s.plans(), r.FormValue("plan"))
	meter, _ := state.Snapshot.Meter(usage.MeterID(r.FormValue("meter")))
	from, ok := rangeStart(r.FormValue("range"), state.At, meter.Window.Start)
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
	_ = history.WriteCSV(w, samples) // a lost client is ignored
}
