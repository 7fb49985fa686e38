package status

import (
	"errors"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"windsock/usage"
	"windsock/usage/cursor"
	"windsock/usage/pace"
	"windsock/usage/poll"
	"windsock/usage/usagetest"
	"windsock/usage/windsurf"
	"windsock/usage/words"
)

// formatCase is a state that every format has to show.
type formatCase struct {
	name   string
	status string // the fields of its planStatus
	cursor string // in its place, answers of Cursor
	source usage.Source
	at     time.Time // noon, if not set
	err    error
	pace   map[usage.MeterID]usage.Pace
}

func (c formatCase) state(tb testing.TB) poll.State {
	tb.Helper()
	s := poll.State{At: usagetest.Noon, Err: c.err}
	if !c.at.IsZero() {
		s.At = c.at
	}
	src := c.source
	src.Kind, src.Variant = usage.KindLanguageServer, "windsurf"
	if src.App == "" {
		src.App = "Windsurf"
	}
	decode, raw := windsurf.Decode, `{"planStatus":{`+c.status+`}}`
	if c.cursor != "" {
		decode, raw = cursor.Decode, c.cursor
		src = usage.Source{Kind: usage.KindCloud, Host: "api2.cursor.sh"}
	}
	if c.status == "" && c.cursor == "" {
		s.Snapshot = usage.Snapshot{Source: src}.At(s.At)
		return s
	}
	if src.FetchedAt.IsZero() {
		src.FetchedAt = usagetest.Noon
	}
	snapshot, err := decode([]byte(raw), src)
	if err != nil {
		tb.Fatal(err)
	}
	s.Snapshot = snapshot.At(s.At)
	for i, m := range s.Snapshot.Meters {
		if pace, ok := c.pace[m.ID]; ok {
			s.Snapshot.Meters[i].Pace = &pace
		}
	}
	return s
}

const (
	formatCredits = `"planInfo":{"planName":"Teams"},"planStart":"2026-01-18T09:07:17Z","planEnd":"2026-02-18T09:07:17Z",
		"availablePromptCredits":50000,"usedPromptCredits":4700,"availableFlexCredits":2675000,"usedFlexCredits":175550`
	formatWindows = `"planInfo":{"planName":"Pro","billingStrategy":"BILLING_STRATEGY_QUOTA"},
		"dailyQuotaRemainingPercent":72,"dailyQuotaResetAtUnix":"` + usagetest.Tomorrow + `",
		"weeklyQuotaRemainingPercent":31,"weeklyQuotaResetAtUnix":"` + usagetest.Sunday + `"`
	formatQuota = formatWindows + `,"overageBalanceMicros":"12400000"`
	formatSpent = `"planInfo":{"planName":"Pro","billingStrategy":"BILLING_STRATEGY_QUOTA"},
		"dailyQuotaRemainingPercent":72,"dailyQuotaResetAtUnix":"` + usagetest.Tomorrow + `","weeklyQuotaResetAtUnix":"` + usagetest.Sunday + `"`
)

// cursorOf are Cursor's answers, with a cycle from 2 February to 4 March.
func cursorOf(period string) string {
	return `{"GetPlanInfo":{"planInfo":{"planName":"Pro"}},
		"GetCurrentPeriodUsage":{"billingCycleStart":"1770000000000","billingCycleEnd":"1772592000000",` + period + `}}`
}

