package words

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"windsock/usage"
	"windsock/usage/pace"
	"windsock/usage/usagetest"
)

// paceLine is the line of a meter at noon on a Tuesday, five days before its reset.
func paceLine(w Words, p usage.Pace) Line {
	reset := usagetest.Noon.Add(5 * usagetest.Day)
	m := usage.Meter{ID: usage.PromptCredits, Unit: usage.UnitCredits, Window: usage.Window{Start: reset.Add(-30 * usagetest.Day), End: reset}, Pace: &p}
	return w.Line(usage.Snapshot{Judged: usagetest.Noon}, m.Of(usagetest.AmountOf(47), usagetest.AmountOf(500)))
}

func TestPaceWords(t *testing.T) {
	t.Parallel()
	expects := func(v usage.Verdict, chance, low, high float64) usage.Pace {
		return usage.Pace{Verdict: v, Chance: usagetest.AmountOf(chance), Low: usagetest.AmountOf(low), High: usagetest.AmountOf(high)}
	}
	lasts := func(chance, low, high float64) usage.Pace { return expects(usage.VerdictOnCourse, chance, low, high) }
	tight := func(chance float64) usage.Pace { return expects(usage.VerdictTight, chance, 60, 180) }
	out := func(chance float64, from, to time.Duration) usage.Pace {
		p := expects(usage.VerdictRunsOut, chance, 90, 400)
		p.RunsOutFrom, p.RunsOutTo = usagetest.Noon.Add(from), usagetest.Noon.Add(to)
		return p
	}
	tests := []struct {
		name  string
		pace  usage.Pace
		words string
		short string
	}{
		{"lasts", lasts(80, 60, 95), "✓ Likely to last, 8 in 10 · 5–40 % left at the reset", "✓ Likely to last"},
		{"lasts_rather", lasts(65, 60, 250), "✓ Likely to last, 7 in 10 · nothing to 40 % left at the reset", "✓ Likely to last"},
		{"lasts_at_little_odds", lasts(61, 60, 100), "✓ Likely to last, 6 in 10 · nothing to 40 % left at the reset", "✓ Likely to last"},
		{"lasts_nearly_surely", lasts(94, 60, 90), "✓ Likely to last, 9 in 10 · 10–40 % left at the reset", "✓ Likely to last"},
		{"on_course", lasts(95, 40, 70), "✓ On course · 30–60 % left at the reset", "✓ On course"},
		{"on_course_by_half_a_percent", lasts(99, 17.5, 17.6), "✓ On course · 82–83 % left at the reset", "✓ On course"},
		{"on_course_to_one_figure", lasts(99, 17.6, 18.4), "✓ On course · 82 % left at the reset", "✓ On course"},
		{"hardly_used", lasts(99, 0.3, 4), "✓ On course · 96 to >99 % left at the reset", "✓ On course"},
		{"hardly_used_to_one_figure", lasts(99, 0.3, 0.4), "✓ On course · >99 % left at the reset", "✓ On course"},
		{"hardly_left", lasts(90, 60, 99.7), "✓ Likely to last, 9 in 10 · <1 to 40 % left at the reset", "✓ Likely to last"},
		{"nothing_left", lasts(70, 120, 140), "✓ Likely to last, 7 in 10 · nothing left at the reset", "✓ Likely to last"},
		{"tight", tight(50), "△ Even odds to last", "△ Even odds to last"},
		{"tight_at_six_in_ten", tight(65), "△ Even odds to last", "△ Even odds to last"},
		{"tight_at_four_in_ten", tight(36), "△ Even odds to last", "△ Even odds to last"},
		{"tight_at_little_odds", tight(66), "△ May run out, 3 in 10", "△ May run out"},
		{"tight_on_the_way_back", tight(82), "△ May run out, 2 in 10", "△ May run out"},
		{"tight_at_high_odds", tight(31), "△ May run out, 7 in 10", "△ May run out"},
		{"runs_out", out(30, 52*time.Hour, 8*usagetest.Day), "▲ Runs out, 7 in 10 · between Thu and next Wed", "▲ Runs out, 7 in 10"},
		{"runs_out_nearly_surely", out(6, 52*time.Hour, 98*time.Hour), "▲ Runs out, 9 in 10 · between Thu and Sat", "▲ Runs out, 9 in 10"},
		{"runs_out_surely", out(5, 52*time.Hour, 98*time.Hour), "▲ Runs out · between Thu and Sat", "▲ Runs out"},
		{"runs_out_on_the_way_back", out(52, 52*time.Hour, 98*time.Hour), "▲ Runs out, 5 in 10 · between Thu and Sat", "▲ Runs out, 5 in 10"},
		{"runs_out_sometime", expects(usage.VerdictRunsOut, 40, 60, 130), "▲ Runs out, 6 in 10", "▲ Runs out, 6 in 10"},
		{"fast_day", usage.Pace{Verdict: usage.VerdictTight, Reason: usage.ReasonFastDay}, "△ Fast day: may be used up by the evening", "△ Fast day"},
		{"fast_hours", usage.Pace{Verdict: usage.VerdictTight, Reason: usage.ReasonFastHours}, "△ Fast hours: may be used up before the reset", "△ Fast hours"},
		{
			"flex",
			usage.Pace{Verdict: usage.VerdictTight, Reason: usage.ReasonFlex, SwitchesAt: usagetest.Noon.Add(52 * time.Hour)},
			"△ Prompt credits last until about Thu, then flex credits", "△ Prompt credits last until about Thu",
		},
		{
			"flex_at_no_moment",
			usage.Pace{Verdict: usage.VerdictTight, Reason: usage.ReasonFlex},
			"△ Prompt credits may run out, then flex credits", "△ Prompt credits may run out",
		},
		{"used_up", usage.Pace{Verdict: usage.VerdictUsedUp}, "✗ Used up · back Sun 10:00", "✗ Used up"},
		{"unused", usage.Pace{Verdict: usage.VerdictUnused}, "○ Nothing used yet", "○ Nothing used yet"},
		{"too_early", usage.Pace{Verdict: usage.VerdictTooEarly}, "… Too early to tell", "… Too early to tell"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			line := paceLine(Words{}, tt.pace)
			if got := line.Glyph + " " + line.Pace; got != tt.words || line.Verdict() != tt.short {
				t.Errorf("got %q, in short %q", got, line.Verdict())
			}
		})
	}
}

