package window

import (
	"fmt"
	"math"
	"time"

	"windsock/usage"
	"windsock/usage/words"
)

// forecast is a fan of three lines from the last figure to what is used at the reset:
// in one case of ten less than Low, in one of two less than Mid, in one of ten more than
// High. A line that reaches the total ends there.
type forecast struct {
	Low  []point `json:"low"`
	Mid  []point `json:"mid"`
	High []point `json:"high"`
	// Cases say where the lines end.
	Cases []forecastCase `json:"cases"`
	// Words say it in a sentence, and Odds where the odds come from.
	Words string `json:"words"`
	Odds  string `json:"odds"`
}

type forecastCase struct {
	Case string `json:"case"`
	Ends string `json:"ends"`
}

// forecastOf is nil if the pace has no projection. counted are the parts of the window
// whose time counts.
func forecastOf(m usage.Meter, at time.Time, counted []usage.Window, text words.Words) *forecast {
	used, known := m.Used.Float()
	total, _ := m.Total.Float()
	if m.Pace == nil || !m.Pace.Projected.Known() || !known || used >= total || len(counted) == 0 {
		return nil
	}
	f := &forecast{Odds: oddsFrom(m.Pace.PastWindows)}
	line := func(name string, percent usage.Amount) ([]point, string) {
		share, _ := percent.Float()
		drawn := courseOf(m.Window, counted, at, used, share/100*total, total)
		ends := endOf(m, drawn, share, text)
		f.Cases = append(f.Cases, forecastCase{name, ends})
		return drawn.points, ends
	}
	var low, mid, high string
	f.Low, low = line("Low: 1 in 10 is lower", m.Pace.Low)
	f.Mid, mid = line("Middle", m.Pace.Projected)
	f.High, high = line("High: 1 in 10 is higher", m.Pace.High)
	f.Words = fmt.Sprintf("Forecast: in the middle case %s, in a low one %s, in a high one %s.", mid, low, high)
	return f
}

// oddsFrom says where the odds come from.
func oddsFrom(pastWindows int) string {
	switch pastWindows {
	case 0:
		return "The odds come from this window and what most people use: no past window has been seen yet."
	case 1:
		return "The odds come from what you used in one past window and in this one."
	default:
		return fmt.Sprintf("The odds come from what you used in %d past windows and in this one.", pastWindows)
	}
}

// endOf says where a line ends whose share of the total, in percent, is used at the
// reset.
func endOf(m usage.Meter, line course, share float64, text words.Words) string {
	if at := line.last; share > 100 && at.Before(m.Window.End) {
		return "all used by " + text.Date(at)
	}
	total, _ := m.Total.Float()
	reaches := usage.Micros(int64(math.Round(min(1, share/100) * total * usage.One)))
	if reaches.Millionths() >= 10*usage.One { // more digits would promise too much
		reaches = usage.Micros(reaches.Scaled(0) * usage.One)
	}
	return words.InUnit(reaches, m.Unit) + " used at the reset"
}

// course is the line of an even use until a window's end.
type course struct {
	points []point
	last   time.Time
}

// courseOf leads from a figure at a moment to what is used at the window's end. It ends
// early where it reaches the total, and rests where no time counts.
func courseOf(w usage.Window, counted []usage.Window, from time.Time, used, reaches, total float64) course {
	var ahead time.Duration
	left := make([]usage.Window, 0, len(counted))
	for _, part := range counted {
		if part.Start.Before(from) {
			part.Start = from
		}
		if part.End.After(part.Start) {
			left, ahead = append(left, part), ahead+part.End.Sub(part.Start)
		}
	}
	var line course
	line.add(from, used)
	var over time.Duration
	for _, part := range left {
		length := part.End.Sub(part.Start)
		before := used + (reaches-used)*float64(over)/float64(ahead)
		over += length
		after := used + (reaches-used)*float64(over)/float64(ahead)
		line.add(part.Start, before)
		if after > total {
			line.add(part.Start.Add(time.Duration((total-before)/(after-before)*float64(length))), total)
			return line
		}
		line.add(part.End, after)
	}
	line.add(w.End, min(reaches, total))
	return line
}

// add is a point after the last one.
func (c *course) add(at time.Time, figure float64) {
	if at = at.Round(time.Second); at.After(c.last) {
		c.points, c.last = append(c.points, point{at.Unix(), math.Round(figure*1e4) / 1e4}), at
	}
}
