package usage

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"
)

// Everything that is said of a pace, at noon on a Tuesday, five days before the
// reset.
func TestPaceWords(t *testing.T) {
	t.Parallel()
	reset := noon.Add(5 * day)
	credits := Meter{ID: PromptCredits, Unit: UnitCredits, Window: Window{Start: reset.Add(-30 * day), End: reset}}.of(amount(47), amount(500))
	in := noon.Add
	tests := []struct {
		name  string
		pace  Pace
		words Words
		want  string
	}{
		{"on_course", Pace{Verdict: VerdictOnCourse, Projected: amount(18.2)}, Words{}, "✓ On course: ~82 % left at reset"},
		{"on_course_by_half_a_percent", Pace{Verdict: VerdictOnCourse, Projected: amount(17.5)}, Words{}, "✓ On course: ~83 % left at reset"},
		{"hardly_used", Pace{Verdict: VerdictOnCourse, Projected: amount(0.3)}, Words{}, "✓ On course: >99 % left at reset"},
		{"tight", Pace{Verdict: VerdictTight, Projected: amount(96.2)}, Words{}, "△ Tight: ~4 % left at reset"},
		{"tight_to_the_last", Pace{Verdict: VerdictTight, Projected: amount(99.7)}, Words{}, "△ Tight: <1 % left at reset"},
		{"tight_beyond", Pace{Verdict: VerdictTight, Projected: amount(100.8)}, Words{}, "△ Tight: <1 % left at reset"},
		{"recent", Pace{Verdict: VerdictTight, Reason: "at the pace of the last 24h"}, Words{}, "△ Tight at the pace of the last 24h"},
		{"average", Pace{Verdict: VerdictTight, Reason: "at the average pace"}, Words{}, "△ Tight at the average pace"},
		{"fast_start", Pace{Verdict: VerdictTight, Reason: ReasonFastStart}, Words{}, "△ Fast start: would not last at this pace"},
		{"fast_day", Pace{Verdict: VerdictTight, Reason: ReasonFastDay}, Words{}, "△ Fast day: would not last at this pace"},
		{"runs_out", Pace{Verdict: VerdictRunsOut, RunsOutAt: in(52 * time.Hour)}, Words{}, "▲ Runs out ~Thu 14:00, 2d 20h before the reset"},
		{
			"runs_out_in_the_morning",
			Pace{Verdict: VerdictRunsOut, RunsOutAt: in(52 * time.Hour)},
			Words{TwelveHour: true, Location: time.FixedZone("", -5*3600)},
			"▲ Runs out ~Thu 9:00 AM, 2d 20h before the reset",
		},
		{"by_hours", Pace{Verdict: VerdictRunsOut, RunsOutAt: in(5*day - 3*time.Hour - 20*time.Minute)}, Words{}, "▲ Runs out ~Sun 06:40, 3h 20m before the reset"},
		{"by_an_hour", Pace{Verdict: VerdictRunsOut, RunsOutAt: in(5*day - time.Hour)}, Words{}, "▲ Runs out ~Sun 09:00, 1h before the reset"},
		{"by_a_day", Pace{Verdict: VerdictRunsOut, RunsOutAt: in(4 * day)}, Words{}, "▲ Runs out ~Sat 10:00, 1d before the reset"},
		{"by_minutes", Pace{Verdict: VerdictRunsOut, RunsOutAt: in(5*day - 20*time.Minute)}, Words{}, "▲ Runs out ~Sun 09:40, 20m before the reset"},
		{"soon", Pace{Verdict: VerdictRunsOut, RunsOutAt: in(6*time.Hour - time.Second)}, Words{}, "▲ Runs out ~Tue 15:59, 4d 19h before the reset"},
		{
			"half_hour_zone",
			Pace{Verdict: VerdictRunsOut, RunsOutAt: in(52*time.Hour + 59*time.Minute + 59*time.Second)},
			Words{Location: time.FixedZone("", 5*3600+1800)},
			"▲ Runs out ~Thu 20:00, 2d 20h before the reset",
		},
		{"by_nothing", Pace{Verdict: VerdictRunsOut, RunsOutAt: reset}, Words{}, "▲ Runs out ~Sun 10:00, just before the reset"},
		{
			"range",
			Pace{Verdict: VerdictRunsOut, RunsOutFrom: in(48 * time.Hour), RunsOutAt: in(78 * time.Hour)},
			Words{},
			"▲ Runs out Thu 10:00 – Fri 16:00",
		},
		{
			"range_of_seconds",
			Pace{Verdict: VerdictRunsOut, RunsOutFrom: in(52 * time.Hour), RunsOutAt: in(52*time.Hour + time.Second)},
			Words{},
			"▲ Runs out ~Thu 14:00, 2d 20h before the reset",
		},
		{
			"flex",
			Pace{Verdict: VerdictTight, Reason: ReasonFlex, SwitchesAt: in(52 * time.Hour), Projected: amount(120)},
			Words{},
			"△ Lasts until ~Thu 14:00, then flex credits",
		},
		{"used_up", Pace{Verdict: VerdictUsedUp}, Words{}, "✗ Used up · back Sun 10:00"},
		{"unused", Pace{Verdict: VerdictUnused}, Words{}, "○ Nothing used yet"},
		{"too_early", Pace{Verdict: VerdictTooEarly}, Words{}, "… Too early to tell"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := credits
			m.Pace = &tt.pace
			line := tt.words.Line(Snapshot{Judged: noon}, m)
			if got := line.Glyph + " " + line.Pace; got != tt.want {
				t.Errorf("got %q", got)
			}
		})
	}
}

