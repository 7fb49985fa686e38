package usage

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// FuzzPace holds what is true of every pace, whatever a meter and its history
// are.
func FuzzPace(f *testing.F) {
	history := func(points ...int64) []byte {
		var raw []byte
		for _, p := range points {
			raw = binary.LittleEndian.AppendUint64(raw, uint64(p))
		}
		return raw
	}
	const hour = int64(time.Hour)
	f.Add(uint8(0), int64(47*one), int64(500*one), int64(31*24)*hour, int64(16*24)*hour, int64(-1), uint8(0), []byte{})
	f.Add(uint8(0), int64(300*one), int64(500*one), int64(30*24)*hour, int64(15*24)*hour, int64(50*one), uint8(62), history(7*24*hour, 20*one, 12*24*hour, 90*one))
	f.Add(uint8(1), int64(60*one), int64(100*one), int64(7*24)*hour, int64(84)*hour, int64(-1), uint8(62), history(24*hour, 60*one, 48*hour, 10*one))
	f.Add(uint8(2), int64(60*one), int64(100*one), 24*hour, 12*hour, int64(-1), uint8(65), history(hour, 3*one))
	f.Add(uint8(3), int64(math.MaxInt64-1), int64(math.MaxInt64), int64(math.MaxInt64), int64(math.MaxInt64-1), int64(math.MaxInt64), uint8(3), history(0, math.MaxInt64))
	f.Add(uint8(3), int64(1), int64(1), int64(1), int64(0), int64(0), uint8(127), history(math.MinInt64, math.MinInt64))
	f.Fuzz(func(t *testing.T, which uint8, used, total, length, elapsed, flex int64, habits uint8, raw []byte) {
		if used < 0 || total <= 0 || length <= 0 {
			t.Skip("no such meter")
		}
		id := []MeterID{PromptCredits, WeeklyQuota, DailyQuota, ACU}[which%4]
		unit := map[MeterID]Unit{PromptCredits: UnitCredits, ACU: UnitACU}[id]
		if unit == "" {
			unit = UnitPercent
		}
		w := Window{Start: month.Start, End: month.Start.Add(time.Duration(length))}
		m := Meter{ID: id, Unit: unit, Window: w}.of(Micros(used), Micros(total))
		meters := []Meter{m}
		if flex >= 0 {
			meters = append(meters, Meter{ID: FlexCredits, Unit: UnitCredits}.of(Micros(0), Micros(max(1, flex))))
		}
		at := w.Start.Add(time.Duration(elapsed))
		o := PaceOptions{Location: []*time.Location{nil, time.UTC, zone(t, "Africa/Cairo")}[int(habits)%3]}
		for d := time.Sunday; d <= time.Saturday; d++ {
			if habits&(1<<d) != 0 {
				o.WorkDays = append(o.WorkDays, d)
			}
		}
		var samples []Sample
		for ; len(raw) >= 16; raw = raw[16:] {
			samples = append(samples, Sample{
				At:   w.Start.Add(time.Duration(binary.LittleEndian.Uint64(raw))),
				Used: Micros(int64(binary.LittleEndian.Uint64(raw[8:]))), End: w.End,
			})
		}
		s := Snapshot{Source: Source{FetchedAt: at}, Meters: meters}.WithPace(History{id: samples}, o)
		p := s.Meters[0].Pace
		if (p != nil) != (elapsed >= 0 && elapsed < length) {
			t.Fatalf("pace %+v after %v of %v", p, elapsed, length)
		}
		if diff := cmp.Diff(p, s.WithPace(History{id: samples}, o).Meters[0].Pace); diff != "" {
			t.Fatalf("worked out again (-first +second):\n%s", diff)
		}
		if p == nil {
			return
		}
		checkPace(t, m, *p, at)
		more := m.of(Micros(used+(total-min(used, total))/2), Micros(total))
		if q := paceOf(at, nil, o, more); p.Basis == BasisAverage && q.Projected.known && p.Projected.known && q.Projected.micros < p.Projected.micros {
			t.Fatalf("more is used, and less expected: %+v, %+v", p, q)
		}
		s.Judged = at
		mustMarshal(t, NewAnswer(s))
		checkText(t, Text(s, TextOptions{Width: 2 + int(habits)}), 2+int(habits))
	})
}

func checkPace(t *testing.T, m Meter, p Pace, at time.Time) {
	t.Helper()
	left, step := m.Total.micros-min(m.Used.micros, m.Total.micros), m.step()
	if nothing := left < step/2; (p.Verdict == VerdictUsedUp) != nothing {
		t.Fatalf("%s with %v left", p.Verdict, left)
	}
	for _, moment := range []time.Time{p.RunsOutAt, p.RunsOutFrom, p.SwitchesAt} {
		if !moment.IsZero() && (moment.Before(at) || moment.After(m.Window.End)) {
			t.Fatalf("%v is not from %v to %v", moment, at, m.Window.End)
		}
	}
	projects := slices.Contains([]Verdict{VerdictOnCourse, VerdictTight, VerdictRunsOut}, p.Verdict)
	share := Micros(min(m.Used.micros, m.Total.micros)).percentOf(m.Total)
	switch {
	case projects != p.Projected.known:
		t.Fatalf("%s projects %v", p.Verdict, p.Projected)
	case projects && (p.Projected.micros < share.micros || p.Projected.micros > 999*one):
		t.Fatalf("projects %v with %v used", p.Projected, share)
	case p.Elapsed.known && (p.Elapsed.negative() || p.Elapsed.micros > 100*one):
		t.Fatalf("elapsed %v", p.Elapsed)
	case p.BudgetPerDay.known != (m.ID != DailyQuota && p.Verdict != VerdictUsedUp):
		t.Fatalf("%s has the budget %v", p.Verdict, p.BudgetPerDay)
	case p.BudgetPerDay.known && (p.BudgetPerDay.negative() || p.BudgetPerDay.micros > left):
		t.Fatalf("budget %v with %v left", p.BudgetPerDay, left)
	case (p.Verdict == VerdictRunsOut) != !p.RunsOutAt.IsZero() || (p.Reason == ReasonFlex) != !p.SwitchesAt.IsZero():
		t.Fatalf("moments %+v", p)
	case p.Verdict == VerdictRunsOut && (p.Confidence != ConfidenceEstablished || m.ID == DailyQuota || p.Reason != ""):
		t.Fatalf("alarm %+v", p)
	case !p.RunsOutFrom.IsZero() && (p.Verdict != VerdictRunsOut || p.RunsOutFrom.After(p.RunsOutAt)):
		t.Fatalf("range %+v", p)
	case p.Verdict == VerdictTooEarly && p.Confidence != ConfidenceEarly:
		t.Fatalf("too early, and yet %+v", p)
	}
}
