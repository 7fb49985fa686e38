package cursor

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windsock/probe/say"
	"windsock/usage"
	"windsock/usage/field"
	"windsock/usage/saved"
)

func TestAnonymizeKeepsWhatIsRead(t *testing.T) {
	t.Parallel()
	for _, c := range cases(t) {
		t.Run(c.ID, func(t *testing.T) {
			t.Parallel()
			kept := Anonymize(c.Input)
			if again := Anonymize(kept); !bytes.Equal(again, kept) {
				t.Errorf("saved again (-once +twice):\n%s", cmp.Diff(string(kept), string(again)))
			}
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
	tests := []struct{ name, raw, want string }{
		{
			"a_person_goes",
			`{"user":"user_01","GetCurrentPeriodUsage":{"displayMessage":"Hello Robin","planUsage":{"autoPercentUsed":0.36}},"GetTeams":{"teams":[{"name":"Robin's"}]}}`,
			`{"windsock":{"saved":1,"removed":3},"GetCurrentPeriodUsage":{"planUsage":{"autoPercentUsed":0.36}}}`,
		},
		{
			"names_that_are_not_the_products_own",
			`{"GetPlanInfo":{"planInfo":{"planName":"Robin Ltd."}},"usage-summary":{"membershipType":"robin"}}`,
			`{"windsock":{"saved":1,"removed":0},"GetPlanInfo":{"planInfo":{"planName":"(name removed)"}},"usage-summary":{"membershipType":"(name removed)"}}`,
		},
		{
			"counters_of_names_that_are_no_models",
			`{"usage":{"robin@example.com":{"numRequests":1,"maxRequestUsage":2,"by":"Robin"},"startOfMonth":"2026-07-01T00:00:00+02:00","of":"Robin",` +
				`"3f9b8c1e-7a42-4d06-b5e3-91c2d7f0a864":{},"team-6b1f0c52e7":{},"gpt-3.5-turbo":{},"claude-premium":{}}}`,
			`{"windsock":{"saved":1,"removed":1},"usage":{"removed":{"numRequests":1,"maxRequestUsage":2},"startOfMonth":"2026-06-30T22:00:00Z","removed":"removed",` +
				`"removed":{},"removed":{},"gpt-3.5-turbo":{},"claude-premium":{}}}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got, want bytes.Buffer
			if err := json.Compact(&got, Anonymize([]byte(tt.raw))); err != nil {
				t.Fatal(err)
			}
			if err := json.Compact(&want, []byte(tt.want)); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want.String(), got.String()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// FuzzAnonymize: whatever the answers, a snapshot keeps the promises of its type, the
// saved answers read the same, and no text of a person gets into them. The plant takes the
// place of every P.
func FuzzAnonymize(f *testing.F) {
	for _, c := range cases(f) {
		f.Add([]byte(c.Input))
	}
	f.Add([]byte(`{"usage":{"P":{"numRequests":1,"maxRequestUsage":2},"startOfMonth":"P"},"user":"P"}`))
	f.Add([]byte(`{"GetPlanInfo":{"planInfo":{"planName":"P"}},"usage-summary":{"membershipType":"P","individualUsage":{"onDemand":{"used":1}}}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		s, err := Decode(raw, asked(noon))
		consistent(t, s, err)
		consistent(t, s.At(noon), err)
		kept := Anonymize(raw)
		if again := Anonymize(kept); !bytes.Equal(again, kept) && isObject(raw) {
			t.Fatalf("saved again (-once +twice):\n%s", cmp.Diff(string(kept), string(again)))
		}
		other, otherErr := Decode(kept, asked(noon))
		if say.Code(err) != say.Code(otherErr) {
			t.Fatalf("%v, and saved %v: %s", err, otherErr, kept)
		}
		if diff := cmp.Diff(s.Meters, other.Meters); diff != "" {
			t.Fatalf("meters (-answered +saved):\n%s", diff)
		}
		if s.PlanName != other.PlanName && other.PlanName != saved.RemovedName {
			t.Fatalf("the plan is %q, and saved %q", s.PlanName, other.PlanName)
		}
		const plant = "robin@example.com"
		if planted := Anonymize(bytes.ReplaceAll(raw, []byte("P"), []byte(plant))); bytes.Contains(planted, []byte(plant)) {
			t.Fatalf("%q is still in %s", plant, planted)
		}
	})
}

func isObject(raw []byte) bool {
	_, ok := field.Object(raw)
	return ok
}

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