func TestPaceOfUsedUpMeterIsItsFigure(t *testing.T) {
	t.Parallel()
	m := Meter{ID: WeeklyQuota, Unit: UnitPercent, Window: Window{Start: noon.Add(-6 * day), End: noon.Add(day)}}.of(amount(100), amount(100))
	balance := Meter{ID: ExtraUsage, Unit: UnitUSD, State: StateOK, Remaining: amount(12.4)}
	s := Snapshot{Source: Source{FetchedAt: noon}, Judged: noon, Meters: []Meter{m, balance}}.WithPace(nil, PaceOptions{})
	got := Words{}.Line(s, s.Meters[0])
	want := Line{
		Meter: WeeklyQuota, Label: "Weekly quota", Bar: "▱▱▱▱▱▱▱▱▱▱",
		Text: "Used up, on extra usage: $12.40 left", Under: "back Wed 10:00", Tone: ToneCritical,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestBudgetWords(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		verdict Verdict
		unit    Unit
		budget  Amount
		want    string
	}{
		{"credits", VerdictTight, UnitCredits, amount(30.99), "To last: up to 30 credits a day"},
		{"thousands", VerdictRunsOut, UnitCredits, amount(1234.5), "To last: up to 1,234 credits a day"},
		{"few", VerdictRunsOut, UnitCredits, amount(2.58), "To last: up to 2.5 credits a day"},
		{"one", VerdictRunsOut, UnitCredits, amount(1.09), "To last: up to 1 credit a day"},
		{"a_trace", VerdictRunsOut, UnitCredits, amount(0.09), "To last: less than 0.1 credits a day"},
		{"percent", VerdictTight, UnitPercent, amount(14.2), "To last: up to 14 % a day"},
		{"few_percent", VerdictTight, UnitPercent, amount(8.57), "To last: up to 8 % a day"},
		{"hardly_a_percent", VerdictTight, UnitPercent, amount(0.9), "To last: less than 1 % a day"},
		{"acu", VerdictTight, UnitACU, amount(14.2), "To last: up to 14 ACUs a day"},
		{"not_known", VerdictTight, UnitPercent, Amount{}, ""},
		{"lasts_anyway", VerdictOnCourse, UnitCredits, amount(30.99), ""},
		{"too_early", VerdictTooEarly, UnitCredits, amount(30.99), ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := Meter{Unit: tt.unit, State: StateOK, Pace: &Pace{Verdict: tt.verdict, BudgetPerDay: tt.budget}}
			if got := (Words{}).Line(Snapshot{Judged: noon}, m).Budget; got != tt.want {
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

// The menu has 60 columns for a line below a figure, and nobody can wrap it.
func TestPaceWordsFitTheMenu(t *testing.T) {
	t.Parallel()
	far := time.Date(2027, 11, 30, 22, 58, 0, 0, time.UTC)
	for _, verdict := range []Verdict{VerdictOnCourse, VerdictTight, VerdictRunsOut, VerdictUsedUp, VerdictUnused, VerdictTooEarly} {
		for _, reason := range []string{"", ReasonFastStart, ReasonFastDay, ReasonFlex, "at the pace of the last 24h", "at the average pace"} {
			for _, reset := range []time.Time{noon.Add(5*day + 12*time.Hour + time.Minute), noon.Add(340 * day), far} {
				for _, from := range []time.Time{{}, noon.Add(time.Hour)} {
					m := creditMeter(47)
					m.Window.End = reset
					m.Pace = &Pace{
						Verdict: verdict, Reason: reason, Projected: amount(12), BudgetPerDay: amount(10_000_000),
						RunsOutAt: reset.Add(-12 * time.Hour), RunsOutFrom: from, SwitchesAt: reset.Add(-12 * time.Hour),
					}
					for _, line := range (Words{TwelveHour: true}).Line(Snapshot{Judged: noon}, m).Below(60) {
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
	for _, v := range []Verdict{VerdictOnCourse, VerdictTight, VerdictRunsOut, VerdictUsedUp, VerdictUnused, VerdictTooEarly} {
		if glyph := v.Glyph(); ansi.StringWidth(glyph) != 1 || strings.Contains(all.String(), glyph) {
			t.Errorf("%s has the glyph %q", v, glyph)
		}
		all.WriteString(v.Glyph())
	}
	if got := Verdict("").Glyph(); got != "" {
		t.Errorf("no verdict has the glyph %q", got)
	}
}
