package alert

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/usage"
)

func TestMutes(t *testing.T) {
	t.Parallel()
	tomorrow := time.Date(2026, time.February, 3, 8, 0, 0, 0, time.UTC)
	sunday := time.Date(2026, time.February, 8, 8, 0, 0, 0, time.UTC)
	cycle := time.Date(2026, time.February, 18, 9, 0, 0, 0, time.UTC)
	tests := []struct {
		name, script string
		want         []Mute
	}{
		{"nothing_yet", "", nil},
		{
			"quotas", "+5m daily=50 weekly=?",
			[]Mute{{Meter: usage.DailyQuota, Until: tomorrow}},
		},
		{
			"muted", "+5m daily=50 weekly=50 balance=3\nmute weekly_quota\nrestart\n+5m daily=50 weekly=50 balance=3",
			[]Mute{{Meter: usage.DailyQuota, Until: tomorrow}, {Meter: usage.WeeklyQuota, Until: sunday, On: true}},
		},
		{
			"taken_back", "+5m daily=50\nmute daily_quota\nmute extra_usage\nmute acu\nunmute daily_quota",
			[]Mute{{Meter: usage.DailyQuota, Until: tomorrow}},
		},
		{
			"over", "+5m daily=50\nmute daily_quota\n+24h daily=50",
			[]Mute{{Meter: usage.DailyQuota, Until: tomorrow.AddDate(0, 0, 1)}},
		},
		{
			"pools", "+5m prompt=0/500 flex=3/100\nmute flex_credits",
			[]Mute{{Meter: usage.PromptCredits, Until: cycle}, {Meter: usage.FlexCredits, On: true}},
		},
		{
			"extra_usage", "+5m daily=0 weekly=0 balance=3\nmute extra_usage",
			[]Mute{
				{Meter: usage.DailyQuota, Until: tomorrow},
				{Meter: usage.WeeklyQuota, Until: sunday},
				{Meter: usage.ExtraUsage, Until: sunday, On: true},
			},
		},
		{
			"debt", "+5m daily=50 balance=-3\nmute extra_usage",
			[]Mute{{Meter: usage.DailyQuota, Until: tomorrow}, {Meter: usage.ExtraUsage, Until: cycle, On: true}},
		},
		{
			"debt_unmuted", "+5m daily=50 balance=-3\nmute extra_usage\nunmute extra_usage",
			[]Mute{{Meter: usage.DailyQuota, Until: tomorrow}, {Meter: usage.ExtraUsage, Until: cycle}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.play(tt.script)
			if diff := cmp.Diff(tt.want, w.watch.Mutes()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
