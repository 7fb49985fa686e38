package window

import (
	"context"
	"math"
	"time"

	"windsock/usage"
	"windsock/usage/history"
	"windsock/usage/pace"
	"windsock/usage/words"
)

// pastWindow is what was used in a window that is over, over the present window's axis:
// each moment at the same share of its window, each figure as the same share of the
// total.
type pastWindow struct {
	Points []point `json:"points"`
	// Until is its end, and Used the last figure, in words.
	Until string `json:"until"`
	Used  string `json:"used"`
}

const (
	// maxPastWindows are as many lines as can be told apart, and more.
	maxPastWindows = 8
	// atLeastPast is how far back to look for windows that do not follow one another.
	atLeastPast = 14 * 24 * time.Hour
	// maxPastPoints is enough for a line in the background.
	maxPastPoints = 200
)

// past are a meter's last windows of the present one's length.
func (s *served) past(ctx context.Context, of usage.Plan, m usage.Meter, text words.Words) ([]pastWindow, error) {
	drawn := []pastWindow{}
	present := m.Window
	length := present.End.Sub(present.Start)
	if present.Start.IsZero() || length <= 0 || !m.Total.Positive() {
		return drawn, nil
	}
	back := max(atLeastPast, maxPastWindows*(length+length/10))
	samples, err := s.config.History.SamplesOf(ctx, of, m.ID, present.Start.Add(-back))
	if err != nil {
		return nil, err
	}
	for _, window := range history.ByWindow(samples) {
		last := window[len(window)-1]
		began := last.Window.Start
		// The start of the present one differs a little between answers.
		if began.Before(present.Start.Add(-length/10)) && pace.Alike(last.Window.End.Sub(began), length) && last.Total.Positive() {
			drawn = append(drawn, over(window, m, text))
		}
	}
	return drawn[max(0, len(drawn)-maxPastWindows):], nil
}

// over draws a window over the present one of a meter.
func over(samples []history.Sample, m usage.Meter, text words.Words) pastWindow {
	last := samples[len(samples)-1]
	of, span := last.Window, m.Window.End.Sub(m.Window.Start).Seconds()
	total, _ := m.Total.Float()
	w := pastWindow{Points: []point{}, Until: text.Date(of.End), Used: words.InUnit(last.Used, last.Unit)}
	if last.Unit != usage.UnitPercent {
		w.Used = words.Of(last.Used, last.Total, last.Unit)
	}
	each := (len(samples) + maxPastPoints - 1) / maxPastPoints
	for i, x := range samples {
		used, _ := x.Used.Float()
		whole, _ := x.Total.Float()
		elapsed := x.At.Sub(of.Start).Seconds() / of.End.Sub(of.Start).Seconds()
		if whole > 0 && elapsed >= 0 && elapsed <= 1 && (i%each == 0 || i+1 == len(samples)) {
			at := m.Window.Start.Unix() + int64(elapsed*span)
			w.Points = append(w.Points, point{at, math.Round(used/whole*total*1e4) / 1e4})
		}
	}
	return w
}
