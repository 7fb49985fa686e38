package alert

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"windsock/usage"
	"windsock/usage/words"
)

func TestWords(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, script, want string }{
		{
			"low", "+1h prompt=97/500",
			"Prompt credits: 19 % left\nResets in 15d 22h (18 Feb). 97 of 500 credits left.",
		},
		{
			"low_quota", "+1h weekly=0.4",
			"Weekly quota: <1 % left\nResets in 5d 21h (Sun 09:00).",
		},
		{
			"low_and_soon", "+21h57m daily=4",
			"Daily quota: 4 % left\nResets soon (Tue 09:00).",
		},
		{
			"low_without_a_reset", "+1h daily=4!",
			"Daily quota: 4 % left\n",
		},
		{
			"low_acu", "+1h acu=0.155/10:on_course",
			"ACUs: 2 % left\nResets in 15d 22h (18 Feb). 0.16 of 10 ACUs left.",
		},
		{
			"low_and_runs_out", "+330h prompt=97/500:runs_out",
			"Prompt credits: 19 % left\nRuns out ~Tue 07:00, 1d 3h before the reset. 97 of 500 credits left.",
		},
		{
			"low_quota_and_runs_out", "+1h weekly=15:runs_out",
			"Weekly quota: 15 % left\nRuns out ~Thu 10:00, 2d 23h before the reset.",
		},
		{
			"low_and_runs_out_at_last", "+1h weekly=15:runs_out_at_last",
			"Weekly quota: 15 % left\nRuns out ~Sun 08:59, just before the reset.",
		},
		{
			"low_and_switches", "+1h prompt=97/500:switches flex=24994.5/26750",
			"Prompt credits: 19 % left\nLasts until ~10 Feb, then flex credits. 97 of 500 credits left.",
		},
		{
			"low_flex", "+1h prompt=0/500 flex=300/1000\n+5m prompt=0/500 flex=30/1000",
			"Flex credits: 3 % left\nPrompt credits are back in 15d 22h (18 Feb). 30 of 1,000 credits left.",
		},
		{
			"low_flex_alone", "+1h flex=30/1000",
			"Flex credits: 3 % left\n30 of 1,000 credits left.",
		},
		{
			"used_up", "+1h daily=0 weekly=50",
			"Daily quota: used up\nBack in 21h (Tue 09:00).",
		},
		{
			"both_used_up", "+1h daily=0 weekly=0",
			"Weekly quota: used up\nBack in 5d 21h (Sun 09:00). Also: Daily quota used up.",
		},
		{
			"used_up_then_flex", "+1h prompt=0/500 flex=24994.5/26750",
			"Prompt credits: used up\nFlex credits are drawn on now: 24,994.5 of 26,750 credits left (93 %). Back in 15d 22h (18 Feb).",
		},
		{
			"used_up_then_low_flex", "+1h prompt=0/500 flex=30/1000",
			"Prompt credits: used up\nFlex credits are drawn on now: 30 of 1,000 credits left (3 %). Back in 15d 22h (18 Feb).",
		},
		{
			"used_up_with_flex", "+1h prompt=0/500 flex=0/26750",
			"Prompt credits: used up\nNo flex credits are left. Back in 15d 22h (18 Feb).",
		},
		{
			"used_up_flex", "+1h prompt=0/500 flex=30/1000\n+5m prompt=0/500 flex=0/1000",
			"Flex credits: used up\nPrompt credits are back in 15d 22h (18 Feb).",
		},
		{
			"used_up_on_extra_usage", "+1h daily=0 balance=5\n+1h daily=0 weekly=0 balance=4",
			"Weekly quota: used up\nPrompts are paid from extra usage: $4.00 left. Back in 5d 20h (Sun 09:00).",
		},
		{
			"will_run_out", "+1h weekly=60:runs_out\n+1h weekly=60:runs_out",
			"Weekly quota: will run out before the reset\nRuns out ~Thu 11:00, 2d 22h before the reset. 60 % left.",
		},
		{
			"will_run_out_in_a_range", "+1h weekly=60:runs_out_between\n+1h weekly=60:runs_out_between",
			"Weekly quota: will run out before the reset\n" +
				"Runs out Wed 00:00 – Thu 11:00. 60 % left. To last: up to 7 % a day.",
		},
		{
			"will_run_out_with_flex", "+330h prompt=300/500:runs_out_between flex=10/100\n+1h prompt=290/500:runs_out_between flex=10/100",
			"Prompt credits: will run out before the reset\n" +
				"Runs out Mon 19:00 – Tue 08:00. " +
				"290 of 500 credits left (58 %). To last: up to 7.3 credits a day.",
		},
		{
			"on_extra_usage", "+1h daily=0 weekly=50 balance=12.40",
			"On extra usage: $12.40 left\nPrompts are paid from the balance. The quota is back in 21h (Tue 09:00).",
		},
		{
			"on_extra_usage_and_more", "+1h daily=0 weekly=3 balance=12.40",
			"On extra usage: $12.40 left\nPrompts are paid from the balance. Also: Weekly quota 3 % left. The quota is back in 21h (Tue 09:00).",
		},
		{
			"on_extra_usage_without_a_reset", "+1h daily=0! balance=12.40",
			"On extra usage: $12.40 left\nPrompts are paid from the balance.",
		},
		{
			"extra_usage_spent", "+1h daily=0 balance=1250.40\n+1h daily=0 balance=300",
			"Extra usage: $300.00 left\nAt least 75 % of $1,250.40 is spent. The quota is back in 20h (Tue 09:00).",
		},
		{
			"extra_usage_used_up", "+1h daily=0 balance=12.40\n+1h daily=0 balance=0",
			"Extra usage: used up\nNothing is left of $12.40. The quota is back in 20h (Tue 09:00).",
		},
		{
			"in_debt", "+1h daily=0 balance=12.40\n+1h daily=0 balance=-7.94",
			"Extra usage: −$7.94 owed\nThe balance is below zero.",
		},
		{
			"top_up", "+1h daily=15 topup=10/100\n+1h daily=4 topup=30/100",
			"Auto top-up: spent money\nAuto top-up is on. It has spent 30 of 100 a month (the server states no unit). Also: Daily quota 4 % left.",
		},
		{
			"refilled", "+1h daily=0\n+24h daily=98",
			"Daily quota: refilled\n98 % left. Resets in 21h (Wed 09:00).",
		},
		{
			"refilled_flex", "+1h flex=0/100\n+24h flex=1000/1100",
			"Flex credits: refilled\n1,000 of 1,100 credits left (91 %).",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.play(tt.script)
			if w.told == nil {
				t.Fatal("nothing was told")
			}
			zone := words.Words{Location: time.FixedZone("CET", 3600)}
			title, body := w.told.Title(zone), w.told.Body(zone)
			if diff := cmp.Diff(tt.want, title+"\n"+body); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			// mako's three lines below the title, of some 38 letters each.
			if n := utf8.RuneCountInString(body); n > 114 {
				t.Errorf("%d letters: %s", n, body)
			}
			if also := strings.Index(body, "Also: "); also > 80 {
				t.Errorf("what else was due begins %d bytes on: %s", also, body)
			}
		})
	}
}

