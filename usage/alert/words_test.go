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
			"Prompt credits: 19 % left\nRuns out, 7 in 10 · from this evening on. 97 of 500 credits left.",
		},
		{
			"low_quota_and_runs_out", "+1h weekly=15:runs_out",
			"Weekly quota: 15 % left\nRuns out, 7 in 10 · from Tue on.",
		},
		{
			"low_and_runs_out_sometime", "+1h weekly=15:sometime_runs_out",
			"Weekly quota: 15 % left\nRuns out, 7 in 10.",
		},
		{
			"low_and_switches", "+1h prompt=97/500:switches flex=24994.5/26750",
			"Prompt credits: 19 % left\nPrompt credits last until next Tue, then flex credits. 97 of 500 credits left.",
		},
		{
			"on_demand", "+1h own=50 other=0 demand=17.85/350",
			"On-demand pays now: $17.85 of $350.00 used\nPrompts are paid on demand. The quota is back in 15d 22h (18 Feb).",
		},
		{
			"on_demand_without_a_limit", "+1h own=50 other=0 demand=17.85",
			"On-demand pays now: $17.85 used\nPrompts are paid on demand, and no limit is known. The quota is back in 15d 22h (18 Feb).",
		},
		{
			"on_demand_half_spent", "+1h own=50 other=0 demand=175/350",
			"On-demand: $175.00 of $350.00 used\nAt least 50 % of $350.00 is spent. Also: Other models used up. The quota is back in 15d 22h (18 Feb).",
		},
		{
			"on_demand_all_spent", "+1h own=50 other=0 demand=350/350",
			"On-demand: used up\nNothing is left of $350.00. Also: Other models used up. The quota is back in 15d 22h (18 Feb).",
		},
		{
			"used_up_while_on_demand_pays", "+1h own=50 other=0 demand=17.85/350\n+5m own=0 other=0 demand=17.85/350",
			"Cursor models: used up\nPrompts are paid on demand: $17.85 of $350.00 used. Back in 15d 22h (18 Feb).",
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
			"Prompt credits: used up\nFlex credits pay now: 24,994.5 of 26,750 credits left (93 %). Back in 15d 22h (18 Feb).",
		},
		{
			"used_up_then_low_flex", "+1h prompt=0/500 flex=30/1000",
			"Prompt credits: used up\nFlex credits pay now: 30 of 1,000 credits left (3 %). Back in 15d 22h (18 Feb).",
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
			"Weekly quota: likely to run out\nRuns out, 7 in 10 · from Wed on. 60 % left.",
		},
		{
			"will_run_out_surely", "+1h weekly=60:surely_runs_out\n+1h weekly=60:surely_runs_out",
			"Weekly quota: likely to run out\n" +
				"Runs out · between Wed and Sun. 60 % left. To last: up to 7 % a day.",
		},
		{
			"will_run_out_with_flex", "+330h prompt=300/500:surely_runs_out flex=10/100\n+1h prompt=290/500:surely_runs_out flex=10/100",
			"Prompt credits: likely to run out\n" +
				"Runs out · between this evening and Wed. " +
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

// The menu and the alert agree on a pace: the odds, when, and how much per day.
func TestWarningSaysWhatTheMenuSays(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	now := time.Date(2026, 2, 3, 9, 12, 30, 0, time.UTC)
	for chance := range 31 {
		for _, budget := range []int64{0, 9_999, 999_999, 1_000_000, 7_356_000, 1_234_999_999} {
			m := usage.NewMeter(usage.WeeklyQuota, usage.Window{Start: now.Add(-2 * day), End: now.Add(5 * day)}).Of(usage.Micros(40*usage.One), usage.Micros(100*usage.One))
			m.Pace = &usage.Pace{
				Verdict: usage.VerdictRunsOut, Chance: usage.Micros(int64(chance) * usage.One), BudgetPerDay: usage.Micros(budget),
				RunsOutFrom: now.Add(time.Duration(chance) * time.Hour), RunsOutTo: now.Add(3 * day),
			}
			s := usage.Snapshot{Judged: now, Meters: []usage.Meter{m}}
			line := words.Words{}.Line(s, m)
			got, want := Alert{Kind: KindWillRunOut, Meter: m.ID, snapshot: s}.Body(words.Words{}), line.Pace+". 60 % left. "+line.Budget+"."
			if got != want {
				t.Errorf("the warning is %q, want %q", got, want)
			}
		}
	}
}
