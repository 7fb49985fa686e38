package words

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"windsock/usage"
	"windsock/usage/pace"
	"windsock/usage/usagetest"
)

// All words for a pace, at noon on a Tuesday, five days before the reset.
func TestPaceWords(t *testing.T) {
	t.Parallel()
	reset := usagetest.Noon.Add(5 * usagetest.Day)
	credits := usage.Meter{ID: usage.PromptCredits, Unit: usage.UnitCredits, Window: usage.Window{Start: reset.Add(-30 * usagetest.Day), End: reset}}.Of(usagetest.AmountOf(47), usagetest.AmountOf(500))
	in := usagetest.Noon.Add
	tests := []struct {
		name  string
		pace  usage.Pace
		words Words
		want  string
	}{
		{"on_course", usage.Pace{Verdict: usage.VerdictOnCourse, Projected: usagetest.AmountOf(18.2)}, Words{}, "✓ On course: ~82 % left at reset"},
		{"on_course_by_half_a_percent", usage.Pace{Verdict: usage.VerdictOnCourse, Projected: usagetest.AmountOf(17.5)}, Words{}, "✓ On course: ~83 % left at reset"},
		{"hardly_used", usage.Pace{Verdict: usage.VerdictOnCourse, Projected: usagetest.AmountOf(0.3)}, Words{}, "✓ On course: >99 % left at reset"},
		{"tight", usage.Pace{Verdict: usage.VerdictTight, Projected: usagetest.AmountOf(96.2)}, Words{}, "△ Tight: ~4 % left at reset"},
		{"tight_to_the_last", usage.Pace{Verdict: usage.VerdictTight, Projected: usagetest.AmountOf(99.7)}, Words{}, "△ Tight: <1 % left at reset"},
		{"tight_beyond", usage.Pace{Verdict: usage.VerdictTight, Projected: usagetest.AmountOf(100.8)}, Words{}, "△ Tight: <1 % left at reset"},
		{"no_moment", usage.Pace{Verdict: usage.VerdictRunsOut}, Words{}, "▲ May run out"},
		{"flex_at_no_moment", usage.Pace{Verdict: usage.VerdictTight, Reason: usage.ReasonFlex}, Words{}, "△ May not last, then flex credits"},
		{"fast_day", usage.Pace{Verdict: usage.VerdictTight, Reason: usage.ReasonFastDay}, Words{}, "△ Fast day: would not last at this pace"},
		{"runs_out", usage.Pace{Verdict: usage.VerdictRunsOut, RunsOutAt: in(52 * time.Hour)}, Words{}, "▲ Runs out ~Thu 14:00, 2d 20h before the reset"},
		{
			"runs_out_in_the_morning",
			usage.Pace{Verdict: usage.VerdictRunsOut, RunsOutAt: in(52 * time.Hour)},
			Words{TwelveHour: true, Location: time.FixedZone("", -5*3600)},
			"▲ Runs out ~Thu 9:00 AM, 2d 20h before the reset",
		},
		{"by_hours", usage.Pace{Verdict: usage.VerdictRunsOut, RunsOutAt: in(5*usagetest.Day - 3*time.Hour - 20*time.Minute)}, Words{}, "▲ Runs out ~Sun 06:40, 3h 20m before the reset"},
		{"by_an_hour", usage.Pace{Verdict: usage.VerdictRunsOut, RunsOutAt: in(5*usagetest.Day - time.Hour)}, Words{}, "▲ Runs out ~Sun 09:00, 1h before the reset"},
		{"by_a_day", usage.Pace{Verdict: usage.VerdictRunsOut, RunsOutAt: in(4 * usagetest.Day)}, Words{}, "▲ Runs out ~Sat 10:00, 1d before the reset"},
		{"by_minutes", usage.Pace{Verdict: usage.VerdictRunsOut, RunsOutAt: in(5*usagetest.Day - 20*time.Minute)}, Words{}, "▲ Runs out ~Sun 09:40, 20m before the reset"},
		{"soon", usage.Pace{Verdict: usage.VerdictRunsOut, RunsOutAt: in(6*time.Hour - time.Second)}, Words{}, "▲ Runs out ~Tue 15:59, 4d 19h before the reset"},
		{
			"half_hour_zone",
			usage.Pace{Verdict: usage.VerdictRunsOut, RunsOutAt: in(52*time.Hour + 59*time.Minute + 59*time.Second)},
			Words{Location: time.FixedZone("", 5*3600+1800)},
			"▲ Runs out ~Thu 20:00, 2d 20h before the reset",
		},
		{"by_nothing", usage.Pace{Verdict: usage.VerdictRunsOut, RunsOutAt: reset}, Words{}, "▲ Runs out ~Sun 10:00, just before the reset"},
		{
			"range",
			usage.Pace{Verdict: usage.VerdictRunsOut, RunsOutFrom: in(48 * time.Hour), RunsOutAt: in(78 * time.Hour)},
			Words{},
			"▲ Runs out Thu 10:00 – Fri 16:00",
		},
		{
			"range_of_seconds",
			usage.Pace{Verdict: usage.VerdictRunsOut, RunsOutFrom: in(52 * time.Hour), RunsOutAt: in(52*time.Hour + time.Second)},
			Words{},
			"▲ Runs out ~Thu 14:00, 2d 20h before the reset",
		},
		{
			"flex",
			usage.Pace{Verdict: usage.VerdictTight, Reason: usage.ReasonFlex, SwitchesAt: in(52 * time.Hour), Projected: usagetest.AmountOf(120)},
			Words{},
			"△ Lasts until ~Thu 14:00, then flex credits",
		},
		{"used_up", usage.Pace{Verdict: usage.VerdictUsedUp}, Words{}, "✗ Used up · back Sun 10:00"},
		{"unused", usage.Pace{Verdict: usage.VerdictUnused}, Words{}, "○ Nothing used yet"},
		{"too_early", usage.Pace{Verdict: usage.VerdictTooEarly}, Words{}, "… Too early to tell"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := credits
			m.Pace = &tt.pace
			line := tt.words.Line(usage.Snapshot{Judged: usagetest.Noon}, m)
			if got := line.Glyph + " " + line.Pace; got != tt.want {
				t.Errorf("got %q", got)
			}
		})
	}
}

