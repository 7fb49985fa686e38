package spend_test

import (
	"testing"
	"time"

	"windsock/usage"
	"windsock/usage/spend"
)

// What a step does not tell, its neighbours or its cascade do.
func TestTimeOfAStep(t *testing.T) {
	t.Parallel()
	day := func(n int) time.Time { return time.Date(2026, 1, n, 12, 0, 0, 0, time.UTC) }
	step := func(created, at time.Time) spend.Step { return spend.Step{Prompt: true, Created: created, At: at} }
	for name, c := range map[string]struct {
		created, modified time.Time
		first, later      []spend.Step
		want              []string
	}{
		"when it was used":             {day(1), day(20), []spend.Step{step(day(3), day(4))}, nil, []string{"2026-01-04"}},
		"when it was made":             {day(1), day(20), []spend.Step{step(day(3), time.Time{})}, nil, []string{"2026-01-03"}},
		"that of the step before":      {day(1), day(20), []spend.Step{step(day(3), time.Time{}), {Prompt: true}}, nil, []string{"2026-01-03"}},
		"of one that was read before":  {day(1), day(20), []spend.Step{step(day(3), time.Time{}), {Prompt: true}}, []spend.Step{{Prompt: true}}, []string{"2026-01-03"}},
		"of one that counts nothing":   {day(1), day(20), []spend.Step{{At: day(3)}, {Prompt: true}}, nil, []string{"2026-01-03"}},
		"when the cascade was made":    {day(1), day(20), []spend.Step{{Prompt: true}}, nil, []string{"2026-01-01"}},
		"when it was modified":         {time.Time{}, day(20), []spend.Step{{Prompt: true}}, []spend.Step{{Prompt: true}}, []string{"2026-01-20"}},
		"when it was read":             {time.Time{}, time.Time{}, []spend.Step{{Prompt: true}}, nil, []string{"2026-02-03"}},
		"times that nobody can mean":   {day(1), day(20), []spend.Step{step(time.Unix(-5, 0), time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC))}, nil, []string{"2026-01-01"}},
		"on more days when more comes": {day(1), day(20), []spend.Step{step(day(3), day(3))}, []spend.Step{step(day(5), day(5))}, []string{"2026-01-03", "2026-01-05"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, b := &server{}, book(t, tempPath(t))
			for i, steps := range [][]spend.Step{c.first, c.later} {
				for j := range steps {
					steps[j].Model = "opus"
				}
				s.put("a", c.modified.Add(time.Duration(i)*time.Hour), append(s.steps["a"], steps...)...)
				if s.list[0].Created = c.created; c.modified.IsZero() {
					s.list[0].Modified = time.Time{}
				}
				read(t, b, reading(s))
			}
			var days []string
			report := sum(t, b, spend.ByDay, spend.Look{})
			for _, r := range report.Rows {
				days = append(days, r.Key)
			}
			equal(t, days, c.want)
		})
	}
}

// A step keeps its time and its model when they are not told any more.
func TestAStepKeepsWhatItWas(t *testing.T) {
	t.Parallel()
	s, b := &server{}, book(t, tempPath(t))
	was := answer(now.AddDate(0, 0, -3), "r", "opus", credits(50))
	was.Open = true
	s.put("a", now, was)
	read(t, b, reading(s))
	s.put("a", now.Add(time.Minute), spend.Step{Request: "r", Answer: true})
	read(t, b, reading(s))
	want := spend.Figures{Costs: credits(50), Tokens: tokens(100, 10, 50), ModelSteps: 1}
	equal(t, sum(t, b, spend.ByDay, spend.Look{}).Rows, []spend.Row{{Key: "2026-01-31", Label: "2026-01-31", Figures: want, Days: 1}})
	equal(t, sum(t, b, spend.ByModel, spend.Look{}).Rows, []spend.Row{{Key: "opus", Label: "Claude Opus", Figures: want, Days: 1}})
}