var formatCases = []formatCase{
	{name: "credits", status: formatCredits},
	{name: "quota", status: formatQuota},
	{name: "low", status: `"planInfo":{"planName":"Pro"},"planEnd":"2026-02-18T09:07:17Z","availablePromptCredits":50000,"usedPromptCredits":42000`},
	{name: "critical", status: `"planInfo":{"planName":"Pro"},"availablePromptCredits":50000,"usedPromptCredits":49999`},
	{name: "exhausted", status: formatSpent},
	{name: "on_extra_usage", status: formatSpent + `,"overageBalanceMicros":"12400000"`},
	{name: "in_debt", status: formatWindows + `,"overageBalanceMicros":"-7940000"`},
	{name: "prompt_and_flex_used_up", status: `"planEnd":"2026-02-18T09:07:17Z","availablePromptCredits":50000,"usedPromptCredits":50000,
		"availableFlexCredits":1000,"usedFlexCredits":1000`},
	{name: "unlimited", status: `"planInfo":{"planName":"Enterprise"},"availablePromptCredits":-1,"availableFlexCredits":-1`},
	{name: "acu", status: `"planInfo":{"planName":"Core"},"acuConsumed":12.3456,"acuLimit":100`},
	{name: "acu_without_limit", status: `"planInfo":{"planName":"Core"},"acuConsumed":12.3456`},
	{name: "cursor_pools", cursor: cursorOf(`"planUsage":{"autoPercentUsed":0.36,"apiPercentUsed":98.109}`)},
	{name: "cursor_on_demand", cursor: cursorOf(`"planUsage":{"autoPercentUsed":98.109,"apiPercentUsed":103.5},
		"spendLimitUsage":{"individualUsed":1785,"individualLimit":35000}`)},
	{name: "cursor_without_a_limit", cursor: `{"usage-summary":{"membershipType":"ultra","billingCycleStart":"2026-02-02T02:40:00Z",
		"billingCycleEnd":"2026-03-04T02:40:00Z","individualUsage":{"plan":{"totalPercentUsed":26.346},"onDemand":{"enabled":true,"used":16474,"limit":null}}}}`},
	{name: "cursor_dollars", cursor: cursorOf(`"planUsage":{"limit":40000,"includedSpend":10000}`)},
	{name: "cursor_requests", cursor: `{"GetPlanInfo":{"planInfo":{"planName":"Enterprise"}},"GetHardLimit":{"noUsageBasedAllowed":true},
		"usage":{"gpt-4":{"numRequests":450,"maxRequestUsage":500},"startOfMonth":"2026-02-01T00:00:00Z"}}`},
	{name: "cursor_unlimited", cursor: `{"usage-summary":{"membershipType":"enterprise","isUnlimited":true}}`},
	{name: "balance_alone", status: `"overageBalanceMicros":"12400000"`},
	{name: "rolled_over", status: formatQuota, at: time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)},
	{name: "unreadable", status: `"dailyQuotaRemainingPercent":101,"dailyQuotaResetAtUnix":"` + usagetest.Tomorrow + `"`},
	{
		name: "stale", status: formatCredits, at: usagetest.Noon.Add(3 * time.Hour),
		source: usage.Source{Stale: true}, err: usagetest.ErrNotRunning,
	},
	{name: "error", err: usagetest.ErrNotRunning},
	{name: "error_of_another_kind", err: errors.New("call GetUserStatus: <odd> | #S")},
	{name: "nothing_yet"},
	{
		name:   "markup",
		source: usage.Source{App: `Wind<b>surf</b> | color=red`},
		status: `"planInfo":{"planName":"-- R&D :fire: \\n \"#(date)\" #[fg=red] {x} it's \u001b[31mred\n---"},
			"topUpStatus":{"topUpEnabled":true,"topUpSpent":2000,"monthlyTopUpAmount":16000},"availablePromptCredits":50000`,
	},
	{
		name: "pace_tight", status: formatCredits,
		pace: map[usage.MeterID]usage.Pace{usage.PromptCredits: {
			Verdict: usage.VerdictTight, Confidence: usage.ConfidenceEstablished, Basis: usage.BasisWindow,
			Elapsed: usage.Micros(51_700_000), Projected: usage.Micros(95_600_000), Low: usage.Micros(50_400_000), High: usage.Micros(187_300_000),
			Chance: usage.Micros(55 * usage.One), BudgetPerDay: usage.Micros(30_300_000),
		}},
	},
	{
		name: "pace_runs_out", status: formatQuota,
		pace: map[usage.MeterID]usage.Pace{
			usage.DailyQuota: {
				Verdict: usage.VerdictOnCourse, Confidence: usage.ConfidenceEstablished, Basis: usage.BasisWindow,
				Projected: usage.Micros(60 * usage.One), Low: usage.Micros(28 * usage.One), High: usage.Micros(140 * usage.One), Chance: usage.Micros(78 * usage.One),
			},
			usage.WeeklyQuota: {
				Verdict: usage.VerdictRunsOut, Confidence: usage.ConfidenceEstablished, Basis: usage.BasisHistory,
				Elapsed: usage.Micros(30 * usage.One), Projected: usage.Micros(230 * usage.One), Low: usage.Micros(104 * usage.One), High: usage.Micros(600 * usage.One),
				Chance: usage.Micros(8 * usage.One), RunsOutAt: usagetest.Noon.Add(28 * time.Hour),
				RunsOutFrom: usagetest.Noon.Add(9 * time.Hour), RunsOutTo: usagetest.Noon.Add(112 * time.Hour),
			},
		},
	},
}

