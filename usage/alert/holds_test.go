package alert

import (
	"testing"

	"windsock/usage/words"
)

// TestHolds: what an alert says holds until its meter is back.
func TestHolds(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, script string
		want         bool
	}{
		{"at_once", "+5m daily=19", true},
		{"still", "+5m daily=19\n+5m daily=12", true},
		{"old_answer", "+5m daily=19\n+24h daily=100 stale", true},
		{"unreadable", "+5m daily=19\n+24h daily=?", true},
		{"next_window", "+5m daily=19\n+24h daily=100", false},
		{"next_window_that_is_low", "+5m daily=19\n+24h daily=19 refused", false},
		{"reset_becomes_known", "+5m daily=19!\n+5m daily=18", true},
		{"next_window_of_a_reset_that_became_known", "+5m daily=19!\n+5m daily=18\n+24h daily=100", false},
		{"flapping", "+5m prompt=97/500\n+5m prompt=500/500", true},
		{"bought", "+5m prompt=97/500\n+5m prompt=500/500\n+10m prompt=500/500", false},
		{"used_up", "+5m prompt=0/500", true},
		{"refilled", "+5m daily=0\n+24h daily=100", true},
		{"likely_to_run_out", "+5m weekly=60:runs_out\n+10m weekly=60:runs_out", true},
		{"next_week", "+5m weekly=60:runs_out\n+10m weekly=60:runs_out\n+168h weekly=100", false},
		{"extra_usage", "+5m daily=0 balance=10\n+5m daily=0 balance=9", true},
		{"quota_is_back", "+5m daily=0 balance=10\n+24h daily=100 balance=9 refused", false},
		{"quota_unreadable", "+5m daily=0 balance=10\n+5m daily=? balance=9", true},
		{"much_extra_usage", "+5m daily=0 balance=10\n+5m daily=0 balance=5", true},
		{"more_was_bought", "+5m daily=0 balance=10\n+5m daily=0 balance=5\n+5m daily=0 balance=30", false},
		{"debt", "+5m daily=0 balance=-1", true},
		{"paid", "+5m daily=50 balance=-1\n+5m daily=50 balance=3\n+10m daily=50 balance=3", false},
		{"another_plan", "+5m daily=19\n+24h account=b daily=100", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.play(tt.script)
			if w.shown == nil {
				t.Fatal("nothing was shown")
			}
			if got := w.watch.Holds(*w.shown); got != tt.want {
				t.Errorf("%q: holds %v", w.shown.Title(words.Words{}), got)
			}
		})
	}
}