func TestWordsInTheReadersHabit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.play("+1h daily=15")
	const want = "Resets in 21h (Tue 1:30 PM)."
	if got := w.told.Body(words.Words{Location: time.FixedZone("IST", 19800), TwelveHour: true}); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// The menu and the alert agree on a pace: when, how long before the reset, and how much
// per day. More than that would not last.
func TestWarningSaysWhatTheMenuSays(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	now := time.Date(2026, 2, 3, 9, 12, 30, 0, time.UTC)
	tests := []struct {
		name   string
		unit   usage.Unit
		budget int64
		before time.Duration
		when   string
		left   string
		want   string
	}{
		{"rounded_up_it_would_not_last", usage.UnitCredits, 7_356_000, 42 * time.Hour, "~Fri 15:00", "1d 18h before the reset", "To last: up to 7.3 credits a day"},
		{"one_credit", usage.UnitCredits, 1_000_000, 4 * time.Hour, "~Sun 05:12", "4h before the reset", "To last: up to 1 credit a day"},
		{"a_trace", usage.UnitCredits, 9_999, 3*day + time.Hour + time.Minute, "~Thu 08:00", "3d 2h before the reset", "To last: less than 0.1 credits a day"},
		{"percent", usage.UnitPercent, 7_990_000, 8 * time.Minute, "~Sun 09:04", "8m before the reset", "To last: up to 7 % a day"},
		{"hardly_a_percent", usage.UnitPercent, 999_999, 2 * time.Minute, "~Sun 09:10", "just before the reset", "To last: less than 1 % a day"},
		{"acu", usage.UnitACU, 1_099_999, 42 * time.Hour, "~Fri 15:00", "1d 18h before the reset", "To last: up to 1 ACU a day"},
		{"thousands", usage.UnitCredits, 1_234_999_999, 42 * time.Hour, "~Fri 15:00", "1d 18h before the reset", "To last: up to 1,234 credits a day"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			reset := now.Add(5 * day)
			m := usage.Meter{
				ID: usage.WeeklyQuota, Unit: tt.unit, State: usage.StateOK, Window: usage.Window{Start: reset.Add(-7 * day), End: reset},
				Pace: &usage.Pace{Verdict: usage.VerdictRunsOut, RunsOutAt: reset.Add(-tt.before), BudgetPerDay: usage.Micros(tt.budget)},
			}
			s := usage.Snapshot{Judged: now, Meters: []usage.Meter{m}}
			warning := Alert{Kind: KindWillRunOut, Meter: m.ID, snapshot: s}.Body(words.Words{})
			line := words.Words{}.Line(s, m)
			for what, said := range map[string]string{"the warning": warning, "the menu": line.Pace + ". " + line.Budget + "."} {
				for _, want := range []string{tt.when, ", " + tt.left, tt.want + "."} {
					if !strings.Contains(said, want) {
						t.Errorf("%s is %q, want %q in it", what, said, want)
					}
				}
			}
		})
	}
}
