package alert

import "testing"

func TestMoneySequences(t *testing.T) {
	t.Parallel()
	checkSequences(t, []sequence{
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
			+5m daily=0 weekly=60 balance=0 | Extra usage: used up
			+5m daily=0 weekly=60 balance=0
			+5m daily=0 weekly=60 balance=-0.5 | Extra usage: −$0.50 owed
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
			+5m prompt=0/500 balance=20 | Prompt credits: used up
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
			+5m daily=0 balance=0 topup=2/9 | Extra usage: used up. Also: Auto top-up spent money.
		`},
		{"debt_is_graver_than_all", `
			+5m daily=50 weekly=50 balance=5
			+5m daily=0 weekly=3 balance=-1 topup=5/10 | Extra usage: −$1.00 owed. Also: Daily quota used up; Weekly quota 3 % left.
			+5m daily=0 weekly=3 balance=-2 topup=5/10
		`},
		{"debt_once_until_it_is_over", `
			+5m daily=50 balance=-1 | Extra usage: −$1.00 owed
			+5m daily=50 balance=0.01
			+5m daily=50 balance=-0.01
			+5m daily=50
			restart
			+720h daily=50 balance=-8
			+5m daily=50 balance=5
			+10m daily=50 balance=5
			+5m daily=50 balance=-3 | Extra usage: −$3.00 owed
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
	})
}

// What is bought on demand has a limit, which may be raised and lowered, or none.
func TestOnDemandSequences(t *testing.T) {
	t.Parallel()
	checkSequences(t, []sequence{
		{"pays_once_a_pool_is_used_up", `
			+5m own=60 other=4 demand=0/350 | Other models: 4 % left
			+5m own=60 other=0 demand=0/350 | On-demand pays now: $0.00 of $350.00 used
			+5m own=60 other=0 demand=174/350
			+5m own=60 other=0 demand=175/350 | On-demand: $175.00 of $350.00 used
			restart
			+5m own=60 other=0 demand=262.5/350 | On-demand: $262.50 of $350.00 used
			+5m own=60 other=0 demand=315/350 | On-demand: $315.00 of $350.00 used
			+5m own=60 other=0 demand=350/350 | On-demand: used up
			+5m own=60 other=0 demand=350/350
		`},
		{"half_spent_when_first_seen", `
			+5m own=60 other=0 demand=200/350 | On-demand: $200.00 of $350.00 used. Also: Other models used up.
			+5m own=60 other=0 demand=200/350
		`},
		{"spent_before_while_nothing_is_used_up", `
			+5m own=60 other=50 demand=349/350
			+5m own=60 other=50 demand=350/350
		`},
		{"off", `
			+5m own=60 other=0 | Other models: used up
			+5m own=0 other=0 | Cursor models: used up
		`},
		{"muted", `
			+5m own=60 other=0 demand=0/100 | On-demand pays now: $0.00 of $100.00 used
			mute on_demand
			+5m own=60 other=0 demand=60/100
			unmute on_demand
			+5m own=60 other=0 demand=60/100 | On-demand: $60.00 of $100.00 used
		`},
		{"without_a_limit", `
			+5m own=60 other=0 demand=12 | On-demand pays now: $12.00 used
			+5m own=60 other=0 demand=1200
			+5m own=60 other=0 demand=1200/2400 | On-demand: $1,200.00 of $2,400.00 used
		`},
		{"the_limit_is_raised", `
			+5m own=60 other=0 demand=90/100 | On-demand: $90.00 of $100.00 used. Also: Other models used up.
			+5m own=60 other=0 demand=90/1000
			+5m own=60 other=0 demand=500/1000 | On-demand: $500.00 of $1,000.00 used
		`},
		{"the_limit_is_lowered", `
			+5m own=60 other=0 demand=10/1000 | On-demand pays now: $10.00 of $1,000.00 used
			+5m own=60 other=0 demand=10/100
			+5m own=60 other=0 demand=50/100 | On-demand: $50.00 of $100.00 used
		`},
		{"begins_anew_each_cycle", `
			+5m own=60 other=0 demand=60/100 | On-demand: $60.00 of $100.00 used. Also: Other models used up.
			+720h own=100 other=100 demand=0/100 | Other models: refilled
			+5m own=60 other=0 demand=0/100 | On-demand pays now: $0.00 of $100.00 used
		`},
	})
}
