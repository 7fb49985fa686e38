package pace

import (
	"testing"
	"time"

	"windsock/usage"
	"windsock/usage/usagetest"
)

// A verdict is left only when the chance has fallen well below its threshold. What was
// said before follows from the samples.
func TestVerdictDoesNotFlap(t *testing.T) {
	t.Parallel()
	const lasts, tight, out, unused = usage.VerdictOnCourse, usage.VerdictTight, usage.VerdictRunsOut, usage.VerdictUnused
	// The hours are those of a month. In it, tight begins at a chance of 35 in 100 and
	// ends below 23, and runs_out begins at 60 and ends below 48.
	type look struct {
		hour, used float64
		want       usage.Verdict
		chance     float64 // to run out, in per cent
	}
	tests := []struct {
		name  string
		looks []look
	}{
		{"tight_is_kept", []look{{324, 200, tight, 40}, {400, 210, tight, 28}, {480, 240, lasts, 22}}},
		{"not_tight_before", []look{{324, 150, lasts, 26}, {400, 210, lasts, 28}, {480, 300, tight, 37}}},
		{"running_out_is_kept", []look{{324, 270, out, 64}, {370, 270, out, 53}, {390, 270, out, 48}, {420, 280, tight, 45}}},
		{"not_running_out_before", []look{{324, 200, tight, 40}, {400, 290, tight, 52}, {480, 370, out, 61}}},
		{"kept_again_and_again", []look{{324, 270, out, 64}, {370, 280, out, 56}, {390, 300, out, 58}, {420, 310, out, 54}}},
		{"runs_out_becomes_tight", []look{{324, 270, out, 64}, {480, 270, tight, 29}}},
		{"runs_out_becomes_on_course", []look{{324, 270, out, 64}, {480, 220, lasts, 18}}},
		// Just before the last look there were still 270, of which 29 in 100 run out.
		{"left_while_nothing_was_used", []look{{324, 270, out, 64}, {480, 340, tight, 50}}},
		{"a_new_beginning", []look{{324, 270, out, 64}, {330, 0, unused, 100}, {400, 290, tight, 52}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var seen Seen
			for i, l := range tt.looks {
				m := usagetest.CreditMeter(l.used)
				at := after(time.Duration(l.hour * float64(time.Hour)))
				p := paceOf(at, seen, Options{}, m)
				chance, _ := p.Chance.Float()
				if p.Verdict != l.want || 100-chance != l.chance {
					t.Errorf("look %d: %s at %v, want %s at %v", i, p.Verdict, 100-chance, l.want, l.chance)
				}
				seen.Samples = append(seen.Samples, Sample{at, m.Used, m.Total})
			}
		})
	}
	if got := paceOf(after(400*time.Hour), Seen{}, Options{}, usagetest.CreditMeter(290)).Verdict; got != tight {
		t.Errorf("with nothing seen: %s", got)
	}
}

// Both thresholds of prompt credits with flex credits behind them have their way back.
func TestChainDoesNotFlap(t *testing.T) {
	t.Parallel()
	before := Seen{Samples: []Sample{{after(324 * time.Hour), usagetest.AmountOf(320), usagetest.AmountOf(500)}}}
	for _, tt := range []struct {
		name string
		seen Seen
		want usage.Verdict
	}{{"runs_out_before", before, usage.VerdictRunsOut}, {"nothing_before", Seen{}, usage.VerdictTight}} {
		p := paceOf(after(360*time.Hour), tt.seen, Options{}, usagetest.CreditMeter(320), flexMeter(0, 70))
		if p.Verdict != tt.want {
			t.Errorf("%s: %s", tt.name, brief(p))
		}
	}
}
