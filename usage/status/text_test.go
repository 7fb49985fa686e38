package status

import (
	"strings"
	"testing"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"windsock/usage"
	"windsock/usage/pace"
	"windsock/usage/usagetest"
	"windsock/usage/windsurf"
)

// states has an answer for everything that the text can show.
var states = map[string]string{
	"credits_ok": `"planStart":"2026-01-18T09:07:17Z","planEnd":"2026-02-18T09:07:17Z","availablePromptCredits":50000,
		"usedPromptCredits":4700,"availableFlexCredits":2675000,"usedFlexCredits":175550,"overageBalanceMicros":"964220000"`,
	"credits_low":          `"availablePromptCredits":50000,"usedPromptCredits":42000`,
	"credits_critical":     `"availablePromptCredits":50000,"usedPromptCredits":49999`,
	"credits_exhausted":    `"planEnd":"2026-02-18T09:07:17Z","availablePromptCredits":50000,"usedPromptCredits":50000,"availableFlexCredits":100`,
	"credits_rolled_over":  `"planEnd":"2026-02-01T09:07:17Z","availablePromptCredits":50000`,
	"credits_unreadable":   `"planEnd":"2026-02-18T09:07:17Z","availablePromptCredits":"many"`,
	"credits_unlimited":    `"availablePromptCredits":-1,"availableFlexCredits":-1`,
	"credits_flex_finite":  `"availablePromptCredits":-1,"availableFlexCredits":1000,"usedFlexCredits":5`,
	"quota_ok":             `"dailyQuotaRemainingPercent":100,"dailyQuotaResetAtUnix":1770120000,"weeklyQuotaRemainingPercent":42,"weeklyQuotaResetAtUnix":` + usagetest.Sunday,
	"quota_soon":           `"dailyQuotaRemainingPercent":20,"dailyQuotaResetAtUnix":1770112860`,
	"quota_exhausted":      `"dailyQuotaResetAtUnix":` + usagetest.Tomorrow + `,"weeklyQuotaRemainingPercent":0`,
	"quota_on_extra_usage": `"weeklyQuotaResetAtUnix":` + usagetest.Sunday + `,"overageBalanceMicros":12400000`,
	"quota_rolled_over":    `"dailyQuotaRemainingPercent":3,"dailyQuotaResetAtUnix":` + usagetest.Yesterday,
	"quota_in_debt":        `"dailyQuotaRemainingPercent":50,"overageBalanceMicros":-7940000`,
	"acu_limit":            `"acuConsumed":0.1554225,"acuLimit":10000`,
	"acu_without_limit":    `"acuConsumed":0.1554225`,
	"acu_trace":            `"acuConsumed":0.001`,
	"acu_unknown_use":      `"acuLimit":10`,
	"runs_out":             `"planStart":"2026-01-18T09:07:17Z","planEnd":"2026-02-18T09:07:17Z","availablePromptCredits":50000,"usedPromptCredits":42000`,
	"then_flex":            `"planStart":"2026-01-18T09:07:17Z","planEnd":"2026-02-18T09:07:17Z","availablePromptCredits":50000,"usedPromptCredits":42000,"availableFlexCredits":2675000`,
	"fast_day":             `"dailyQuotaRemainingPercent":20,"dailyQuotaResetAtUnix":` + usagetest.Tomorrow,
	"notices": `"dailyQuotaRemainingPercent":50,"wasReducedByOrphanedUsage":true,"gracePeriodStatus":2,
		"gracePeriodEnd":"2026-02-10T09:00:00Z","topUpStatus":{"topUpEnabled":true,"topUpSpent":20,"monthlyTopUpAmount":100}`,
}