func TestPaceOfUsedUpMeterIsItsFigure(t *testing.T) {
	t.Parallel()
	m := usage.Meter{ID: usage.WeeklyQuota, Unit: usage.UnitPercent, Window: usage.Window{Start: usagetest.Noon.Add(-6 * usagetest.Day), End: usagetest.Noon.Add(usagetest.Day)}}.Of(usagetest.AmountOf(100), usagetest.AmountOf(100))
	balance := usage.Meter{ID: usage.ExtraUsage, Unit: usage.UnitUSD, State: usage.StateOK, Remaining: usagetest.AmountOf(12.4)}
	s := pace.Judge(usage.Snapshot{Source: usage.Source{FetchedAt: usagetest.Noon}, Judged: usagetest.Noon, Meters: []usage.Meter{m, balance}}, nil, pace.Options{})
	got := Words{}.Line(s, s.Meters[0])
	want := Line{
		Meter: usage.WeeklyQuota, Label: "Weekly quota", Bar: "▱▱▱▱▱▱▱▱▱▱",
		Text: "Used up, on extra usage: $12.40 left", Under: "back Wed 10:00", Tone: ToneCritical,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestLineOfAntigravity(t *testing.T) {
	t.Parallel()
	whole := usagetest.AmountOf(100)
	waits := usage.NewMeter(usage.Gemini5h, usage.Window{}).Of(usage.Micros(0), whole)
	waits.State = usage.StateNotStarted
	bucket := usage.Meter{ID: "image-5h", Name: "Image", Unit: usage.UnitPercent}.Of(usagetest.AmountOf(96), whole)
	s := usage.Snapshot{Judged: usagetest.Noon, Meters: []usage.Meter{waits, bucket}}
	want := []Line{
		{Meter: usage.Gemini5h, Label: "Gemini 5-hour", Bar: "▰▰▰▰▰▰▰▰▰▰", Text: "100 % left", Under: "the window begins with the first use"},
		{Meter: "image-5h", Label: "Image", Bar: "▰▱▱▱▱▱▱▱▱▱", Text: "4 % left", Tone: ToneCritical},
	}
	if diff := cmp.Diff(want, Words{}.Lines(s)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestBudgetWords(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		verdict usage.Verdict
		unit    usage.Unit
		budget  usage.Amount
		want    string
	}{
		{"credits", usage.VerdictTight, usage.UnitCredits, usagetest.AmountOf(30.99), "To last: up to 30 credits a day"},
		{"thousands", usage.VerdictRunsOut, usage.UnitCredits, usagetest.AmountOf(1234.5), "To last: up to 1,234 credits a day"},
		{"few", usage.VerdictRunsOut, usage.UnitCredits, usagetest.AmountOf(2.58), "To last: up to 2.5 credits a day"},
		{"one", usage.VerdictRunsOut, usage.UnitCredits, usagetest.AmountOf(1.09), "To last: up to 1 credit a day"},
		{"a_trace", usage.VerdictRunsOut, usage.UnitCredits, usagetest.AmountOf(0.09), "To last: less than 0.1 credits a day"},
		{"percent", usage.VerdictTight, usage.UnitPercent, usagetest.AmountOf(14.2), "To last: up to 14 % a day"},
		{"few_percent", usage.VerdictTight, usage.UnitPercent, usagetest.AmountOf(8.57), "To last: up to 8 % a day"},
		{"hardly_a_percent", usage.VerdictTight, usage.UnitPercent, usagetest.AmountOf(0.9), "To last: less than 1 % a day"},
		{"acu", usage.VerdictTight, usage.UnitACU, usagetest.AmountOf(14.2), "To last: up to 14 ACUs a day"},
		{"not_known", usage.VerdictTight, usage.UnitPercent, usage.Amount{}, ""},
		{"lasts_anyway", usage.VerdictOnCourse, usage.UnitCredits, usagetest.AmountOf(30.99), ""},
		{"too_early", usage.VerdictTooEarly, usage.UnitCredits, usagetest.AmountOf(30.99), ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := usage.Meter{Unit: tt.unit, State: usage.StateOK, Pace: &usage.Pace{Verdict: tt.verdict, BudgetPerDay: tt.budget}}
			if got := (Words{}).Line(usage.Snapshot{Judged: usagetest.Noon}, m).Budget; got != tt.want {
				t.Errorf("got %q", got)
			}
		})
	}
}

func TestLineBelow(t *testing.T) {
	t.Parallel()
	whole := Line{
		Pace: "Runs out ~Thu 14:00, 1d 20h before the reset", Under: "resets in 14d 22h (18 Feb)",
		Budget: "To last: up to 30 credits a day", Glyph: "▲",
	}
	tests := []struct {
		name    string
		line    Line
		columns int
		want    []string
	}{
		{"nothing", Line{}, 80, nil},
		{"reset_alone", Line{Under: "resets soon"}, 80, []string{"resets soon"}},
		{"all_on_one", whole, 120, []string{
			"▲ Runs out ~Thu 14:00, 1d 20h before the reset · resets in 14d 22h (18 Feb) · To last: up to 30 credits a day",
		}},
		{"on_two", whole, 60, []string{
			"▲ Runs out ~Thu 14:00, 1d 20h before the reset", "resets in 14d 22h (18 Feb) · To last: up to 30 credits a day",
		}},
		{"on_three", whole, 59, []string{"▲ Runs out ~Thu 14:00, 1d 20h before the reset", "resets in 14d 22h (18 Feb)", "To last: up to 30 credits a day"}},
		{"no_room", whole, 3, []string{"▲ Runs out ~Thu 14:00, 1d 20h before the reset", "resets in 14d 22h (18 Feb)", "To last: up to 30 credits a day"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, tt.line.Below(tt.columns)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// The menu has 60 columns for a line below a figure, and does not wrap it.
func TestPaceWordsFitTheMenu(t *testing.T) {
	t.Parallel()
	far := time.Date(2027, 11, 30, 22, 58, 0, 0, time.UTC)
	for _, verdict := range []usage.Verdict{usage.VerdictOnCourse, usage.VerdictTight, usage.VerdictRunsOut, usage.VerdictUsedUp, usage.VerdictUnused, usage.VerdictTooEarly} {
		for _, reason := range []string{"", usage.ReasonFastDay, usage.ReasonFlex} {
			for _, reset := range []time.Time{usagetest.Noon.Add(5*usagetest.Day + 12*time.Hour + time.Minute), usagetest.Noon.Add(340 * usagetest.Day), far} {
				for _, from := range []time.Time{{}, usagetest.Noon.Add(time.Hour)} {
					m := usagetest.CreditMeter(47)
					m.Window.End = reset
					m.Pace = &usage.Pace{
						Verdict: verdict, Reason: reason, Projected: usagetest.AmountOf(12), BudgetPerDay: usagetest.AmountOf(10_000_000),
						RunsOutAt: reset.Add(-12 * time.Hour), RunsOutFrom: from, SwitchesAt: reset.Add(-12 * time.Hour),
					}
					for _, line := range (Words{TwelveHour: true}).Line(usage.Snapshot{Judged: usagetest.Noon}, m).Below(60) {
						if width := ansi.StringWidth(line); width > 60 {
							t.Errorf("%d columns: %s", width, line)
						}
					}
				}
			}
		}
	}
}

func TestGlyphs(t *testing.T) {
	t.Parallel()
	var all strings.Builder
	for _, v := range []usage.Verdict{usage.VerdictOnCourse, usage.VerdictTight, usage.VerdictRunsOut, usage.VerdictUsedUp, usage.VerdictUnused, usage.VerdictTooEarly} {
		if glyph := Glyph(v); ansi.StringWidth(glyph) != 1 || strings.Contains(all.String(), glyph) {
			t.Errorf("%s has the glyph %q", v, glyph)
		}
		all.WriteString(Glyph(v))
	}
	if got := Glyph(usage.Verdict("")); got != "" {
		t.Errorf("no verdict has the glyph %q", got)
	}
}
