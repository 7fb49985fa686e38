package window

import (
	"math"
	"time"

	"windsock/usage"
)

// forecast has straight lines from the last figure to the possible use: by the pace's
// lowest, usual and highest estimate. No line leaves the chart: one that reaches the
// total ends there.
type forecast struct {
	Low  []point `json:"low"`
	Mid  []point `json:"mid"`
	High []point `json:"high"`
}

// forecastOf is nil if the pace has no projection. All three lines use the pace's own
// figures: its projection, its average, and its earliest end.
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
