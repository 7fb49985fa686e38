package window

import (
	"math"
	"time"

	"windsock/usage"
)

// forecast are straight lines from the last figure to where the use may be: by
// the least of what the pace knows, by what it goes by, and by the most. None
// leaves the chart: a line that reaches the total ends there.
type forecast struct {
	Low  []point `json:"low"`
	Mid  []point `json:"mid"`
	High []point `json:"high"`
}

// forecastOf is nil where the pace projects nothing. All three are of the pace's
// own figures: its projection, its average, and the earliest end that it tells.
func forecastOf(m usage.Meter, at time.Time, total float64) *forecast {
	projected, ok := m.Pace.Projected.Float()
	used, known := m.Used.Float()
	elapsed, paced := m.Pace.Elapsed.Float()
	if !ok || !known || !paced || elapsed <= 0 || total <= 0 || used >= total {
		return nil
	}
	average := max(used, used/elapsed*100) // at the reset, at the average pace
	mid := projected / 100 * total
	from := point{at.Unix(), used}
	to := func(reaches float64) []point {
		if reaches <= total {
			return []point{from, {m.Window.End.Unix(), math.Round(reaches*1e4) / 1e4}}
		}
		ahead := m.Window.End.Sub(at).Seconds() * (total - used) / (reaches - used)
		return []point{from, {at.Unix() + int64(ahead), total}}
	}
	f := &forecast{Low: to(min(mid, average)), Mid: to(mid), High: to(max(mid, average))}
	if m.Pace.Verdict == usage.VerdictRunsOut {
		f.Mid = []point{from, {m.Pace.RunsOutAt.Unix(), total}}
		if f.High = f.Mid; !m.Pace.RunsOutFrom.IsZero() {
			f.High = []point{from, {m.Pace.RunsOutFrom.Unix(), total}}
		}
	}
	return f
}
