package cursor

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"windsock/usage"
	"windsock/usage/saved/savedtest"
)

var saver = savedtest.Product{Decode: Decode, Anonymize: Anonymize}

func TestAnonymizeKeepsWhatIsRead(t *testing.T) {
	t.Parallel()
	for _, c := range cases(t) {
		t.Run(c.ID, func(t *testing.T) {
			t.Parallel()
			kept := saver.Save(t, c.Input)
			s, err := Decode(kept, asked(c.At))
			if diff := cmp.Diff(c.Expect, resultOf(s.At(c.At), err)); diff != "" {
				t.Errorf("(-want +got):\n%s\nof %s", diff, kept)
			}
			if !Is(kept) {
				t.Error("it is not recognised")
			}
		})
	}
}

func TestAnonymize(t *testing.T) {
	t.Parallel()
	saver.Cases(t, map[string][2]string{
		"a_person_goes": {
			`{"user":"user_01","GetCurrentPeriodUsage":{"displayMessage":"Hello Robin","planUsage":{"autoPercentUsed":0.36}},"GetTeams":{"teams":[{"name":"Robin's"}]}}`,
			`{"windsock":{"saved":1,"removed":3},"GetCurrentPeriodUsage":{"planUsage":{"autoPercentUsed":0.36}}}`,
		},
		"names_that_are_not_the_products_own": {
			`{"GetPlanInfo":{"planInfo":{"planName":"Robin Ltd."}},"usage-summary":{"membershipType":"robin"}}`,
			`{"windsock":{"saved":1,"removed":0},"GetPlanInfo":{"planInfo":{"planName":"(name removed)"}},"usage-summary":{"membershipType":"(name removed)"}}`,
		},
		"counters_of_names_that_are_no_models": {
			`{"usage":{"robin@example.com":{"numRequests":1,"maxRequestUsage":2,"by":"Robin"},"startOfMonth":"2026-07-01T00:00:00+02:00","of":"Robin",` +
				`"3f9b8c1e-7a42-4d06-b5e3-91c2d7f0a864":{},"team-6b1f0c52e7":{},"gpt-3.5-turbo":{},"claude-premium":{}}}`,
			`{"windsock":{"saved":1,"removed":1},"usage":{"removed":{"numRequests":1,"maxRequestUsage":2},"startOfMonth":"2026-06-30T22:00:00Z","removed":"removed",` +
				`"removed":{},"removed":{},"gpt-3.5-turbo":{},"claude-premium":{}}}`,
		},
	})
}

func FuzzAnonymize(f *testing.F) {
	for _, c := range cases(f) {
		f.Add([]byte(c.Input), uint8(0))
	}
	f.Add([]byte(`{"usage":{"P":{"numRequests":1,"maxRequestUsage":2},"startOfMonth":"P"},"user":"P"}`), uint8(0))
	f.Add([]byte(`{"GetPlanInfo":{"planInfo":{"planName":"P"}},"usage-summary":{"membershipType":"P","individualUsage":{"onDemand":{"used":1}}}}`), uint8(0))
	saver.Fuzz(f, consistent)
}

// consistent checks what a snapshot promises, whatever the answer.
func consistent(t *testing.T, s usage.Snapshot, err error) {
	t.Helper()
	if (err == nil) != (len(s.Meters) > 0) {
		t.Fatalf("%d meters, error %v", len(s.Meters), err)
	}
	seen := map[usage.MeterID]bool{}
	for _, m := range s.Meters {
		left, known := m.Remaining.Micros()
		used, total := m.Used.Millionths(), m.Total.Millionths()
		counted := m.State == usage.StateOK || m.State == usage.StateExhausted
		switch {
		case seen[m.ID] || m.ID.Info().Product != usage.Cursor:
			t.Fatalf("meter %+v", m)
		case m.Unit != m.ID.Info().Unit && m.ID != usage.Included:
			t.Fatalf("unit of %+v", m)
		case m.Used.Known() != counted || known && (left < 0 || left > total || used < 0):
			t.Fatalf("figures of %+v", m)
		case m.State == usage.StateOK && known && used+left != total, m.State == usage.StateExhausted && used < total:
			t.Fatalf("figures of %+v", m)
		case !m.Window.Start.IsZero() && !m.Window.End.After(m.Window.Start):
			t.Fatalf("window of %+v", m)
		}
		seen[m.ID] = true
	}
	if m, ok := s.Binding(); ok && m.ID == usage.OnDemand {
		t.Fatalf("%+v binds", m)
	}
}
