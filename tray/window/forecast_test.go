package window

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"

	"windsock/usage"
	"windsock/usage/history"
	"windsock/usage/pace"
	"windsock/usage/words"
)

// drawn is a line in words.
func drawn(line []point) string {
	var parts []string
	for _, p := range line {
		at, _ := p[0].(int64)
		parts = append(parts, time.Unix(at, 0).UTC().Format("Mon 2 15:04")+fmt.Sprintf(" %v", p[1]))
	}
	return strings.Join(parts, ", ")
}

// week is a quota of a week from Monday, of which it is Thursday noon.
func week(used float64, p usage.Pace) usage.Meter {
	start := time.Date(2026, 2, 2, 0, 0, 0, 0, time.UTC)
	m := usage.NewMeter(usage.WeeklyQuota, usage.Window{Start: start, End: start.AddDate(0, 0, 7)}).Of(percent(used), percent(100))
	m.Pace = &p
	return m
}

func percent(f float64) usage.Amount { return usage.Micros(int64(f * usage.One)) }

func TestForecast(t *testing.T) {
	t.Parallel()
	thursday := time.Date(2026, 2, 5, 12, 0, 0, 0, time.UTC)
	workDays := []time.Weekday{time.Monday, time.Tuesday, time.Wednesday, time.Friday, time.Saturday}
	tests := []struct {
		name string
		used float64
		pace usage.Pace
		days []time.Weekday
		want []string // the lines and what is said
	}{
		{"lasts", 40, usage.Pace{Projected: percent(60), Low: percent(40), High: percent(99.6), PastWindows: 4}, nil, []string{
			"Mon 2 00:00 0, Mon 9 00:00 100",
			"Thu 5 12:00 40, Mon 9 00:00 40", "Thu 5 12:00 40, Mon 9 00:00 60", "Thu 5 12:00 40, Mon 9 00:00 99.6",
			"40 % used at the reset; 60 % used at the reset; 100 % used at the reset",
			"The odds come from what you used in 4 past windows and in this one.",
		}},
		{"meets_the_total", 40, usage.Pace{Projected: percent(110), Low: percent(60), High: percent(250), PastWindows: 1}, nil, []string{
			"Mon 2 00:00 0, Mon 9 00:00 100",
			"Thu 5 12:00 40, Mon 9 00:00 60", "Thu 5 12:00 40, Sun 8 12:00 100", "Thu 5 12:00 40, Fri 6 12:00 100",
			"60 % used at the reset; all used by 8 Feb 2026, 12:00 UTC; all used by 6 Feb 2026, 12:00 UTC",
			"The odds come from what you used in one past window and in this one.",
		}},
		// Nothing is used on Thursday and Sunday.
		{"work_days", 50, usage.Pace{Projected: percent(80), Low: percent(60), High: percent(150)}, workDays, []string{
			"Mon 2 00:00 0, Thu 5 00:00 60, Fri 6 00:00 60, Sun 8 00:00 100, Mon 9 00:00 100",
			"Thu 5 12:00 50, Fri 6 00:00 50, Sun 8 00:00 60, Mon 9 00:00 60", "Thu 5 12:00 50, Fri 6 00:00 50, Sun 8 00:00 80, Mon 9 00:00 80",
			"Thu 5 12:00 50, Fri 6 00:00 50, Sat 7 00:00 100",
			"60 % used at the reset; 80 % used at the reset; all used by 7 Feb 2026, 00:00 UTC",
			"The odds come from this window and what most people use: no past window has been seen yet.",
		}},
		{"no_projection", 100, usage.Pace{Verdict: usage.VerdictUsedUp}, nil, []string{"Mon 2 00:00 0, Mon 9 00:00 100"}},
		{"no_work_day", 40, usage.Pace{Projected: percent(60), Low: percent(50), High: percent(70)}, []time.Weekday{time.Monday, 9}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := week(tt.used, tt.pace)
			if tt.want == nil { // a window of hours on another day
				m.Window.Start = m.Window.End.Add(-time.Hour)
			}
			var c chart
			c.about(usage.Snapshot{Source: usage.Source{FetchedAt: thursday}, Meters: []usage.Meter{m}}, m, words.Words{}, pace.Options{WorkDays: tt.days})
			var got []string
			if c.Even != nil {
				got = append(got, drawn(c.Even))
			}
			if f := c.Forecast; f != nil {
				got = append(got, drawn(f.Low), drawn(f.Mid), drawn(f.High), f.Cases[0].Ends+"; "+f.Cases[1].Ends+"; "+f.Cases[2].Ends, f.Odds)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// A limit of what is bought on demand is nothing to use up evenly.
func TestNoCourseOfMoney(t *testing.T) {
	t.Parallel()
	m := usage.NewMeter(usage.OnDemand, week(0, usage.Pace{}).Window).Of(usage.Micros(17_850_000), usage.Micros(350*usage.One))
	var c chart
	c.about(usage.Snapshot{Meters: []usage.Meter{m}}, m, words.Words{}, pace.Options{})
	if c.Even != nil || c.Forecast != nil || c.TotalWords != "$350.00" || c.Unit != usage.UnitUSD {
		t.Errorf("%+v", c)
	}
}

// The lines of the fan meet the total when the pace says that the meter runs out.
func TestForecastAgreesWithPace(t *testing.T) {
	t.Parallel()
	thursday := time.Date(2026, 2, 5, 12, 0, 0, 0, time.UTC)
	options := pace.Options{WorkDays: []time.Weekday{time.Monday, time.Tuesday, time.Thursday, time.Saturday}}
	s := usage.Snapshot{Source: usage.Source{FetchedAt: thursday}, Meters: []usage.Meter{week(95, usage.Pace{})}}
	m := pace.Judge(s, nil, options).Meters[0]
	f := forecastOf(m, thursday, pace.Counted(m.Window, options), words.Words{})
	p := m.Pace
	if p.Verdict != usage.VerdictRunsOut || f == nil {
		t.Fatalf("pace %+v, forecast %v", p, f)
	}
	for name, line := range map[string]struct {
		at     time.Time
		points []point
	}{"middle": {p.RunsOutAt, f.Mid}, "high": {p.RunsOutFrom, f.High}} {
		at, _ := line.points[len(line.points)-1][0].(int64)
		if off := time.Unix(at, 0).Sub(line.at).Abs(); off > 2*time.Second {
			t.Errorf("the %s line ends %v off %v", name, off, line.at)
		}
	}
}

func TestPastWindows(t *testing.T) {
	t.Parallel()
	end := time.Date(2026, 2, 18, 9, 7, 17, 0, time.UTC) // of the present cycle
	month := func(back int) usage.Window {
		return usage.Window{Start: end.AddDate(0, -1-back, 0), End: end.AddDate(0, -back, 0)}
	}
	of := func(w usage.Window, after time.Duration, used, total int64) history.Sample {
		return history.Sample{At: w.Start.Add(after), Meter: usage.PromptCredits, Unit: usage.UnitCredits, Used: usage.Micros(used * usage.One), Total: usage.Micros(total * usage.One), Window: w}
	}
	trial := usage.Window{Start: month(2).Start, End: month(2).Start.AddDate(0, 0, 14)}
	half := month(1).End.Sub(month(1).Start) / 2
	f := &fake{samples: []history.Sample{
		of(trial, time.Hour, 90, 100), // of another length
		of(month(1), 0, 0, 1000), of(month(1), half, 200, 1000), of(month(1), 2*half, 300, 1000),
		of(month(0), time.Hour, 30, 500), // the present one
	}}
	p := enter(t, f, nil)
	const want = `"past":[{"points":[[1768727237,0],[1770066437,100],[1771405637,150]],"until":"18 Jan 2026, 09:07 UTC","used":"300 of 1,000 credits"}]`
	if body := p.do("GET", "/api/usage/chart?past=on", "", nil).body; !strings.Contains(body, want) {
		t.Errorf("got %s, want %s", body, want)
	}
	if body := p.do("GET", "/api/usage/chart", "", nil).body; !strings.Contains(body, `"past":[]`) {
		t.Errorf("not asked for, got %s", body)
	}
	f.samples = nil
	for back := 12; back > 0; back-- {
		for i := range 300 {
			f.samples = append(f.samples, of(month(back), time.Duration(i)*time.Hour, int64(i), 500))
		}
	}
	many := gjson.Get(p.do("GET", "/api/usage/chart?past=on", "", nil).body, "past").Array()
	for _, one := range many {
		if n := len(one.Get("points").Array()); n > maxPastPoints || len(many) != maxPastWindows || one.Get("used").Str != "299 of 500 credits" {
			t.Errorf("%d windows with %d points, %s", len(many), n, one.Get("used"))
		}
	}
}
