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
			"on_demand", "+5m own=50 other=0 demand=3/100\nmute on_demand",
			[]Mute{
				{Meter: usage.CursorModels, Until: cycle},
				{Meter: usage.OtherModels, Until: cycle},
				{Meter: usage.OnDemand, Until: cycle, On: true},
			},
		},
		{
			"on_demand_that_does_not_pay", "+5m own=50 other=50 demand=3/100",
			[]Mute{{Meter: usage.CursorModels, Until: cycle}, {Meter: usage.OtherModels, Until: cycle}},
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
			for i := range tt.want {
				tt.want[i].Plan = w.last.Snapshot.Plan
			}
			if diff := cmp.Diff(tt.want, w.watch.Mutes()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestMuteSequences(t *testing.T) {
	t.Parallel()
	checkSequences(t, []sequence{
		{"mute_until_the_reset", `
			+5m daily=30 weekly=30
			mute daily_quota
			+5m daily=15 weekly=30
			restart
			+5m daily=0 weekly=15 | Weekly quota: 15 % left
			+5m fail
			+5m daily=0~1h weekly=15
			+24h daily=15 weekly=15 | Daily quota: 15 % left
		`},
		{"mute_taken_back", `
			+5m daily=30
			mute daily_quota
			+5m daily=4
			unmute daily_quota
			+5m daily=4 | Daily quota: 4 % left
		`},
		{"mute_of_a_meter_leaves_money", `
			+5m daily=30 balance=20
			mute daily_quota
			+5m daily=0 balance=20 | On extra usage: $20.00 left
			+5m daily=0 balance=9 | Extra usage: $9.00 left
			mute extra_usage
			+5m daily=0 balance=4
			+5m daily=0 balance=-1
			+24h daily=100 balance=-1 | Extra usage: −$1.00 owed
		`},
		{"mute_without_a_reset", `
			+5m daily=50!
			mute daily_quota
			+30m daily=40!
			+5m daily=0!
			+5h daily=100!
			+5m daily=0! | Daily quota: used up
		`},
		{"mute_of_flex_ends_with_more", `
			+5m prompt=0/500 flex=50/100 | Prompt credits: used up
			mute flex_credits
			+5m prompt=0/500 flex=3/100
			+5m prompt=0/500 flex=3/80
			+5m prompt=0/500 flex=103/200
			+5m prompt=0/500 flex=8/200 | Flex credits: 4 % left
		`},
	})
}
