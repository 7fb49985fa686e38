package alert

import "testing"

func TestPoolSequences(t *testing.T) {
	t.Parallel()
	checkSequences(t, []sequence{
		{"credits_bought_in_mid_cycle", `
			+5m prompt=0/500 | Prompt credits: used up
			+5m prompt=500/1000 | Prompt credits: refilled
			+10m prompt=490/1000
			+5m prompt=200/1000 | Prompt credits: 20 % left
			+5m prompt=0/1000 | Prompt credits: used up
		`},
		{"credits_lent_for_a_moment", `
			+5m prompt=0/500 | Prompt credits: used up
			+5m prompt=500/1000 | Prompt credits: refilled
			+5m prompt=0/500
			+5m prompt=500/1000
			+5m prompt=200/1000
			+5m prompt=0/1000
		`},
		{"a_few_credits_more", `
			+5m prompt=20/500 | Prompt credits: 4 % left
			+5m prompt=22/502
			+5m prompt=0/502 | Prompt credits: used up
			+5m prompt=20/522
			+10m prompt=20/522
			+5m prompt=19/522
			+5m prompt=0/522 | Prompt credits: used up
		`},
		{"pool_shrinks_with_use", `
			+5m prompt=50/300 | Prompt credits: 17 % left
			+5m prompt=40/290
			+5m prompt=30/280
		`},
		{"flex_comes_after_prompt", `
			+5m prompt=300/500 flex=0/1000
			+5m prompt=90/500 flex=0/1000 | Prompt credits: 18 % left
			+5m prompt=90/500 flex=500/1000
			+5m prompt=0/500 flex=500/1000 | Prompt credits: used up
			+5m prompt=0/500 flex=190/1000 | Flex credits: 19 % left
			+5m prompt=0/500 flex=40/1000 | Flex credits: 4 % left
			+5m prompt=0/500 flex=0/1000 | Flex credits: used up
			+384h prompt=500/500 flex=0/1000 | Prompt credits: refilled
			+24h prompt=0/500 flex=0/1000 | Prompt credits: used up
		`},
		{"flex_alone", `
			+5m flex=190/1000 | Flex credits: 19 % left
			+720h flex=40/1000 | Flex credits: 4 % left
			+720h flex=40/1000
		`},
		{"flex_is_bought", `
			+5m prompt=0/500 flex=0/1000 | Prompt credits: used up
			+5m prompt=0/500 flex=1000/2000 | Flex credits: refilled
			+10m prompt=0/500 flex=990/2000
			+5m prompt=0/500 flex=390/2000 | Flex credits: 20 % left
			+5m prompt=0/500 flex=0/2000 | Flex credits: used up
		`},
		{"flex_is_bought_after_much_was_used", `
			+5m prompt=0/500 flex=0/26000 | Prompt credits: used up
			+5m prompt=0/500 flex=500/26500
			+10m prompt=0/500 flex=490/26500
			+5m prompt=0/500 flex=0/26500 | Flex credits: used up
		`},
		{"acu", `
			+5m acu=3/10
			+5m acu=0.4/10 | ACUs: 4 % left
			+384h acu=10/10 | ACUs: refilled
		`},
	})
}

func TestRefilledSequences(t *testing.T) {
	t.Parallel()
	checkSequences(t, []sequence{
		{"refilled_only_when_told_before", `
			+5m daily=15 weekly=4 | Weekly quota: 4 % left. Also: Daily quota 15 % left.
			+24h daily=100 weekly=4
			+120h daily=100 weekly=100 | Weekly quota: refilled
			+5m daily=100 weekly=100
		`},
		{"refilled_within_a_window", `
			+5m weekly=0 | Weekly quota: used up
			+5m weekly=100 | Weekly quota: refilled
			+5m weekly=0
			+5m weekly=100
		`},
		{"refilled_once_a_window", `
			+5m weekly=4 | Weekly quota: 4 % left
			+5m weekly=100 | Weekly quota: refilled
			+5m weekly=0 | Weekly quota: used up
			+5m weekly=100
			+168h weekly=100 | Weekly quota: refilled
		`},
		{"refilled_again_and_again_without_a_reset", `
			+5m daily=0! | Daily quota: used up
			+5m daily=99! | Daily quota: refilled
			+10m daily=98!
			+5h daily=0! | Daily quota: used up
			+5m daily=99! | Daily quota: refilled
		`},
		{"refilled_and_low_at_once", `
			+5m daily=0 | Daily quota: used up
			+24h daily=18 | Daily quota: 18 % left
			+5m daily=100
			+24h daily=100
		`},
		{"refilled_is_refused", `
			+5m daily=0 | Daily quota: used up
			+24h daily=100 refused | Daily quota: refilled
			restart
			+5m daily=98 | Daily quota: refilled
			+5m daily=97
		`},
		{"refilled_after_days_off", `
			+5m daily=0 | Daily quota: used up
			+120h daily=70 | Daily quota: refilled
		`},
	})
}