// A prompt that does not ask for a model is for the one that answers.
func TestModelOfAPrompt(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		first, later []spend.Step
		want         map[string]int
	}{
		"it asks for one":    {[]spend.Step{prompt(now, "opus"), answer(now, "r", "swe", credits(1))}, nil, map[string]int{"opus": 1, "swe": 0}},
		"the one it gets":    {[]spend.Step{prompt(now, ""), {Created: now}, answer(now, "r", "swe", credits(1))}, nil, map[string]int{"swe": 1}},
		"the answer is late": {[]spend.Step{prompt(now, "")}, []spend.Step{answer(now, "r", "swe", credits(1))}, map[string]int{"swe": 1}},
		"two of them":        {[]spend.Step{prompt(now, ""), prompt(now.Add(1), "")}, []spend.Step{answer(now, "r", "swe", credits(1))}, map[string]int{"swe": 2}},
		"no answer":          {[]spend.Step{prompt(now, "")}, nil, map[string]int{"": 1}},
		"no model answers":   {[]spend.Step{prompt(now, "")}, []spend.Step{answer(now, "r", "", credits(1))}, map[string]int{"": 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, b := &server{}, book(t, tempPath(t))
			s.put("a", now, c.first...)
			read(t, b, reading(s))
			s.put("a", now.Add(time.Minute), append(s.steps["a"], c.later...)...)
			read(t, b, reading(s))
			got := map[string]int{}
			for _, r := range sum(t, b, spend.ByModel, spend.Look{}).Rows {
				got[r.Key] = r.Prompts
			}
			equal(t, got, c.want)
		})
	}
}

// A cascade whose modified time lay in the future, by a clock that was ahead, is not
// taken for the newest ever after.
func TestModifiedInTheFuture(t *testing.T) {
	t.Parallel()
	s, b := &server{}, book(t, tempPath(t))
	s.put("a", now.AddDate(5, 0, 0), answer(now, "r1", "opus", credits(1)))
	read(t, b, reading(s))
	s.put("a", now, append(s.steps["a"], answer(now, "r2", "opus", credits(2)))...)
	read(t, b, reading(s))
	equal(t, sum(t, b, spend.ByModel, spend.Look{}).Total.Credits, usage.Micros(30_000))
}

// After the clock was set back, what was read before is not taken for the newest until the
// clock is there again.
func TestClockSetBack(t *testing.T) {
	t.Parallel()
	s, b := &server{}, book(t, tempPath(t))
	ahead := reading(s)
	ahead.Now = now.AddDate(1, 0, 0)
	s.put("a", ahead.Now, answer(ahead.Now, "r1", "opus", credits(1)))
	read(t, b, ahead)
	s.put("a", now, append(s.steps["a"], answer(now, "r2", "opus", credits(2)))...)
	read(t, b, reading(s))
	report := sum(t, b, spend.ByModel, spend.Look{})
	equal(t, report.Read, now)
	equal(t, report.Total.Credits, usage.Micros(20_000)) // what lies in the future is not in its time
	s.asked = nil
	read(t, b, reading(s))
	equal(t, s.asked, []ask{{}})
}

// A copy in a branch changes nothing, whatever it tells.
func TestCopyInABranch(t *testing.T) {
	t.Parallel()
	s, b := &server{}, book(t, tempPath(t))
	s.put("a", now, answer(now, "r", "opus", credits(50)))
	read(t, b, reading(s))
	s.put("b", now, answer(now.AddDate(0, 0, -1), "r", "swe", credits(0)))
	read(t, b, reading(s))
	want := spend.Figures{Costs: credits(50), Tokens: tokens(100, 10, 50), ModelSteps: 1}
	equal(t, sum(t, b, spend.ByCascade, spend.Look{}).Rows, []spend.Row{{Key: "a", Label: "a", Figures: want, Days: 1}})
	equal(t, sum(t, b, spend.ByDay, spend.Look{}).Rows, []spend.Row{{Key: "2026-02-03", Label: "2026-02-03", Figures: want, Days: 1}})
}