// A chance has odds of two to nine in ten, or none.
func TestOddsOfEachChance(t *testing.T) {
	t.Parallel()
	in := regexp.MustCompile(`(\S+) in 10`)
	for chance := range 100 {
		for _, v := range []usage.Verdict{usage.VerdictOnCourse, usage.VerdictTight, usage.VerdictRunsOut} {
			said := paceLine(Words{}, usage.Pace{Verdict: v, Chance: usagetest.AmountOf(float64(chance)), High: usagetest.AmountOf(1)}).Pace
			of := chance
			if v != usage.VerdictOnCourse {
				of = 100 - chance
			}
			switch odds := in.FindStringSubmatch(said); {
			case odds == nil && (of >= 95 || strings.HasPrefix(said, "Even odds") && of >= 35 && of <= 65):
			case odds == nil || odds[1] != strconv.Itoa((of+5)/10) || odds[1] == "10":
				t.Errorf("%s with %d %%: %q", v, chance, said)
			}
		}
	}
}

// When it runs out, at noon on a Tuesday of UTC.
func TestSpans(t *testing.T) {
	t.Parallel()
	const never = time.Duration(math.MaxInt64)
	tests := []struct {
		name     string
		words    Words
		from, to time.Duration
		want     string
	}{
		{"days", Words{}, 52 * time.Hour, 98 * time.Hour, "between Thu and Sat"},
		{"one_day", Words{}, 48 * time.Hour, 52 * time.Hour, "on Thu"},
		{"next_week", Words{}, 24 * time.Hour, 7 * usagetest.Day, "between Wed and next Tue"},
		{"one_day_next_week", Words{}, 8 * usagetest.Day, 8*usagetest.Day + time.Hour, "next Wed"},
		{"dates", Words{}, 14 * usagetest.Day, 20 * usagetest.Day, "between 17 Feb and 23 Feb"},
		{"one_date", Words{}, 14 * usagetest.Day, 14*usagetest.Day + time.Hour, "on 17 Feb"},
		{"perhaps_never", Words{}, 52 * time.Hour, never, "from Thu on"},
		{"perhaps_never_from_next_week", Words{}, 8 * usagetest.Day, never, "from next Wed on"},
		{"perhaps_never_from_today", Words{}, 7 * time.Hour, never, "from this afternoon on"},
		{"perhaps_never_from_now", Words{}, 0, never, "at any time"},
		{"today", Words{}, 7 * time.Hour, 10 * time.Hour, "between this afternoon and this evening"},
		{"this_evening", Words{}, 9 * time.Hour, 10 * time.Hour, "this evening"},
		{"this_morning", Words{Location: time.FixedZone("", -10*3600)}, 8 * time.Hour, 9 * time.Hour, "this morning"},
		{"hours", Words{}, 2 * time.Hour, 5 * time.Hour, "between 12:00 and 15:00"},
		{"hours_are_rounded", Words{}, 90 * time.Minute, 5*time.Hour - time.Minute, "between 12:00 and 15:00"},
		{"one_hour", Words{}, 100 * time.Minute, 2 * time.Hour, "around 12:00"},
		{"hours_of_twelve", Words{TwelveHour: true}, 2 * time.Hour, 5 * time.Hour, "between 12:00 PM and 3:00 PM"},
		{"hours_of_another_zone", Words{Location: time.FixedZone("", 5*3600+1800)}, 70 * time.Minute, 5 * time.Hour, "between 17:00 and 21:00"},
		{"an_hour_and_a_day", Words{}, 6 * time.Hour, 24 * time.Hour, "between 16:00 and Wed"},
		{"an_hour_after_midnight", Words{Location: time.FixedZone("", 11*3600)}, 5 * time.Hour, 7 * time.Hour, "between 02:00 and Wed"},
		{"now", Words{}, 29 * time.Minute, 52 * time.Hour, "by Thu"},
		{"before_now", Words{}, -time.Hour, 9 * time.Hour, "by this evening"},
		{"both_before_now", Words{}, -2 * time.Hour, -time.Hour, "at any moment"},
		{"neither", Words{}, never, never, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := usage.Pace{Verdict: usage.VerdictRunsOut, Chance: usagetest.AmountOf(1)}
			if tt.from != never {
				p.RunsOutFrom = usagetest.Noon.Add(tt.from)
			}
			if tt.to != never {
				p.RunsOutTo = usagetest.Noon.Add(tt.to)
			}
			want := "Runs out"
			if tt.want != "" {
				want += " · " + tt.want
			}
			if got := paceLine(tt.words, p).Pace; got != want {
				t.Errorf("got %q", got)
			}
		})
	}
}