// programs are the formats for other programs.
var programs = []Format{FormatWaybar, FormatXbar, FormatTmux, FormatPrometheus}

// comments are the comments about each metric in Prometheus' format.
var comments = regexp.MustCompile("(?m)^# .*\n")

func TestPrometheusComments(t *testing.T) {
	t.Parallel()
	var all []string
	for _, c := range formatCases {
		all = append(all, comments.FindAllString(writePrometheus(alone(c.state(t))), -1)...)
	}
	slices.Sort(all)
	golden(t, "prometheus_comments.txt", []byte(strings.Join(slices.Compact(all), "")))
}

func TestFormats(t *testing.T) {
	t.Parallel()
	for _, c := range formatCases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var all strings.Builder
			for _, f := range programs {
				text := f.write(alone(c.state(t)), words.Words{}, true)
				all.WriteString("== " + string(f) + "\n" + comments.ReplaceAllString(text, ""))
				parseBack(t, f, alone(c.state(t)), text)
			}
			golden(t, "format/"+c.name+".golden", []byte(all.String()))
		})
	}
}

// TestFormatsOfSamples reads back the formats of every sample.
func TestFormatsOfSamples(t *testing.T) {
	t.Parallel()
	for _, raw := range seeds(t) {
		s, err := windsurf.Decode(raw, usage.Source{Kind: usage.KindFile, FetchedAt: usagetest.Noon})
		s = pace.Judge(s, nil, pace.Options{})
		for _, at := range []time.Time{usagetest.Noon, usagetest.Noon.AddDate(1, 0, 0)} {
			state := alone(poll.State{At: at, Snapshot: s.At(at), Err: err})
			for _, f := range programs {
				parseBack(t, f, state, f.write(state, words.Words{TwelveHour: true}, false))
			}
		}
	}
}

// parseBack reads a text like the program that it is for.
func parseBack(tb testing.TB, f Format, all poll.Plans, text string) {
	tb.Helper()
	switch f {
	case FormatWaybar:
		readWaybar(tb, all, text)
	case FormatXbar:
		readXbar(tb, all, text)
	case FormatTmux:
		readTmux(tb, text)
	case FormatPrometheus:
		readPrometheus(tb, all, text)
	default:
		tb.Fatalf("%s is for people, or read elsewhere", f)
	}
}

func TestFormatsHaveNoOtherGoldenFile(t *testing.T) {
	t.Parallel()
	entries, err := os.ReadDir("testdata/golden/format")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !slices.ContainsFunc(formatCases, func(c formatCase) bool { return c.name+".golden" == e.Name() }) {
			t.Errorf("%s belongs to no case", e.Name())
		}
	}
}

func TestFormatsLeaveTheStateAlone(t *testing.T) {
	t.Parallel()
	for _, c := range formatCases {
		state := alone(c.state(t))
		for _, f := range programs {
			first := f.write(state, words.Words{}, true)
			if again := f.write(state, words.Words{}, true); again != first {
				t.Errorf("%s of %s: first %q, then %q", f, c.name, first, again)
			}
		}
	}
}
