package alert

import "testing"

func TestForecastSequences(t *testing.T) {
	t.Parallel()
	checkSequences(t, []sequence{
		{"will_run_out", `
			+5m weekly=60:runs_out
			+9m weekly=60:runs_out
			+1m weekly=60:runs_out | Weekly quota: likely to run out
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
			+4m weekly=60:runs_out | Weekly quota: likely to run out
		`},
		{"will_run_out_must_be_likely_at_both_fetches", `
			+5m weekly=60:rather_runs_out
			+15m weekly=60:runs_out
			+5m weekly=60:rather_runs_out
			+5m weekly=60:runs_out
			+10m weekly=60:runs_out | Weekly quota: likely to run out
		`},
		{"will_run_out_is_refused", `
			+5m weekly=60:runs_out
			+10m weekly=60:runs_out refused | Weekly quota: likely to run out
			+5m weekly=60:runs_out | Weekly quota: likely to run out
		`},
		{"will_run_out_gates", `
			+5m weekly=86:runs_out daily=50:runs_out
			+15m weekly=86:runs_out daily=50:runs_out
			+15m weekly=60:early_runs_out daily=50:runs_out
			+15m weekly=60:sometime_runs_out daily=50:runs_out
			+15m weekly=60:late_runs_out daily=50:runs_out
			+15m weekly=85:runs_out daily=50:runs_out | Weekly quota: likely to run out
		`},
		{"will_run_out_half_an_hour_before", `
			+5m weekly=60:timely_runs_out
			+15m weekly=60:timely_runs_out | Weekly quota: likely to run out
		`},
		{"will_run_out_with_more_credits", `
			+5m prompt=100/500:runs_out | Prompt credits: 20 % left
			+15m prompt=90/500:runs_out
			+5m prompt=790/1000:on_course
			+10m prompt=780/1000:on_course
			+5m prompt=700/1000:runs_out
			+15m prompt=700/1000:runs_out | Prompt credits: likely to run out
		`},
		{"will_run_out_each_window", `
			+5m weekly=60:runs_out
			+15m weekly=60:runs_out | Weekly quota: likely to run out
			+168h weekly=60:runs_out
		`},
		{"will_run_out_after_the_clock_went_back", `
			+5m weekly=60:runs_out
			-5h weekly=60:runs_out
			+9m weekly=60:runs_out
			+1m weekly=60:runs_out | Weekly quota: likely to run out
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
			+15m prompt=300/500:runs_out flex=10/100 | Prompt credits: likely to run out
		`},
	})
}
