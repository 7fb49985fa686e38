package alert

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windsock/usage"
	"windsock/usage/poll"
	"windsock/usage/windsurf"
	"windsock/usage/words"
)

// sequence is a script with its expected alerts.
type sequence struct{ name, script string }

func checkSequences(t *testing.T, sequences []sequence) {
	t.Helper()
	for _, tt := range sequences {
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

func TestSequences(t *testing.T) {
	t.Parallel()
	checkSequences(t, []sequence{
		{"thresholds_in_turn", `
			+5m prompt=101/500
			+5m prompt=100/500 | Prompt credits: 20 % left
			+5m prompt=97/500
			+5m prompt=25.5/500
			+5m prompt=24/500 | Prompt credits: 5 % left
			+5m prompt=0.5/500
			+5m prompt=0/500 | Prompt credits: used up
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
			+5m daily=0 | Daily quota: used up
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
			+5m daily=0 | Daily quota: used up
			+5m daily=3
			+5m daily=15
		`},
		{"several_crossings_of_several_meters", `
			+5m daily=15 weekly=4 | Weekly quota: 4 % left. Also: Daily quota 15 % left.
			+5m daily=15 weekly=4
			+5m daily=4 weekly=0 | Weekly quota: used up. Also: Daily quota 4 % left.
			+5m daily=0 weekly=0 | Daily quota: used up
		`},
		{"both_end_at_once", `
			+5m daily=0 weekly=0 | Weekly quota: used up. Also: Daily quota used up.
		`},
		{"reset_jitters", `
			+5m daily=15 | Daily quota: 15 % left
			+5m daily=15~7s
			+5m daily=15~-7s
			+5m daily=15~11h
			+5m daily=15~-11h
			+5m daily=15~0s
		`},
		{"reset_half_a_window_later", `
			+5m daily=15 | Daily quota: 15 % left
			+5m daily=15~12h | Daily quota: 15 % left
			+5m daily=15
		`},
		{"reset_was_years_ahead", `
			+5m daily=0~9000h | Daily quota: used up
			+5m daily=0 | Daily quota: used up
			+5m daily=0
		`},
		{"reset_jitters_around_itself", `
			+21h59m daily=0 | Daily quota: used up
			+59s daily=0~30s
			+15s daily=0~-24h10s
			+30s daily=@over
			+5s daily=100 | Daily quota: refilled
			+5s daily=100~20s
		`},
		{"windows_take_turns", `
			+5m daily=0 | Daily quota: used up
			+5m daily=0~24h | Daily quota: used up
			+5m daily=0
			+5m daily=0~24h
			+5m daily=0~48h | Daily quota: used up
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
			+5m prompt=0/500 flex=0/100 | Prompt credits: used up
			+5m plan=Teams daily=100 weekly=100
			+5m plan=Teams daily=15 weekly=60 | Daily quota: 15 % left
			+5m prompt=0/500 flex=0/100
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
	})
}

// A share below 0 or above 100 is invalid, and raises no alert.
func TestNotApplicableWarnsOfNothing(t *testing.T) {
	t.Parallel()
	for _, percent := range []string{"-1", `"-1"`, "-0.5", "101"} {
		raw := `{"planStatus":{"dailyQuotaRemainingPercent":` + percent + `,"weeklyQuotaRemainingPercent":60,"overageBalanceMicros":5000000}}`
		s, err := windsurf.Decode([]byte(raw), usage.Source{Kind: usage.KindLanguageServer, FetchedAt: monday})
		if err != nil {
			t.Fatal(err)
		}
		watch := &Watch{Config: DefaultConfig()}
		if a := watch.See(t.Context(), poll.Plans{{Snapshot: s.At(monday)}}); a != nil {
			t.Errorf("%s: told %q", percent, a.Title(words.Words{}))
		}
	}
}
