package alert

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSequences(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, script string }{
		{"thresholds_in_turn", `
			+5m prompt=101/500
			+5m prompt=100/500 | Prompt credits: 20 % left
			+5m prompt=97/500
			+5m prompt=25.5/500
			+5m prompt=24/500 | Prompt credits: 5 % left
			+5m prompt=0.5/500
			+5m prompt=0/500 | Prompt credits: used up !
			+5m prompt=0/500
		`},
		{"flapping_at_a_threshold", `
			+5m daily=21
			+5m daily=20 | Daily quota: 20 % left
			+5m daily=21
			+5m daily=20
			+5m daily=100
			+5m daily=20
		`},
		{"flapping_at_the_end", `
			+5m daily=0 | Daily quota: used up !
			+5m daily=1
			+5m daily=0
			+5m daily=1
		`},
		{"start_into_a_low_quota", `
			+0m weekly=3 | Weekly quota: 3 % left
			restart
			+5m weekly=3
			restart
			+24h weekly=3
		`},
		{"several_crossings_of_one_meter", `
			+5m daily=50
			+5m daily=0 | Daily quota: used up !
			+5m daily=3
			+5m daily=15
		`},
		{"several_crossings_of_several_meters", `
			+5m daily=15 weekly=4 | Weekly quota: 4 % left. Also: Daily quota 15 % left.
			+5m daily=15 weekly=4
			+5m daily=4 weekly=0 | Weekly quota: used up. Also: Daily quota 4 % left. !
			+5m daily=0 weekly=0 | Daily quota: used up !
		`},
		{"both_end_at_once", `
			+5m daily=0 weekly=0 | Weekly quota: used up. Also: Daily quota used up. !
		`},
		{"reset_jitters", `
			+5m daily=15 | Daily quota: 15 % left
			+5m daily=15~7s
			+5m daily=15~-7s
			+5m daily=15~11h
			+5m daily=15~-11h
			+5m daily=15~0s
		`},
		{"reset_jitters_around_itself", `
			+21h59m daily=0 | Daily quota: used up !
			+59s daily=0~30s
			+15s daily=0~-24h10s
			+30s daily=@over
			+5s daily=100 | Daily quota: refilled
			+5s daily=100~20s
		`},
		{"windows_take_turns", `
			+5m daily=0 | Daily quota: used up !
			+5m daily=0~24h | Daily quota: used up !
			+5m daily=0
			+5m daily=0~24h
			+5m daily=0~48h | Daily quota: used up !
			+5m daily=0
		`},
		{"each_window_anew", `
			+5m daily=15 | Daily quota: 15 % left
			+24h daily=15 | Daily quota: 15 % left
			+24h daily=80
			+5h daily=15 | Daily quota: 15 % left
		`},
		{"failed_refresh_between_two_good_ones", `
			+5m daily=15 | Daily quota: 15 % left
			+5m fail
			+5m daily=15
			+5m fail
			+5m daily=4 | Daily quota: 4 % left
			+5m fail
		`},
		{"only_fresh_answers_count", `
			+5m stale daily=15
			+5m cache daily=15
			+5m file daily=15
			+5m daily=15 | Daily quota: 15 % left
			+5m stale daily=0
			+5m cache daily=100
			+5m daily=15
		`},
		{"states_without_a_figure", `
			+5m daily=? weekly=50
			+5m daily=@over weekly=50
			+5m daily=15 weekly=50 | Daily quota: 15 % left
			+5m daily=? weekly=50
			+5m daily=@over weekly=50
			+5m daily=15 weekly=50
			+5m prompt=unlimited flex=3/100
			+5m prompt=? flex=3/100
			+5m daily=15 weekly=50
		`},
		{"meter_hidden_and_back", `
			+5m daily=15 weekly=50 | Daily quota: 15 % left
			+5m weekly=50
			restart
			+5m daily=15 weekly=50
		`},
		{"notifier_refuses", `
			+5m daily=15 refused | Daily quota: 15 % left
			+5m daily=14 refused | Daily quota: 14 % left
			restart
			+5m daily=4 refused | Daily quota: 4 % left
			+5m daily=4 | Daily quota: 4 % left
			+5m daily=4
		`},
		{"refused_and_risen_above", `
			+5m daily=20 refused | Daily quota: 20 % left
			+5m daily=21
			+5m daily=20 | Daily quota: 20 % left
		`},
		{"plan_change_in_mid_cycle", `
			+5m prompt=0/500 flex=0/100 | Prompt credits: used up !
			+5m plan=Teams daily=100 weekly=100
			+5m plan=Teams daily=15 weekly=60 | Daily quota: 15 % left
			+5m prompt=0/500 flex=0/100
		`},
		{"larger_pool_in_mid_cycle", `
			+5m prompt=0/500 | Prompt credits: used up !
			+5m prompt=500/1000 | Prompt credits: refilled
			+5m prompt=200/1000 | Prompt credits: 20 % left
			+5m prompt=0/500
			+5m prompt=200/1000
			+5m prompt=0/1000 | Prompt credits: used up !
		`},
		{"a_few_credits_more", `
			+5m prompt=20/500 | Prompt credits: 4 % left
			+5m prompt=22/502
			+5m prompt=24/504
			+5m prompt=0/504 | Prompt credits: used up !
			+5m prompt=1/505
			+5m prompt=0/505 | Prompt credits: used up !
		`},
		{"pool_shrinks_with_use", `
			+5m prompt=50/300 | Prompt credits: 17 % left
			+5m prompt=40/290
			+5m prompt=30/280
		`},
		{"clock_back", `
			+5m daily=15 | Daily quota: 15 % left
			-48h daily=15~48h
			+5m daily=4~48h | Daily quota: 4 % left
			+48h daily=4
		`},
		{"second_account", `
			+5m daily=15 | Daily quota: 15 % left
			+5m account=b daily=15 | Daily quota: 15 % left
			+5m account=b daily=15
			+5m daily=15
			restart
			+5m account=b daily=15
			+5m account= daily=50
		`},
		{"store_that_cannot_be_written", `
			store breaks
			+5m daily=15 | Daily quota: 15 % left
			+5m daily=15
			+5m daily=4 | Daily quota: 4 % left
			store mended
			+5m daily=4
			restart
			+5m daily=4
		`},
		{"store_that_cannot_be_read", `
			+5m daily=15 | Daily quota: 15 % left
			store unreadable
			restart
			+5m daily=15
			store mended
			+5m daily=15
		`},
		{"store_that_stays_unreadable", `
			store unreadable
			+5m daily=15
			+5m daily=15 | Daily quota: 15 % left
			+5m daily=15
		`},
		{"document_damaged", `
			+5m daily=15 weekly=3 | Weekly quota: 3 % left. Also: Daily quota 15 % left.
			store garbage
			restart
			+5m daily=15 weekly=3 | Weekly quota: 3 % left. Also: Daily quota 15 % left.
			restart
			+5m daily=15 weekly=3
		`},
		{"document_newer", `
			store newer
			+5m daily=15 | Daily quota: 15 % left
			+5m daily=15
			restart
			+5m daily=15 | Daily quota: 15 % left
		`},
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
			+24h daily=100 balance=-1 | Extra usage: −$1.00 owed !
		`},
		{"mute_of_flex_ends_with_more", `
			+5m prompt=0/500 flex=50/100 | Prompt credits: used up
			mute flex_credits
			+5m prompt=0/500 flex=3/100
			+5m prompt=0/500 flex=3/80
			+5m prompt=0/500 flex=103/200
			+5m prompt=0/500 flex=8/200 | Flex credits: 4 % left
		`},
		{"flex_comes_after_prompt", `
			+5m prompt=300/500 flex=0/1000
			+5m prompt=90/500 flex=0/1000 | Prompt credits: 18 % left
			+5m prompt=90/500 flex=500/1000
			+5m prompt=0/500 flex=500/1000 | Prompt credits: used up
			+5m prompt=0/500 flex=190/1000 | Flex credits: 19 % left
			+5m prompt=0/500 flex=40/1000 | Flex credits: 4 % left
			+5m prompt=0/500 flex=0/1000 | Flex credits: used up !
			+384h prompt=500/500 flex=0/1000 | Prompt credits: refilled
			+24h prompt=0/500 flex=0/1000 | Prompt credits: used up !
		`},
		{"flex_alone", `
			+5m flex=190/1000 | Flex credits: 19 % left
			+720h flex=40/1000 | Flex credits: 4 % left
			+720h flex=40/1000
		`},
		{"flex_is_bought", `
			+5m prompt=0/500 flex=0/1000 | Prompt credits: used up !
			+5m prompt=0/500 flex=1000/2000 | Flex credits: refilled
			+5m prompt=0/500 flex=0/1000
			+5m prompt=0/500 flex=390/2000 | Flex credits: 20 % left
			+5m prompt=0/500 flex=0/2000 | Flex credits: used up !
		`},
		{"smaller_flex_is_bought_after_the_old_is_gone", `
			+5m flex=0/2000 | Flex credits: used up !
			+5m flex=1000/1000 | Flex credits: refilled
			+5m flex=40/1000 | Flex credits: 4 % left
		`},
		{"acu", `
			+5m acu=3/10
			+5m acu=0.4/10 | ACUs: 4 % left
			+384h acu=10/10 | ACUs: refilled
		`},
		{"refilled_only_when_told_before", `
			+5m daily=15 weekly=4 | Weekly quota: 4 % left. Also: Daily quota 15 % left.
			+24h daily=100 weekly=4
			+120h daily=100 weekly=100 | Weekly quota: refilled
			+5m daily=100 weekly=100
		`},
		{"refilled_within_a_window", `
			+5m weekly=0 | Weekly quota: used up !
			+5m weekly=100 | Weekly quota: refilled
			+5m weekly=0
			+5m weekly=100
		`},
		{"refilled_once_a_window", `
			+5m weekly=4 | Weekly quota: 4 % left
			+5m weekly=100 | Weekly quota: refilled
			+5m weekly=0 | Weekly quota: used up !
			+5m weekly=100
			+168h weekly=100 | Weekly quota: refilled
		`},
		{"refilled_again_and_again_without_a_reset", `
			+5m daily=0! | Daily quota: used up !
			+5m daily=99! | Daily quota: refilled
			+10m daily=98!
			+5h daily=0! | Daily quota: used up !
			+5m daily=99! | Daily quota: refilled
		`},
		{"refilled_and_low_at_once", `
			+5m daily=0 | Daily quota: used up !
			+24h daily=18 | Daily quota: 18 % left
			+5m daily=100
			+24h daily=100
		`},
		{"refilled_is_refused", `
			+5m daily=0 | Daily quota: used up !
			+24h daily=100 refused | Daily quota: refilled
			restart
			+5m daily=98 | Daily quota: refilled
			+5m daily=97
		`},
		{"refilled_after_days_off", `
			+5m daily=0 | Daily quota: used up !
			+120h daily=70 | Daily quota: refilled
		`},
		{"without_a_reset", `
			+5m daily=15! | Daily quota: 15 % left
			+5m daily=25!
			+5m daily=15!
			+24h daily=100!
			+9m daily=99!
			+2m daily=98!
			+5m daily=15! | Daily quota: 15 % left
		`},
		{"reset_missing_for_once", `
			+5m daily=15 | Daily quota: 15 % left
			+5m daily=15!
			+5m daily=15
			+24h daily=15! | Daily quota: 15 % left
			+5m daily=15
		`},
		{"will_run_out", `
			+5m weekly=60:runs_out
			+9m weekly=60:runs_out
			+1m weekly=60:runs_out | Weekly quota: will run out before the reset
			+5m weekly=60:on_course
			+5m weekly=60:runs_out
			+15m weekly=60:runs_out
			restart
			+15m weekly=60:runs_out
		`},
		{"will_run_out_must_last", `
			+5m weekly=60:runs_out
			+5m weekly=60:tight
			+5m weekly=60:runs_out
			+5m fail
			+1m weekly=60
			restart
			+4m weekly=60:runs_out | Weekly quota: will run out before the reset
		`},
		{"will_run_out_is_refused", `
			+5m weekly=60:runs_out
			+10m weekly=60:runs_out refused | Weekly quota: will run out before the reset
			+5m weekly=60:runs_out | Weekly quota: will run out before the reset
		`},
		{"will_run_out_gates", `
			+5m weekly=86:runs_out daily=50:runs_out
			+15m weekly=86:runs_out daily=50:runs_out
			+15m weekly=60:early_runs_out daily=50:runs_out
			+15m weekly=60:late_runs_out daily=50:runs_out
			+15m weekly=85:runs_out daily=50:runs_out | Weekly quota: will run out before the reset
		`},
		{"will_run_out_half_an_hour_before", `
			+5m weekly=60:timely_runs_out
			+15m weekly=60:timely_runs_out | Weekly quota: will run out before the reset
		`},
		{"will_run_out_with_more_credits", `
			+5m prompt=300/500:runs_out
			+15m prompt=290/500:runs_out | Prompt credits: will run out before the reset
			+5m prompt=300/510:runs_out
			+5m prompt=790/1000:on_course
			+5m prompt=700/1000:runs_out
			+15m prompt=700/1000:runs_out | Prompt credits: will run out before the reset
		`},
		{"will_run_out_each_window", `
			+5m weekly=60:runs_out
			+15m weekly=60:runs_out | Weekly quota: will run out before the reset
			+168h weekly=60:runs_out
		`},
		{"will_run_out_after_the_clock_went_back", `
			+5m weekly=60:runs_out
			-5h weekly=60:runs_out
			+9m weekly=60:runs_out
			+1m weekly=60:runs_out | Weekly quota: will run out before the reset
		`},
		{"low_says_that_it_will_run_out", `
			+5m weekly=20:runs_out | Weekly quota: 20 % left
			+15m weekly=19:runs_out
			+5m weekly=5:runs_out | Weekly quota: 5 % left
		`},
		{"chain_lasts", `
			+5m prompt=300/500:switches flex=100/100
			+15m prompt=300/500:switches flex=100/100
			+15m prompt=300/500:runs_out flex=10/100
			+15m prompt=300/500:runs_out flex=10/100 | Prompt credits: will run out before the reset
		`},
		{"extra_usage_in_steps", `
			+5m daily=1 weekly=60 balance=12.40 | Daily quota: 1 % left
			+5m daily=0 weekly=60 balance=12.40 | On extra usage: $12.40 left
			+5m daily=0 weekly=60 balance=6.21
			+5m daily=0 weekly=60 balance=6.20 | Extra usage: $6.20 left
			+5m fail
			+5m daily=0 weekly=60 balance=6.30
			+5m daily=0 weekly=60 balance=6.20
			restart
			+5m daily=0 weekly=60 balance=1.24 | Extra usage: $1.24 left
			+5m daily=0 weekly=60 balance=0 | Extra usage: used up !
			+5m daily=0 weekly=60 balance=0
			+5m daily=0 weekly=60 balance=-0.5 | Extra usage: −$0.50 owed !
		`},
		{"extra_usage_begins_anew_each_window", `
			+5m daily=0 balance=20 | On extra usage: $20.00 left
			+5m daily=0 balance=9 | Extra usage: $9.00 left
			+24h daily=100 balance=9 | Daily quota: refilled
			+5m daily=0 balance=9 | On extra usage: $9.00 left
			+5m daily=0 balance=5
			+5m daily=0 balance=4 | Extra usage: $4.00 left
		`},
		{"extra_usage_goes_on_in_another_quota", `
			+5m daily=0 weekly=50 balance=20 | On extra usage: $20.00 left
			+5m daily=0 weekly=0 balance=18 | Weekly quota: used up
			+24h daily=50 weekly=0 balance=15 | Daily quota: refilled
			+5m daily=0 weekly=0 balance=10 | Extra usage: $10.00 left. Also: Daily quota used up.
		`},
		{"extra_usage_begins_anew_in_another_quota", `
			+5m daily=0 weekly=50 balance=20 | On extra usage: $20.00 left
			+24h daily=100 weekly=50 balance=18 | Daily quota: refilled
			+5h daily=100 weekly=0 balance=18 | On extra usage: $18.00 left
			+5m daily=100 weekly=0 balance=10
			+5m daily=100 weekly=0 balance=9 | Extra usage: $9.00 left
		`},
		{"credits_used_up_are_no_extra_usage", `
			+5m prompt=0/500 balance=20 | Prompt credits: used up !
			+5m prompt=0/500 balance=5
		`},
		{"extra_usage_is_bought", `
			+5m daily=0 balance=10 | On extra usage: $10.00 left
			+5m daily=0 balance=4 | Extra usage: $4.00 left
			+5m daily=0 balance=10
			+5m daily=0 balance=4
			+5m daily=0 balance=40
			+5m daily=0 balance=20 | Extra usage: $20.00 left
		`},
		{"extra_usage_flaps", `
			+5m daily=0 balance=10 | On extra usage: $10.00 left
			+5m daily=1 balance=10
			+5m daily=0 balance=10
			+5m daily=0
			+5m daily=0 balance=10
		`},
		{"extra_usage_is_refused", `
			+5m daily=0 balance=10 refused | On extra usage: $10.00 left
			+5m daily=0 balance=4 refused | Extra usage: $4.00 left. Also: Daily quota used up.
			+5m daily=0 balance=4 | Extra usage: $4.00 left. Also: Daily quota used up.
			+5m daily=0 balance=4
		`},
		{"extra_usage_ends_with_a_top_up", `
			+5m daily=0 balance=10 topup=1/9 | On extra usage: $10.00 left
			+5m daily=0 balance=0 topup=2/9 | Extra usage: used up. Also: Auto top-up spent money. !
		`},
		{"debt_is_graver_than_all", `
			+5m daily=50 weekly=50 balance=5
			+5m daily=0 weekly=3 balance=-1 topup=5/10 | Extra usage: −$1.00 owed. Also: Daily quota used up; Weekly quota 3 % left. !
			+5m daily=0 weekly=3 balance=-2 topup=5/10
		`},
		{"debt_once_until_it_is_over", `
			+5m daily=50 balance=-1 | Extra usage: −$1.00 owed !
			+5m daily=50 balance=0.01
			+5m daily=50 balance=-0.01
			+5m daily=50
			restart
			+720h daily=50 balance=-8
			+5m daily=50 balance=5
			+10m daily=50 balance=5
			+5m daily=50 balance=-3 | Extra usage: −$3.00 owed !
		`},
		{"top_up_unreadable", `
			+5m daily=50 topup=30/100
			+5m daily=50 topup=?/100
			+15m daily=50 topup=?/100
			+5m daily=50 topup=30/100
		`},
		{"top_up_in_a_new_month", `
			+5m daily=50 topup=30/100
			+5m daily=50 topup=12/100
			+5m daily=50 topup=10/100
			+5m daily=50 topup=10/100
			+5m daily=50 topup=11/100 | Auto top-up: spent money
			+5m daily=50 topup=12/100 | Auto top-up: spent money
		`},
		{"top_up", `
			+5m daily=50 topup=30/100
			+5m daily=50 topup=40/100 | Auto top-up: spent money
			+5m daily=50 topup=40/100
			+5m daily=50
			restart
			+5m daily=50 topup=40/100
			+5m daily=50 topup=50/100 refused | Auto top-up: spent money
			+5m daily=50 topup=50/100 | Auto top-up: spent money
			+5m daily=50 topup=0/100
			+5m daily=50 topup=50/100
			+720h daily=50 topup=0/100
			+5m daily=50 topup=10/100
			+5m daily=50 topup=10/100 | Auto top-up: spent money
			+5m daily=50 topup=10/100
		`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(trimmed(tt.script), play(t, tt.script, nil)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func trimmed(script string) string {
	var lines []string
	for line := range strings.Lines(script) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}
