package history

import (
	"testing"
	"time"

	"windsock/usage"
)

func TestMoved(t *testing.T) {
	t.Parallel()
	hours := func(n float64) time.Time { return noon.Add(time.Duration(n * float64(time.Hour))) }
	at := func(n float64, used int64) Sample {
		return Sample{At: hours(n), Meter: usage.PromptCredits, Unit: usage.UnitCredits, Used: usage.Micros(used * credit), Window: cycle}
	}
	next := usage.Window{Start: cycle.End, End: cycle.End.AddDate(0, 1, 0)}
	renewed := func(at time.Time, used int64) Sample {
		return Sample{At: at, Meter: usage.PromptCredits, Unit: usage.UnitCredits, Used: usage.Micros(used * credit), Window: next}
	}
	other := func(n float64, used int64) Sample {
		return Sample{At: hours(n), Meter: usage.FlexCredits, Unit: usage.UnitCredits, Used: usage.Micros(used * credit)}
	}
	move := func(meter usage.MeterID, used int64, from float64) Move {
		return Move{meter, usage.Micros(used * credit), hours(from)}
	}
	unknown := func(meter usage.MeterID, from float64) Move { return Move{Meter: meter, From: hours(from)} }
	for name, c := range map[string]struct {
		samples      []Sample
		since, until time.Time
		want         []Move
	}{
		"from the last sample before to the last one in it": {
			[]Sample{at(-2, 10), at(-1, 20), at(1, 25), at(2, 40)}, noon, hours(1.5), []Move{move(usage.PromptCredits, 5, -2)},
		},
		"a sample at its beginning is its base": {[]Sample{at(0, 20), at(1, 25)}, noon, hours(2), []Move{move(usage.PromptCredits, 5, 0)}},
		"a sample at its end counts":            {[]Sample{at(0, 20), at(1, 25)}, noon, hours(1), []Move{move(usage.PromptCredits, 5, 0)}},
		"a second too late for a base":          {[]Sample{at(0, 20), at(1, 25)}, noon.Add(-time.Second), hours(2), []Move{unknown(usage.PromptCredits, 0)}},
		"the base is of long ago":               {[]Sample{at(-400, 20), at(1, 25)}, noon, hours(2), []Move{move(usage.PromptCredits, 5, -400)}},
		"a reset": {
			[]Sample{at(0, 20), at(1, 25), renewed(cycle.End.Add(time.Hour), 7)}, noon, cycle.End.AddDate(0, 0, 1), []Move{move(usage.PromptCredits, 12, 0)},
		},
		"a correction is no use":        {[]Sample{at(0, 20), at(1, 15), at(2, 16)}, noon, hours(3), []Move{move(usage.PromptCredits, 1, 0)}},
		"it stood still":                {[]Sample{at(-5, 20)}, noon, hours(1), []Move{move(usage.PromptCredits, 0, -5)}},
		"nobody has looked since":       {[]Sample{at(-5, 20)}, noon, hours(2), []Move{unknown(usage.PromptCredits, -5)}},
		"nobody has looked for a month": {[]Sample{at(-800, 20)}, noon, hours(2), nil},
		"the plan has it no more":       {[]Sample{at(-20, 20), other(-1, 3), other(1, 4)}, noon, hours(2), []Move{move(usage.FlexCredits, 1, -1)}},
		"the plan does not have it yet": {[]Sample{other(-1, 3), other(1, 4), at(3, 20)}, noon, hours(2), []Move{move(usage.FlexCredits, 1, -1)}},
		"meters are in order": {
			[]Sample{other(-1, 3), at(-1, 20), other(1, 4), at(1, 21)},
			noon, hours(2),
			[]Move{move(usage.PromptCredits, 1, -1), move(usage.FlexCredits, 1, -1)},
		},
		"no samples": {nil, noon, hours(2), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t, tempPath(t))
			fill(t, s, account(t, "u"), c.samples)
			fill(t, s, account(t, "another"), []Sample{renewed(cycle.End.AddDate(0, 0, 2), 99)})
			got, err := s.Moved(t.Context(), account(t, "u"), c.since, c.until)
			if err != nil {
				t.Fatal(err)
			}
			equal(t, got, c.want)
		})
	}
}

// The file has a sample a minute at most, but what was recorded last counts.
func TestMovedUntilThePresent(t *testing.T) {
	t.Parallel()
	s, who := open(t, tempPath(t)), account(t, "u")
	at := func(seconds int, used int64) Sample {
		return Sample{
			At: noon.Add(time.Duration(seconds) * time.Second), Meter: usage.PromptCredits, Unit: usage.UnitCredits,
			Used: usage.Micros(used * credit), Total: usage.Micros(500 * credit), Window: cycle,
		}
	}
	record(t, s, who, at(0, 20), at(70, 25), at(100, 28))
	record(t, s, account(t, "another"), at(101, 99))
	for until, want := range map[int]int64{99: 5, 100: 8, 200: 8} {
		moves, err := s.Moved(t.Context(), who, noon, noon.Add(time.Duration(until)*time.Second))
		if err != nil {
			t.Fatal(err)
		}
		equal(t, moves, []Move{{usage.PromptCredits, usage.Micros(want * credit), noon}})
	}
	record(t, s, who, at(140, 28)) // now it is due, and counts once
	moves, err := s.Moved(t.Context(), who, noon, noon.Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	equal(t, moves, []Move{{usage.PromptCredits, usage.Micros(8 * credit), noon}})
}

// What a meter moved from midnight to midnight is the use of that day.
func TestMovedIsTheUseOfDays(t *testing.T) {
	t.Parallel()
	kathmandu := location(t, "Asia/Kathmandu")
	s := openIn(t, tempPath(t), kathmandu, nil)
	samples := life(5, 45*24*time.Hour)
	fill(t, s, account(t, "u"), samples)
	byDay := map[string]map[usage.MeterID]usage.Amount{}
	days, err := s.Days(t.Context(), time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range days {
		if byDay[d.Date] == nil {
			byDay[d.Date] = map[usage.MeterID]usage.Amount{}
		}
		byDay[d.Date][d.Meter] = d.Used
	}
	known := 0
	for date, want := range byDay {
		before := s.midnight(date).Add(-time.Second)
		moves, err := s.Moved(t.Context(), account(t, "u"), before, before.AddDate(0, 0, 1))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range moves {
			if m.Used.Known() {
				known++
				equal(t, m.Used.Millionths(), want[m.Meter].Millionths())
			}
		}
	}
	if known < 20 {
		t.Errorf("only %d are known", known)
	}
}

func TestMovedWithoutFile(t *testing.T) {
	t.Parallel()
	got, err := open(t, tempPath(t)).Moved(t.Context(), account(t, "u"), noon, noon)
	if err != nil || got != nil {
		t.Errorf("%v, %v", got, err)
	}
}
