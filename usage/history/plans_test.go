package history

import (
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"windsock/probe/say"
	"windsock/usage"
)

// plan is the plan of a named account; the empty name is an unknown account.
func plan(product usage.Product, name string) usage.Plan {
	if name == "" {
		return usage.Plan{Product: product}
	}
	return usage.Plan{Product: product, Account: usage.NewAccount(name)}
}

func gemini(used int64) usage.Meter {
	window := usage.Window{Start: noon.Add(-5 * time.Hour), End: noon.Add(time.Second)}
	return usage.NewMeter(usage.Gemini5h, window).Of(usage.Micros(used*credit), usage.Micros(100*credit))
}

// family is a store with two accounts of Windsurf, one of them of January alone, and one
// of Antigravity.
var family = made(func(tb testing.TB, path string) {
	tb.Helper()
	s := salted(tb, path)
	for hour := range int64(4) {
		s.Record(tb.Context(), snapshot(plan(usage.Windsurf, "old"), noon.AddDate(0, 0, -20).Add(time.Duration(hour)*time.Hour), flex(hour*credit)))
	}
	for hour := range int64(4) {
		at := noon.Add(time.Duration(hour-4) * time.Hour)
		s.Record(tb.Context(), snapshot(plan(usage.Windsurf, "work"), at, credits(hour*credit)))
		s.Record(tb.Context(), snapshot(plan(usage.Antigravity, "me"), at.Add(time.Minute), gemini(hour*10)))
	}
	if err := s.Close(); err != nil {
		tb.Fatal(err)
	}
})

const (
	work = "windsurf:2369f2"
	old  = "windsurf:b55faa"
	mine = "antigravity:9dca01"
)

