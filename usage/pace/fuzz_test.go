package pace

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/usage"
	"windsock/usage/usagetest"
)

// FuzzPace checks the invariants of a pace, for any meter and history.
func FuzzPace(f *testing.F) {
	history := func(points ...int64) []byte {
		var raw []byte
		for _, p := range points {
			raw = binary.LittleEndian.AppendUint64(raw, uint64(p))
		}
		return raw
	}
	const hour = int64(time.Hour)
	f.Add(uint8(0), int64(47*usage.One), int64(500*usage.One), int64(31*24)*hour, int64(16*24)*hour, int64(-1), uint8(0), []byte{})
	f.Add(uint8(0), int64(300*usage.One), int64(500*usage.One), int64(30*24)*hour, int64(15*24)*hour, int64(50*usage.One), uint8(62), history(7*24*hour, 20*usage.One, 12*24*hour, 90*usage.One))
	f.Add(uint8(1), int64(60*usage.One), int64(100*usage.One), int64(7*24)*hour, int64(84)*hour, int64(-1), uint8(62), history(24*hour, 60*usage.One, 48*hour, 10*usage.One))
	f.Add(uint8(1), int64(60*usage.One), int64(100*usage.One), int64(7*24)*hour, int64(84)*hour, int64(-1), uint8(0), history(-21*24*hour, 60*usage.One, -7*24*hour, 100*usage.One))
	f.Add(uint8(2), int64(60*usage.One), int64(100*usage.One), 24*hour, 12*hour, int64(-1), uint8(65), history(hour, 3*usage.One))
	f.Add(uint8(2), int64(60*usage.One), int64(100*usage.One), 24*hour, 12*hour, int64(-1), uint8(65), history(-48*hour, 30*usage.One, -24*hour, 100*usage.One))
	f.Add(uint8(3), int64(math.MaxInt64-1), int64(math.MaxInt64), int64(math.MaxInt64), int64(math.MaxInt64-1), int64(math.MaxInt64), uint8(3), history(0, math.MaxInt64))
	f.Add(uint8(3), int64(1), int64(1), int64(1), int64(0), int64(0), uint8(127), history(math.MinInt64, math.MinInt64))
	f.Fuzz(func(t *testing.T, which uint8, used, total, length, elapsed, flex int64, habits uint8, raw []byte) {
		if used < 0 || total <= 0 || length <= 0 {
			t.Skip("no such meter")
		}
		id := []usage.MeterID{usage.PromptCredits, usage.WeeklyQuota, usage.DailyQuota, usage.ACU, usage.Gemini5h}[which%5]
		w := usage.Window{Start: usagetest.Month.Start, End: usagetest.Month.Start.Add(time.Duration(length))}
		m := usage.NewMeter(id, w).Of(usage.Micros(used), usage.Micros(total))
		meters := []usage.Meter{m}
		if flex >= 0 {
			meters = append(meters, flexMeter(0, 1).Of(usage.Micros(0), usage.Micros(max(1, flex))))
		}
		at := w.Start.Add(time.Duration(elapsed))
		o := Options{Location: []*time.Location{nil, time.UTC, usagetest.Zone(t, "Africa/Cairo")}[int(habits)%3]}
		for d := time.Sunday; d <= time.Saturday; d++ {
			if habits&(1<<d) != 0 {
				o.WorkDays = append(o.WorkDays, d)
			}
		}
		seen := seenOf(raw, m)
		s := Judge(usage.Snapshot{Source: usage.Source{FetchedAt: at}, Meters: meters}, History{id: seen}, o)
		p := s.Meters[0].Pace
		if (p != nil) != (elapsed >= 0 && elapsed < length) {
			t.Fatalf("pace %+v after %v of %v", p, elapsed, length)
		}
		if diff := cmp.Diff(p, Judge(s, History{id: seen}, o).Meters[0].Pace); diff != "" {
			t.Fatalf("worked out again (-first +second):\n%s", diff)
		}
		if p == nil {
			return
		}
		checkPace(t, m, *p, at)
		more := m.Of(usage.Micros(used+(total-min(used, total))/2), usage.Micros(total))
		if q := paceOf(at, seen, o, more); q.Projected.Known() && p.Projected.Known() && q.Projected.Millionths() < p.Projected.Millionths()-1 {
			t.Fatalf("more is used, and less expected: %+v, %+v", p, q)
		}
	})
}