func TestUntilFlexCredits(t *testing.T) {
	t.Parallel()
	for in, want := range map[time.Duration]string{
		time.Minute:          "run out soon",
		3 * time.Hour:        "last until about 13:00",
		9 * time.Hour:        "last until this evening",
		52 * time.Hour:       "last until about Thu",
		8 * usagetest.Day:    "last until next Wed",
		15 * usagetest.Day:   "last until about 18 Feb",
		-15 * usagetest.Day:  "run out soon",
		-time.Hour:           "run out soon",
		6*time.Hour + 1:      "last until this afternoon",
		29 * time.Minute:     "run out soon",
		30 * time.Minute:     "last until about 11:00",
		6 * usagetest.Day:    "last until about Mon",
		7*usagetest.Day - 1:  "last until next Tue",
		13 * usagetest.Day:   "last until next Mon",
		14*usagetest.Day - 1: "last until about 17 Feb",
	} {
		p := usage.Pace{Verdict: usage.VerdictTight, Reason: usage.ReasonFlex, SwitchesAt: usagetest.Noon.Add(in)}
		if got := paceLine(Words{}, p).Pace; got != "Prompt credits "+want+", then flex credits" {
			t.Errorf("%v on: %q", in, got)
		}
	}
}

// The evening is told only if it is ahead, and before the reset.
func TestFastDay(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		zone   int
		resets time.Duration
		want   string
	}{
		{0, 20 * time.Hour, "by the evening"},
		{0, 8*time.Hour + 1, "by the evening"},
		{0, 8 * time.Hour, "before the reset"},
		{7, 20 * time.Hour, "by the evening"},
		{8, 20 * time.Hour, "before the reset"},
		{-9, 20 * time.Hour, "by the evening"},
		{-9, 3 * time.Hour, "before the reset"},
	} {
		m := usage.NewMeter(usage.DailyQuota, usage.Window{Start: usagetest.Noon.Add(tt.resets - usagetest.Day), End: usagetest.Noon.Add(tt.resets)})
		m.Pace = &usage.Pace{Verdict: usage.VerdictTight, Reason: usage.ReasonFastDay}
		w := Words{Location: time.FixedZone("", tt.zone*3600)}
		got := w.Line(usage.Snapshot{Judged: usagetest.Noon}, m.Of(usagetest.AmountOf(60), usagetest.AmountOf(100))).Pace
		if got != "Fast day: may be used up "+tt.want {
			t.Errorf("%d hours east, %v before the reset: %q", tt.zone, tt.resets, got)
		}
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
		{Meter: usage.Gemini5h, Label: "Gemini 5-hour", Bar: "▰▰▰▰▰▰▰▰▰▰", Text: "100 % left", Pace: "Starts with the next prompt", Glyph: "○", PaceTone: ToneFaint},
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
		Pace: "Runs out, 7 in 10 · between Thu and next Wed", Under: "resets in 14d 22h (18 Feb)",
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
			"▲ Runs out, 7 in 10 · between Thu and next Wed · resets in 14d 22h (18 Feb) · To last: up to 30 credits a day",
		}},
		{"on_two", whole, 60, []string{
			"▲ Runs out, 7 in 10 · between Thu and next Wed", "resets in 14d 22h (18 Feb) · To last: up to 30 credits a day",
		}},
		{"on_three", whole, 59, []string{"▲ Runs out, 7 in 10 · between Thu and next Wed", "resets in 14d 22h (18 Feb)", "To last: up to 30 credits a day"}},
		{"no_room", whole, 3, []string{"▲ Runs out, 7 in 10 · between Thu and next Wed", "resets in 14d 22h (18 Feb)", "To last: up to 30 credits a day"}},
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

