package alert

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestConfigValidate(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		change func(*Config)
		want   []string
	}{
		{"default", func(*Config) {}, nil},
		{"nothing", func(c *Config) { *c = Config{} }, nil},
		{"ends_of_the_range", func(c *Config) { c.Thresholds = []int{1, 99, 50, 50} }, nil},
		{"too_low", func(c *Config) { c.Thresholds = []int{20, 0} }, []string{"thresholds"}},
		{"too_high", func(c *Config) { c.Thresholds = []int{100} }, []string{"thresholds"}},
		{"many", func(c *Config) { c.Thresholds = []int{1, 2, 3, 4, 5, 6, 7, 8} }, nil},
		{"too_many", func(c *Config) { c.Thresholds = []int{1, 2, 3, 4, 5, 6, 7, 8, 9} }, []string{"thresholds"}},
		{"none_of_a_meter", func(c *Config) { c.DailyQuota = []int{0} }, nil},
		{"none_of_all", func(c *Config) { c.Thresholds = []int{0} }, []string{"thresholds"}},
		{
			"each_list",
			func(c *Config) {
				c.PromptCredits, c.FlexCredits, c.DailyQuota = []int{-1}, []int{0, 5}, []int{101}
				c.WeeklyQuota, c.ACU = []int{0, 0}, []int{200}
			},
			[]string{"prompt_credits", "flex_credits", "daily_quota", "weekly_quota", "acu"},
		},
		{"meters", func(c *Config) { c.Ignore = []string{"flow_credits", "acu"} }, nil},
		{"no_meter", func(c *Config) { c.Ignore = []string{"acu", "extra_usage", "rates"} }, []string{"ignore"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := DefaultConfig()
			tt.change(&c)
			if diff := cmp.Diff(tt.want, c.Invalid()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestConfigSequences(t *testing.T) {
	t.Parallel()
	with := func(change func(*Config)) Config {
		c := DefaultConfig()
		change(&c)
		return c
	}
	configs := map[string]Config{
		"default":       DefaultConfig(),
		"off":           with(func(c *Config) { c.Enabled = false }),
		"ten":           with(func(c *Config) { c.Thresholds = []int{10, 20} }),
		"none":          with(func(c *Config) { c.Thresholds = nil }),
		"own":           with(func(c *Config) { c.DailyQuota, c.WeeklyQuota = []int{50}, []int{0} }),
		"each":          with(func(c *Config) { c.PromptCredits, c.FlexCredits, c.ACU = []int{40}, []int{30}, []int{60} }),
		"ignore":        with(func(c *Config) { c.Ignore = []string{"daily_quota"} }),
		"no_forecast":   with(func(c *Config) { c.WillRunOut = false }),
		"no_money":      with(func(c *Config) { c.ExtraUsage = false }),
		"no_top_up":     with(func(c *Config) { c.TopUp = false }),
		"no_refilled":   with(func(c *Config) { c.Refilled = false }),
		"money_ignored": with(func(c *Config) { c.Ignore = []string{"daily_quota", "weekly_quota"} }),
	}
	tests := []struct{ name, script string }{
		{"off_and_on", `
			config off
			+5m daily=15 balance=-1 topup=3/10
			+5m daily=0 balance=-1 topup=5/10
			config default
			+5m daily=0 balance=-1 topup=5/10 | Extra usage: −$1.00 owed. Also: Auto top-up spent money; Daily quota used up.
		`},
		{"threshold_between", `
			+5m daily=3 | Daily quota: 3 % left
			config ten
			+5m daily=3
			+24h daily=9 | Daily quota: 9 % left
			+24h daily=60 | Daily quota: refilled
		`},
		{"no_thresholds", `
			config none
			+5m daily=1
			+5m daily=0 | Daily quota: used up
			+24h daily=1 | Daily quota: refilled
		`},
		{"own_thresholds", `
			config own
			+5m daily=50 weekly=50 | Daily quota: 50 % left
			+5m daily=4 weekly=4
			+5m daily=4 weekly=0 | Weekly quota: used up
			+24h daily=51 weekly=0 | Daily quota: refilled
			+24h daily=100 weekly=0
		`},
		{"own_thresholds_of_each", `
			config each
			+5m prompt=41/100 flex=29/100
			+5m prompt=40/100 flex=29/100 | Prompt credits: 40 % left
			+5m prompt=0/100 flex=31/100 | Prompt credits: used up
			+5m prompt=0/100 flex=30/100 | Flex credits: 30 % left
			+5m acu=6/10 | ACUs: 60 % left
		`},
		{"ignored_meter", `
			config ignore
			+5m daily=3 weekly=50
			+5m daily=0 weekly=15 | Weekly quota: 15 % left
			config default
			+5m daily=0 weekly=15 | Daily quota: used up
		`},
		{"ignored_quota_is_paid_for_all_the_same", `
			config money_ignored
			+5m daily=0 balance=10 | On extra usage: $10.00 left
		`},
		{"no_forecast", `
			config no_forecast
			+5m weekly=20:runs_out | Weekly quota: 20 % left
			+15m weekly=20:runs_out
			config default
			+15m weekly=20:runs_out | Weekly quota: likely to run out
		`},
		{"no_money", `
			config no_money
			+5m daily=0 balance=10 | Daily quota: used up
			+5m daily=0 balance=1
			+5m daily=0 balance=0
			+5m daily=0 balance=-1
		`},
		{"no_top_up", `
			config no_top_up
			+5m daily=50 topup=3/10
			+5m daily=50 topup=5/10
		`},
		{"no_refilled", `
			config no_refilled
			+5m daily=0 | Daily quota: used up
			+24h daily=100
		`},
		{"no_refilled_is_not_told_later", `
			config no_refilled
			+5m daily=0 | Daily quota: used up
			+24h daily=100
			+720h daily=100
			config default
			+5m daily=100
			restart
			+24h daily=100
			+5m daily=0 | Daily quota: used up
			+24h daily=100 | Daily quota: refilled
		`},
		{"off_while_it_came_back", `
			+5m weekly=4 | Weekly quota: 4 % left
			config off
			+168h weekly=100
			config default
			+168h weekly=100
		`},
		{"on_before_it_comes_back", `
			config no_refilled
			+5m daily=0 | Daily quota: used up
			config default
			+24h daily=100 | Daily quota: refilled
		`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(trimmed(tt.script), play(t, tt.script, configs)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
