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
	f.Add(uint8(2), int64(60*usage.One), int64(100*usage.One), 24*hour, 12*hour, int64(-1), uint8(65), history(hour, 3*usage.One))
	f.Add(uint8(3), int64(math.MaxInt64-1), int64(math.MaxInt64), int64(math.MaxInt64), int64(math.MaxInt64-1), int64(math.MaxInt64), uint8(3), history(0, math.MaxInt64))
	f.Add(uint8(3), int64(1), int64(1), int64(1), int64(0), int64(0), uint8(127), history(math.MinInt64, math.MinInt64))
	f.Fuzz(func(t *testing.T, which uint8, used, total, length, elapsed, flex int64, habits uint8, raw []byte) {
		if used < 0 || total <= 0 || length <= 0 {
			t.Skip("no such meter")
		}
		id := []usage.MeterID{usage.PromptCredits, usage.WeeklyQuota, usage.DailyQuota, usage.ACU}[which%4]
		unit := map[usage.MeterID]usage.Unit{usage.PromptCredits: usage.UnitCredits, usage.ACU: usage.UnitACU}[id]
		if unit == "" {
			unit = usage.UnitPercent
		}
		w := usage.Window{Start: usagetest.Month.Start, End: usagetest.Month.Start.Add(time.Duration(length))}
		m := usage.Meter{ID: id, Unit: unit, Window: w}.Of(usage.Micros(used), usage.Micros(total))
		meters := []usage.Meter{m}
		if flex >= 0 {
			meters = append(meters, usage.Meter{ID: usage.FlexCredits, Unit: usage.UnitCredits}.Of(usage.Micros(0), usage.Micros(max(1, flex))))
		}
		at := w.Start.Add(time.Duration(elapsed))
		o := Options{Location: []*time.Location{nil, time.UTC, usagetest.Zone(t, "Africa/Cairo")}[int(habits)%3]}
		for d := time.Sunday; d <= time.Saturday; d++ {
			if habits&(1<<d) != 0 {
				o.WorkDays = append(o.WorkDays, d)
			}
		}
		var samples []Sample
		for ; len(raw) >= 16; raw = raw[16:] {
			samples = append(samples, Sample{
				At:   w.Start.Add(time.Duration(binary.LittleEndian.Uint64(raw))),
				Used: usage.Micros(int64(binary.LittleEndian.Uint64(raw[8:]))), End: w.End,
			})
		}
		s := Judge(usage.Snapshot{Source: usage.Source{FetchedAt: at}, Meters: meters}, History{id: samples}, o)
		p := s.Meters[0].Pace
		if (p != nil) != (elapsed >= 0 && elapsed < length) {
			t.Fatalf("pace %+v after %v of %v", p, elapsed, length)
		}
		if diff := cmp.Diff(p, Judge(s, History{id: samples}, o).Meters[0].Pace); diff != "" {
			t.Fatalf("worked out again (-first +second):\n%s", diff)
		}
		if p == nil {
			return
		}
		checkPace(t, m, *p, at)
		more := m.Of(usage.Micros(used+(total-min(used, total))/2), usage.Micros(total))
		if q := paceOf(at, nil, o, more); p.Basis == usage.BasisAverage && q.Projected.Known() && p.Projected.Known() && q.Projected.Millionths() < p.Projected.Millionths() {
			t.Fatalf("more is used, and less expected: %+v, %+v", p, q)
		}
	})
}

func checkPace(t *testing.T, m usage.Meter, p usage.Pace, at time.Time) {
	t.Helper()
	left, step := m.Total.Millionths()-min(m.Used.Millionths(), m.Total.Millionths()), m.Unit.Step()
	if nothing := left < step/2; (p.Verdict == usage.VerdictUsedUp) != nothing {
		t.Fatalf("%s with %v left", p.Verdict, left)
	}
	for _, moment := range []time.Time{p.RunsOutAt, p.RunsOutFrom, p.SwitchesAt} {
		if !moment.IsZero() && (moment.Before(at) || moment.After(m.Window.End)) {
			t.Fatalf("%v is not from %v to %v", moment, at, m.Window.End)
		}
	}
	projects := slices.Contains([]usage.Verdict{usage.VerdictOnCourse, usage.VerdictTight, usage.VerdictRunsOut}, p.Verdict)
	share := usage.Micros(min(m.Used.Millionths(), m.Total.Millionths())).PercentOf(m.Total)
	switch {
	case projects != p.Projected.Known():
		t.Fatalf("%s projects %v", p.Verdict, p.Projected)
	case projects && (p.Projected.Millionths() < share.Millionths() || p.Projected.Millionths() > 999*usage.One):
		t.Fatalf("projects %v with %v used", p.Projected, share)
	case p.Elapsed.Known() && (p.Elapsed.Negative() || p.Elapsed.Millionths() > 100*usage.One):
		t.Fatalf("elapsed %v", p.Elapsed)
	case p.BudgetPerDay.Known() != (m.ID != usage.DailyQuota && p.Verdict != usage.VerdictUsedUp):
		t.Fatalf("%s has the budget %v", p.Verdict, p.BudgetPerDay)
	case p.BudgetPerDay.Known() && (p.BudgetPerDay.Negative() || p.BudgetPerDay.Millionths() > left):
		t.Fatalf("budget %v with %v left", p.BudgetPerDay, left)
	case (p.Verdict == usage.VerdictRunsOut) != !p.RunsOutAt.IsZero() || (p.Reason == usage.ReasonFlex) != !p.SwitchesAt.IsZero():
		t.Fatalf("moments %+v", p)
	case p.Verdict == usage.VerdictRunsOut && (p.Confidence != usage.ConfidenceEstablished || m.ID == usage.DailyQuota || p.Reason != ""):
		t.Fatalf("alarm %+v", p)
	case !p.RunsOutFrom.IsZero() && (p.Verdict != usage.VerdictRunsOut || p.RunsOutFrom.After(p.RunsOutAt)):
		t.Fatalf("range %+v", p)
	case p.Verdict == usage.VerdictTooEarly && p.Confidence != usage.ConfidenceEarly:
		t.Fatalf("too early, and yet %+v", p)
	}
}