// A menu and a tooltip have 64 columns for a line below a figure, and do not wrap it.
func TestPaceWordsFitTheMenu(t *testing.T) {
	t.Parallel()
	const columns = 64
	var moments []time.Time
	for step := range 24 * 8 {
		moments = append(moments, usagetest.Noon.Add(time.Duration(step)*5*time.Hour))
	}
	check := func(p usage.Pace) {
		p.BudgetPerDay = usagetest.AmountOf(10_000_000)
		for _, line := range paceLine(Words{TwelveHour: true}, p).Below(columns) {
			if width := ansi.StringWidth(line); width > columns {
				t.Errorf("%d columns: %s", width, line)
			}
		}
	}
	for i, at := range moments {
		check(usage.Pace{Verdict: usage.VerdictTight, Reason: usage.ReasonFlex, SwitchesAt: at})
		for _, to := range append(moments[i:], time.Time{}) {
			check(usage.Pace{Verdict: usage.VerdictRunsOut, Chance: usagetest.AmountOf(30), RunsOutFrom: at, RunsOutTo: to})
		}
	}
	for low := range 110 {
		for high := low; high < 110; high++ {
			check(usage.Pace{Verdict: usage.VerdictOnCourse, Chance: usagetest.AmountOf(80), Low: usagetest.AmountOf(float64(low) + 0.1), High: usagetest.AmountOf(float64(high) + 0.1)})
		}
	}
	for _, reason := range []string{"", usage.ReasonFastDay, usage.ReasonFastHours, usage.ReasonFlex} {
		check(usage.Pace{Verdict: usage.VerdictTight, Reason: reason, Chance: usagetest.AmountOf(70)})
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
