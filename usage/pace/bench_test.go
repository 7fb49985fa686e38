package pace

import (
	"testing"
	"time"

	"windsock/usage"
	"windsock/usage/usagetest"
)

// BenchmarkJudge judges a meter with 500 past windows, and with a sample of the present
// one for each minute or so: 2 ms are allowed.
func BenchmarkJudge(b *testing.B) {
	for _, bb := range []struct {
		name    string
		meter   usage.Meter
		every   time.Duration
		options Options
	}{
		{"cycle", usagetest.CreditMeter(265), 20 * time.Minute, Options{}},
		{"week", quotaMeter(usage.WeeklyQuota, 55), 5 * time.Minute, Options{}},
		{"day", quotaMeter(usage.DailyQuota, 45), time.Minute, Options{}},
		{"day_on_work_days", quotaMeter(usage.DailyQuota, 45), time.Minute, Options{WorkDays: usagetest.OfficeDays, Location: usagetest.Zone(b, "Europe/Berlin")}},
	} {
		b.Run(bb.name, func(b *testing.B) {
			m := bb.meter
			at := m.Window.Start.Add(m.Window.End.Sub(m.Window.Start) / 2)
			seen := Seen{Past: pastOf(m, repeat(0.7, 500)...)}
			for i := range seen.Past {
				seen.Past[i].Hours[9+i%9] = seen.Past[i].Used.Millionths()
			}
			for t := m.Window.Start.Add(bb.every); t.Before(at); t = t.Add(bb.every) {
				seen.Samples = append(seen.Samples, Sample{t, m.Used, m.Total})
			}
			for b.Loop() {
				if paceOf(at, seen, bb.options, m).Basis != usage.BasisHistory {
					b.Fatal("no history")
				}
			}
			b.ReportMetric(float64(len(seen.Samples)), "samples")
		})
	}
}
