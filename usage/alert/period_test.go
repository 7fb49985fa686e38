package alert

import (
	"testing"
	"time"

	"windsock/usage"
)

func TestFind(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	at := monday.Add
	daily := func(end time.Duration) usage.Window { return usage.Window{Start: at(end - day), End: at(end)} }
	of := func(ends ...time.Duration) []period {
		var list []period
		for _, end := range ends {
			list = append(list, period{End: at(end)})
		}
		return list
	}
	tests := []struct {
		name   string
		list   []period
		window usage.Window
		want   int
	}{
		{"nothing_yet", nil, daily(day), -1},
		{"the_same", of(day), daily(day), 0},
		{"almost_half_later", of(day), daily(day + 12*time.Hour - 1), 0},
		{"almost_half_earlier", of(day), daily(day - 12*time.Hour + 1), 0},
		{"half_later", of(day), daily(day + 12*time.Hour), -1},
		{"half_earlier", of(day), daily(day - 12*time.Hour), -1},
		{"nearest", of(3*day, day, 2*day), daily(2*day + 5*time.Hour), 2},
		{"nearest_of_two", of(2*day+9*time.Hour, 2*day), daily(2*day + 4*time.Hour), 1},
		{"length_not_known", of(20 * day), usage.Window{End: at(23 * day)}, 0},
		{"length_not_known_and_another", of(20 * day), usage.Window{End: at(24 * day)}, -1},
		{"reset_not_known", of(day, 2*day), usage.Window{}, 0},
		{"reset_not_known_and_over", of(0, 2*day), usage.Window{}, -1},
		{"reset_never_known", []period{{}}, usage.Window{}, 0},
		{"reset_known_at_last", []period{{}}, daily(day), 0},
		{"reset_known_again", append([]period{{}}, of(day)...), daily(day), 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := find(tt.list, tt.window, monday); got != tt.want {
				t.Errorf("got %d, want %d", got, tt.want)
			}
		})
	}
}