func TestTextStates(t *testing.T) {
	t.Parallel()
	for name, fields := range states {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := windsurf.Decode([]byte(`{"planStatus":{"planInfo":{"planName":"Teams"},`+fields+`}}`), usage.Source{App: "Windsurf", FetchedAt: usagetest.Noon})
			if err != nil {
				t.Fatal(err)
			}
			s = pace.Judge(s, nil, pace.Options{}).At(usagetest.Noon)
			golden(t, "text/"+name+".txt", []byte(textAlone(s, TextOptions{Width: 80})))
			if name == "credits_ok" || name == "quota_exhausted" {
				coloured := textAlone(s, TextOptions{Width: 40, Colour: true})
				golden(t, "text/"+name+"_coloured.txt", []byte(strings.ReplaceAll(coloured, "\x1b", "␛")))
			}
		})
	}
}

func TestTextOfCursor(t *testing.T) {
	t.Parallel()
	for _, c := range formatCases {
		if c.cursor == "" {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := pace.Judge(c.state(t).Snapshot, nil, pace.Options{}).At(usagetest.Noon)
			golden(t, "text/"+c.name+".txt", []byte(textAlone(s, TextOptions{Width: 80})))
		})
	}
}

func TestTextNeverWiderThanTerminal(t *testing.T) {
	t.Parallel()
	for name, fields := range states {
		s := decoded(t, `{"planStatus":{"planInfo":{"planName":"チームプラン Teams"},`+fields+`}}`)
		for width := 2; width <= 90; width++ {
			for _, colour := range []bool{false, true} {
				checkText(t, textAlone(s, TextOptions{Width: width, Colour: colour}), width)
				if t.Failed() {
					t.Fatal(name)
				}
			}
		}
	}
}

func checkText(t *testing.T, text string, width int) {
	t.Helper()
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if got := ansi.StringWidth(line); got > width {
			t.Errorf("%d columns on a terminal of %d: %q", got, width, line)
		}
		plain := ansi.Strip(line)
		if plain != strings.TrimRight(plain, " ") {
			t.Errorf("blanks at the end of %q", line)
		}
	}
}

func TestTextColourAddsNothingElse(t *testing.T) {
	t.Parallel()
	for name, fields := range states {
		s := decoded(t, `{"planStatus":{`+fields+`}}`)
		for _, width := range []int{30, 60, 80} {
			plain := textAlone(s, TextOptions{Width: width})
			if got := ansi.Strip(textAlone(s, TextOptions{Width: width, Colour: true})); got != plain {
				t.Errorf("%s at %d: coloured %q, plain %q", name, width, got, plain)
			}
		}
	}
}

func TestPlanNames(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, plan, want string }{
		{"plain", "Teams", "Teams"},
		{"not_one_line", "  Pro\r\n\x1b[31mMax\u202e", "Pro Max"},
		{"long", strings.Repeat("x", 300), strings.Repeat("x", 99) + "…"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := usage.CleanName(tt.plan); got != tt.want {
				t.Errorf("%q is %q, want %q", tt.plan, got, tt.want)
			}
		})
	}
}

func FuzzPlanName(f *testing.F) {
	f.Add("Teams", 80)
	f.Add("\x1b[31mPro\x9b1m\u202e", 10)
	f.Add(strings.Repeat("\u6f22", 300), 3)
	f.Add("👩\u200d💻e\u0301", 2)
	f.Fuzz(func(t *testing.T, name string, width int) {
		clean := usage.CleanName(name)
		if i := strings.IndexFunc(clean, func(r rune) bool { return unicode.IsControl(r) || r == '\u202e' }); i >= 0 {
			t.Fatalf("%q is still in %q", clean[i:], clean)
		}
		if again := usage.CleanName(clean); again != clean {
			t.Fatalf("%q cleaned again is %q", clean, again)
		}
		width = 2 + (width&0x7f)%100
		s := usage.Snapshot{PlanName: clean, Source: usage.Source{App: name}}
		for _, colour := range []bool{false, true} {
			text := textAlone(s, TextOptions{Width: width, Colour: colour})
			checkText(t, text, width)
			if strings.Count(text, "\n") != 1 {
				t.Fatalf("more than a line: %q", text)
			}
		}
	})
}