func TestPlans(t *testing.T) {
	t.Parallel()
	s := open(t, family(t))
	plans, err := s.Plans(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	last := noon.Add(-time.Hour)
	equal(t, plans, []Plan{
		{old, usage.Windsurf, strings.TrimPrefix(old, "windsurf:"), noon.AddDate(0, 0, -20).Add(3 * time.Hour)},
		{work, usage.Windsurf, strings.TrimPrefix(work, "windsurf:"), last},
		{mine, usage.Antigravity, strings.TrimPrefix(mine, "antigravity:"), last.Add(time.Minute)},
	})
	s.Record(t.Context(), snapshot(plan(usage.Antigravity, ""), noon, gemini(50)))
	plans, err = s.Plans(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	equal(t, plans[len(plans)-1], Plan{"antigravity", usage.Antigravity, "", noon})
	if plans, err := open(t, tempPath(t)).Plans(t.Context()); err != nil || plans != nil {
		t.Errorf("without a file: %v, %v", plans, err)
	}
}

// A plan's samples and days are its own. An unknown account stands for the plan of its
// product that was seen last.
func TestOnePlan(t *testing.T) {
	t.Parallel()
	s := open(t, family(t))
	tests := []struct {
		name  string
		plans []usage.Plan
		want  string // of each sample and day
		count int
	}{
		{"work", []usage.Plan{plan(usage.Windsurf, "work")}, work, 4},
		{"old", []usage.Plan{plan(usage.Windsurf, "old")}, old, 4},
		{"mine", []usage.Plan{plan(usage.Antigravity, "me")}, mine, 4},
		{"the_same_account_elsewhere", []usage.Plan{plan(usage.Antigravity, "work")}, "", 0},
		{"stranger", []usage.Plan{plan(usage.Windsurf, "stranger")}, "", 0},
		{"of_windsurf", []usage.Plan{plan(usage.Windsurf, "")}, work, 4},
		{"of_antigravity", []usage.Plan{plan(usage.Antigravity, "")}, mine, 4},
		{"of_a_product_of_the_future", []usage.Plan{plan("cursor", "")}, "", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			samples, err := s.Samples(t.Context(), time.Time{}, tt.plans...)
			if err != nil {
				t.Fatal(err)
			}
			days, err := s.Days(t.Context(), time.Time{}, tt.plans...)
			if err != nil {
				t.Fatal(err)
			}
			if len(samples) != tt.count || (len(days) > 0) != (tt.count > 0) {
				t.Errorf("%d samples, %d days", len(samples), len(days))
			}
			for _, sample := range samples {
				equal(t, sample.Plan, tt.want)
			}
			for _, day := range days {
				equal(t, day.Plan, tt.want)
			}
		})
	}
}

// The samples of all plans are in the order in which they were taken, and their days are
// in the order of the products.
func TestAllPlans(t *testing.T) {
	t.Parallel()
	s := open(t, family(t))
	samples, err := s.Samples(t.Context(), time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, sample := range samples {
		got = append(got, sample.Plan)
	}
	equal(t, strings.Join(got, " "), strings.TrimSpace(strings.Repeat(old+" ", 4)+strings.Repeat(work+" "+mine+" ", 4)))
	days, err := s.Days(t.Context(), time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, days, []Day{
		{old, "2026-01-14", usage.FlexCredits, usage.UnitCredits, usage.Micros(3 * credit)},
		{work, "2026-02-03", usage.PromptCredits, usage.UnitCredits, usage.Micros(3 * credit)},
		{mine, "2026-02-03", usage.Gemini5h, usage.UnitPercent, usage.Micros(30 * credit)},
	})
}

// Recording one plan changes nothing of the others.
func TestPlansAreRecordedApart(t *testing.T) {
	t.Parallel()
	s := open(t, family(t))
	before, err := s.Samples(t.Context(), time.Time{}, plan(usage.Windsurf, "work"))
	if err != nil {
		t.Fatal(err)
	}
	s.Record(t.Context(), snapshot(plan(usage.Windsurf, "new"), noon, credits(9*credit)))
	s.Record(t.Context(), snapshot(plan(usage.Antigravity, "work"), noon, credits(8*credit)))
	h := s.Record(t.Context(), snapshot(plan(usage.Windsurf, "work"), noon, credits(5*credit)))
	equal(t, len(h[usage.PromptCredits].Samples), 5)
	after, err := s.Samples(t.Context(), time.Time{}, plan(usage.Windsurf, "work"))
	if err != nil {
		t.Fatal(err)
	}
	equal(t, after[:len(after)-1], before)
}

// What agy told keeps its time until it tells anew; other figures go back with the clock.
func TestRecordLeavesOutOlderAnswers(t *testing.T) {
	t.Parallel()
	path := tempPath(t)
	s := open(t, path)
	for _, answer := range []struct {
		kind    usage.SourceKind
		minutes int
		used    int64
	}{
		{usage.KindLanguageServer, 0, 1},
		{usage.KindStatusLine, -5, 2},
		{usage.KindStatusLine, 5, 3},
		{usage.KindStatusLine, 5, 4},
		{usage.KindCLI, 10, 5},
		{usage.KindStatusLine, 5, 6},
		{usage.KindCLI, 7, 6},
		{usage.KindLanguageServer, -60, 7},
	} {
		one := snapshot(plan(usage.Antigravity, "me"), noon.Add(time.Duration(answer.minutes)*time.Minute), credits(answer.used*credit))
		one.Source.Kind = answer.kind
		s.Record(t.Context(), one)
	}
	equal(t, figures(allSamples(t, path)), []int64{1, 3, 5, 7})
}

func TestCommandOfPlans(t *testing.T) {
	t.Parallel()
	path := family(t)
	tests := []struct {
		name string
		args []string
	}{
		{"plans", []string{"--since", "30d"}},
		{"plans_csv", []string{"--since", "30d", "--csv"}},
		{"plans_days_json", []string{"--since", "30d", "--daily", "--json"}},
		{"plans_of_product", []string{"--plan", "windsurf"}},
		{"plans_one", []string{"--plan", mine}},
		{"plans_one_csv", []string{"--plan", work, "--csv"}},
		{"plans_one_not_then", []string{"--plan", old, "--since", "3d"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			out, errs, err := runHistory(t, path, map[string]string{"COLUMNS": "80"}, tt.args...)
			if err != nil || errs != "" {
				t.Fatal(err, errs)
			}
			golden(t, tt.name+".txt", []byte(out))
		})
	}
	for _, id := range []string{"", "cursor", "windsurf:000000", "windsurf:", ":9dca01"} {
		_, _, err := runHistory(t, path, nil, "--plan", id)
		if want := "--plan takes a plan of the history: " + old + ", " + work + ", " + mine + "."; say.Exit(err) != say.ExitUsage || say.Sentence(err, "") != want {
			t.Errorf("%q: %v", id, err)
		}
	}
	if out, _, err := runHistory(t, tempPath(t), nil, "--plan", "antigravity"); err != nil || !strings.HasPrefix(out, "There is no history yet.") {
		t.Errorf("%q, %v", out, err)
	}
}

// The charts of several plans stand one below the other, and what a dot means once.
func TestChartsOfPlans(t *testing.T) {
	t.Parallel()
	days, err := open(t, family(t)).Days(t.Context(), time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "chart_plans.txt", []byte(ansi.Strip(charts(days, time.Unix(0, 0).UTC(), noon, 60))))
}

func TestHeadings(t *testing.T) {
	t.Parallel()
	tests := []struct{ names, want []string }{
		{[]string{work, mine}, []string{"Windsurf", "Antigravity"}},
		{[]string{work, old, mine}, []string{"Windsurf (2369f2)", "Windsurf (b55faa)", "Antigravity"}},
		{[]string{"windsurf", work}, []string{"Windsurf (account unknown)", "Windsurf (2369f2)"}},
	}
	for _, tt := range tests {
		equal(t, headings(tt.names), tt.want)
	}
}
