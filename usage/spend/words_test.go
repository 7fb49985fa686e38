package spend

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/probe/say"
	"windsock/usage"
	"windsock/usage/usagetest"
	"windsock/usage/words"
)

// told is a known amount.
func told(figure float64) usage.Amount { return usagetest.AmountOf(figure) }

// spent are figures of so many prompts and credits.
func spent(prompts int, credits float64) Figures {
	return Figures{Prompts: prompts, Costs: Costs{Credits: told(credits)}}
}

func TestSentences(t *testing.T) {
	t.Parallel()
	const elsewhere = " elsewhere: completions, another computer, the Devin web app."
	from := time.Date(2026, 1, 30, 14, 5, 0, 0, time.UTC)
	credits := func(total, prompt, flex, elsewhere float64) Report {
		return Report{By: ByModel, Total: spent(3, total), Meters: []Moved{
			{Meter: usage.PromptCredits, Moved: told(prompt), Elsewhere: usage.Micros(int64(elsewhere * usage.One)), From: from},
			{Meter: usage.FlexCredits, Moved: told(flex), From: from},
		}}
	}
	quota := func(total, daily, elsewhere float64) Report {
		return Report{Total: Figures{Costs: Costs{QuotaPercent: told(total)}}, Meters: []Moved{
			{Meter: usage.DailyQuota, Moved: told(daily), Elsewhere: told(elsewhere)},
			{Meter: usage.WeeklyQuota, Moved: told(daily / 5)},
			{Meter: usage.ExtraUsage, Moved: told(0)},
		}}
	}
	models := func(rows ...Row) Report { return Report{By: ByModel, Rows: rows, Total: spent(1, 1)} }
	mixed := func(prompts int, quota, overage float64) Figures {
		return Figures{Prompts: prompts, Costs: Costs{QuotaPercent: told(quota), OverageUSD: told(overage)}}
	}
	steps := func(all, unknown int, costs Costs) Report {
		return Report{Total: Figures{ModelSteps: all, UnknownSteps: unknown, Costs: costs}}
	}
	some := Costs{Credits: told(1)}
	tests := []struct {
		name   string
		report Report
		want   []string
	}{
		{"nothing", Report{}, nil},
		{"one_meter", credits(35, 47, 0, 12), []string{"By the meter, 47 prompt credits were used in this time; 12 of them" + elsewhere}},
		{"two_meters", credits(35, 40, 7, 12), []string{"By the meters, 40 prompt credits and 7 flex credits were used in this time; 12 of them" + elsewhere}},
		{"one_credit", credits(0.5, 1, 0, 0.5), []string{"By the meter, 1 prompt credit was used in this time; 0.5 of it" + elsewhere}},
		{
			"some_steps_tell_nothing",
			func() Report {
				r := credits(35, 47, 0, 12)
				r.Total.ModelSteps, r.Total.UnknownSteps = 9, 2
				return r
			}(),
			[]string{
				"By the meter, 47 prompt credits were used in this time; 12 of them elsewhere (completions, another computer, the Devin web app) or by steps that tell no cost.",
				"2 of 9 steps of models tell no cost; they may be free, paid with the prompt, or not told.",
			},
		},
		{"flex_alone", credits(5, 0, 1200, 1195), []string{"By the meter, 1,200 flex credits were used in this time; 1,195 of them" + elsewhere}},
		{"all_told", credits(47, 47, 0, 0.004), []string{"By the meter, 47 prompt credits were used in this time, as the cascades tell."}},
		{"a_hundredth", credits(46.99, 47, 0, 0.01), []string{"By the meter, 47 prompt credits were used in this time; 0.01 of them" + elsewhere}},
		{"lags", credits(47, 46, 0, -1), []string{"By the meter, 46 prompt credits were used in this time, 1 credit less than the cascades tell: the meter lags behind."}},
		{"not_moved", credits(2, 0, 0, -2), []string{"By the meter, 0 prompt credits were used in this time, 2 credits less than the cascades tell: the meter lags behind."}},
		{"neither", credits(0, 0, 0, 0), nil},
		{"quota", quota(34, 46, 12), []string{"By the meter, 46 % of the daily quota was used in this time; 12 %" + elsewhere}},
		{"quota_rounded", quota(45.4, 46, 0.6), []string{"By the meter, 46 % of the daily quota was used in this time, as the cascades tell."}},
		{
			"acu",
			Report{Total: Figures{Costs: Costs{ACU: told(2)}}, Meters: []Moved{{Meter: usage.ACU, Moved: told(3.25), Elsewhere: told(1.25)}}},
			[]string{"By the meter, 3.25 ACUs were used in this time; 1.25 of them" + elsewhere},
		},
		{
			"extra_usage",
			Report{
				Total:  Figures{Costs: Costs{QuotaPercent: told(30), OverageUSD: told(2)}},
				Meters: []Moved{{Meter: usage.DailyQuota, Moved: told(30), Elsewhere: told(0)}, {Meter: usage.ExtraUsage, Moved: told(3.1), Elsewhere: told(1.1)}},
			},
			[]string{
				"By the meter, 30 % of the daily quota was used in this time, as the cascades tell.",
				"By the meter, $3.10 of extra usage was used in this time; $1.10" + elsewhere,
			},
		},
		{
			"no_cost_told",
			Report{Meters: []Moved{{Meter: usage.PromptCredits, Moved: told(47)}}},
			[]string{"By the meter, 47 prompt credits were used in this time. What of that the cascades cost is not told."},
		},
		{
			"partial",
			Report{Partial: true, Total: spent(3, 35), Meters: []Moved{{Meter: usage.PromptCredits, Moved: told(47)}}},
			[]string{"By the meter, 47 prompt credits were used in this time. How much of that was spent elsewhere is not known: not all cascades were read."},
		},
		{
			"history_begins_later",
			Report{Total: spent(3, 35), Meters: []Moved{{Meter: usage.PromptCredits, From: from}, {Meter: usage.ExtraUsage, From: from}}},
			[]string{"How far the meter “Prompt credits” moved in this time is not known: Windsock's history of that begins on 30 Jan 2026, 14:05 UTC."},
		},
		{
			"two_meters_without_a_history",
			Report{
				Total:  Figures{Costs: Costs{QuotaPercent: told(3), OverageUSD: told(1)}},
				Meters: []Moved{{Meter: usage.DailyQuota, From: from}, {Meter: usage.WeeklyQuota}, {Meter: usage.ExtraUsage, From: from.Add(time.Minute)}},
			},
			[]string{"How far the meters “Daily quota” and “Extra usage” moved in this time is not known: Windsock's history of that begins on 30 Jan 2026, 14:06 UTC."},
		},
		{
			"figures_are_old",
			Report{Since: from.Add(time.Hour), Total: spent(3, 35), Meters: []Moved{{Meter: usage.PromptCredits, From: from}}},
			[]string{"How far the meter “Prompt credits” moved in this time is not known: Windsock's last figure of that is too old."},
		},
		{
			"no_history",
			Report{Total: spent(3, 35), Meters: []Moved{{Meter: usage.PromptCredits}}},
			[]string{"How far the meter “Prompt credits” moved in this time is not known: Windsock has no history of that yet."},
		},
		{
			"dearest", models(Row{Key: "a", Label: "A", Figures: spent(4, 16)}, Row{Key: "b", Label: "B\x1b[31m", Figures: spent(1, 8)}, Row{Key: "", Label: "unknown", Figures: spent(1, 90)}),
			[]string{"Most expensive for one prompt: B (8 credits on average)."},
		},
		{
			"paid_in_two_ways",
			Report{
				By:    ByModel,
				Rows:  []Row{{Key: "a", Label: "A", Figures: mixed(4, 16, 1)}, {Key: "b", Label: "B", Figures: mixed(1, 0, 9)}},
				Total: mixed(5, 16, 10),
			},
			[]string{"The averages are of “Quota” alone."},
		},
		{"dearest_of_one", models(Row{Key: "a", Label: "A", Figures: spent(4, 16)}, Row{Key: "b", Label: "B", Figures: spent(0, 8)}), nil},
		{"all_free", models(Row{Key: "a", Label: "A", Figures: spent(4, 0)}, Row{Key: "b", Label: "B", Figures: spent(1, 0)}), nil},
		{"untold", steps(12_000, 1_380, some), []string{"1,380 of 12,000 steps of models tell no cost; they may be free, paid with the prompt, or not told."}},
		{"one_untold", steps(3, 1, some), []string{"1 of 3 steps of models tells no cost; it may be free, paid with the prompt, or not told."}},
		{"all_untold", steps(120, 120, Costs{}), []string{"No step of a model tells a cost: the models are free, or the server does not tell."}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, tt.report.Sentences(words.Words{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestNothing(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		report Report
		want   string
	}{
		{"never_read", Report{}, "Nothing is kept yet of what cascades cost."},
		{"not_then", Report{Read: usagetest.Noon}, "No cascade had a prompt or a cost in this time."},
		{"something", Report{Rows: []Row{{}}}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := tt.report.Nothing(); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestLookSentences(t *testing.T) {
	t.Parallel()
	late := &say.Error{What: "Windsurf did not answer in time.", Cure: "Try again in a moment."}
	fails := func(n int) (all []Failure) {
		for range n {
			all = append(all, Failure{Cascade{ID: "c-1", Title: "Fix\u202e it\n\x1b[31m"}, late})
		}
		return all
	}
	const failed = "The cascade “Fix it” could not be read: Windsurf did not answer in time. Try again in a moment."
	tests := []struct {
		name string
		look Look
		want []string
	}{
		{"all_read", Look{}, nil},
		{"busy", Look{Busy: true}, []string{"A prompt of Windsock's own is running, so nothing new was read. Try again when it is answered."}},
		{"one_runs", Look{Running: 1}, []string{"A turn is running; its cascade is left for later."}},
		{"some_run", Look{Running: 2}, []string{"Turns are running; their 2 cascades are left for later."}},
		{"failed", Look{Failed: fails(1)}, []string{failed}},
		{
			"a_list_failed",
			Look{Failed: []Failure{{Err: late}}},
			[]string{"A window's list of cascades could not be read: Windsurf did not answer in time. Try again in a moment."},
		},
		{"many_failed", Look{Failed: fails(7)}, []string{failed, failed, failed, failed, failed, "2 more could not be read."}},
		{
			"without_a_title",
			Look{Failed: []Failure{{Cascade{ID: "c-1", Title: " \u200b"}, errors.New("read steps: EOF")}}},
			[]string{"The cascade “c-1” could not be read: its answer cannot be used."},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, tt.look.Sentences()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestPlus(t *testing.T) {
	t.Parallel()
	a := Figures{
		Prompts: 1, Costs: Costs{Credits: told(1.5), ACU: told(0)}, Tokens: Tokens{Input: new(int64(5)), Output: new(int64(1))},
		ModelSteps: 3, UnknownSteps: 1,
	}
	b := Figures{Prompts: 2, Costs: Costs{Credits: told(2)}, Tokens: Tokens{Input: new(int64(6))}, ModelSteps: 4, UnknownSteps: 4}
	want := Figures{
		Prompts: 3, Costs: Costs{Credits: told(3.5), ACU: told(0)}, Tokens: Tokens{Input: new(int64(11)), Output: new(int64(1))},
		ModelSteps: 7, UnknownSteps: 5,
	}
	for _, got := range []Figures{a.Plus(b), b.Plus(a)} {
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}