// seenOf is a history out of pairs of a moment and a figure. What is before the window
// are past windows, which are used up at times.
func seenOf(raw []byte, m usage.Meter) (seen Seen) {
	length := m.Window.End.Sub(m.Window.Start)
	for ; len(raw) >= 16; raw = raw[16:] {
		at := m.Window.Start.Add(time.Duration(binary.LittleEndian.Uint64(raw)))
		used := usage.Micros(int64(binary.LittleEndian.Uint64(raw[8:])))
		if !at.Before(m.Window.Start) {
			seen.Samples = append(seen.Samples, Sample{at, used, m.Total})
			continue
		}
		past := Window{Window: usage.Window{Start: at, End: at.Add(length)}, Used: usage.Micros(max(0, used.Millionths())), Total: m.Total}
		if past.Used.Millionths() >= past.Total.Millionths() {
			past.UsedUp = at.Add(length / 3)
		}
		past.Hours[at.Hour()] = past.Used.Millionths()
		seen.Past = append(seen.Past, past)
	}
	return seen
}

func checkPace(t *testing.T, m usage.Meter, p usage.Pace, at time.Time) {
	t.Helper()
	left, step := m.Total.Millionths()-min(m.Used.Millionths(), m.Total.Millionths()), m.Unit.Step()
	short := m.Window.End.Sub(m.Window.Start) < 2*usagetest.Day
	if nothing := left < step/2; (p.Verdict == usage.VerdictUsedUp) != nothing {
		t.Fatalf("%s with %v left", p.Verdict, left)
	}
	moments := slices.DeleteFunc([]time.Time{at, p.RunsOutFrom, p.RunsOutAt, p.RunsOutTo, m.Window.End}, time.Time.IsZero)
	if !slices.IsSortedFunc(moments, time.Time.Compare) || p.SwitchesAt.After(m.Window.End) || (!p.SwitchesAt.IsZero() && p.SwitchesAt.Before(at)) {
		t.Fatalf("moments %+v", p)
	}
	projects := slices.Contains([]usage.Verdict{usage.VerdictOnCourse, usage.VerdictTight, usage.VerdictRunsOut}, p.Verdict)
	share := usage.Micros(min(m.Used.Millionths(), m.Total.Millionths())).PercentOf(m.Total)
	figures := []int64{share.Millionths(), p.Low.Millionths(), p.Projected.Millionths(), p.High.Millionths(), 999 * usage.One}
	chance := p.Chance.Millionths()
	switch {
	case projects != p.Projected.Known() || projects != p.Low.Known() || projects != p.High.Known() || projects != p.Chance.Known():
		t.Fatalf("%s projects %+v", p.Verdict, p)
	case projects && !slices.IsSorted(figures):
		t.Fatalf("projects %v", figures)
	case projects && (chance < usage.One || chance > 99*usage.One || chance%usage.One != 0):
		t.Fatalf("lasts with %v", p.Chance)
	case p.Elapsed.Known() && (p.Elapsed.Negative() || p.Elapsed.Millionths() > 100*usage.One):
		t.Fatalf("elapsed %v", p.Elapsed)
	case p.BudgetPerDay.Known() != (!short && p.Verdict != usage.VerdictUsedUp):
		t.Fatalf("%s has the budget %v", p.Verdict, p.BudgetPerDay)
	case p.BudgetPerDay.Known() && (p.BudgetPerDay.Negative() || p.BudgetPerDay.Millionths() > left):
		t.Fatalf("budget %v with %v left", p.BudgetPerDay, left)
	case len(moments) > 2 && p.Verdict != usage.VerdictRunsOut && p.Reason != usage.ReasonFlex:
		t.Fatalf("moments %+v", p)
	case !p.SwitchesAt.IsZero() && p.Reason != usage.ReasonFlex:
		t.Fatalf("switches %+v", p)
	case p.Verdict == usage.VerdictRunsOut && (short || p.Reason != ""):
		t.Fatalf("alarm %+v", p)
	case (p.Reason == usage.ReasonFastDay || p.Reason == usage.ReasonFastHours) && !short, p.Reason != "" && p.Verdict != usage.VerdictTight:
		t.Fatalf("reason %+v", p)
	}
}
