package antigravity

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
			s, err := Decode(kept, live(c.At))
			if diff := cmp.Diff(c.Expect, resultOf(s.At(c.At), err)); diff != "" {
				t.Errorf("(-want +got):\n%s\nof %s", diff, kept)
			}
			if s.Plan.Account.Known() {
				t.Error("it says whose it is")
			}
		})
	}
}

func TestAnonymize(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, raw, want string }{
		{
			"a_person_goes",
			`{"userStatus":{"email":"robin@example.com","name":"Robin","userTier":{"id":"t","name":"Google AI Pro"},"cascadeModelConfigData":{
				"clientModelConfigs":[{"label":"Gemini of Robin","modelOrAlias":{"model":"own"},"quotaInfo":{"remainingFraction":0.5}}]}}}`,
			`{"windsock":{"saved":1,"removed":3},"userStatus":{"userTier":{"name":"Google AI Pro"},"cascadeModelConfigData":{
				"clientModelConfigs":[{"label":"Gemini","modelOrAlias":{"model":"removed"},"quotaInfo":{"remainingFraction":0.5}}]}}}`,
		},
		{
			"what_a_status_line_gets_goes",
			`{"cwd":"/home/robin","conversation_title":"Secret","transcript_path":"/home/robin/t","email":"robin@example.com","plan_tier":"Robin's",
				"quota":{"gemini-5h":{"remaining_fraction":0.5,"reset_in_seconds":1},"/home/robin":{"remaining_fraction":0.5}}}`,
			`{"windsock":{"saved":1,"removed":5},"plan_tier":"(name removed)","quota":{"gemini-5h":{"remaining_fraction":0.5},"removed":{"remaining_fraction":0.5}}}`,
		},
		{
			"names_that_are_not_the_servers_own",
			`{"groups":[{"buckets":[{"bucketId":"robin@example.com","displayName":"/home/robin","window":"robin","remainingFraction":"robin"}]}]}`,
			`{"windsock":{"saved":1,"removed":0},"groups":[{"buckets":[{"bucketId":"removed","displayName":"removed","window":"removed","remainingFraction":"removed"}]}]}`,
		},
		{
			"the_text_of_a_report_goes",
			`{"conversation_id":"c","status":"SUCCESS","response":"Gemini\t82%","command":{"name":"usage","data":{"groups":[]}}}`,
			`{"windsock":{"saved":1,"removed":2},"status":"SUCCESS","response":"removed","command":{"data":{"groups":[]}}}`,
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

// FuzzAnonymize: whatever the answer, a snapshot keeps the promises of its type, the saved
// answer reads the same, and no text of a person gets into it. The plant takes the place
// of every P.
func FuzzAnonymize(f *testing.F) {
	for _, c := range cases(f) {
		f.Add([]byte(c.Input))
	}
	f.Add([]byte(`{"quota":{"P":{"remaining_fraction":0.5}},"plan_tier":"P","email":"P"}`))
	f.Add([]byte(`{"response":{"groups":[{"buckets":[{"bucketId":"P","displayName":"P","window":"P"}]}]},"userStatus":{"email":"P"}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		s, err := Decode(raw, live(noon))
		for _, at := range []usage.Snapshot{s, s.At(noon)} {
			consistent(t, at, err)
		}
		kept := Anonymize(raw)
		if again := Anonymize(kept); !bytes.Equal(again, kept) && isObject(raw) {
			t.Fatalf("saved again (-once +twice):\n%s", cmp.Diff(string(kept), string(again)))
		}
		other, otherErr := Decode(kept, live(noon))
		if say.Code(err) != say.Code(otherErr) {
			t.Fatalf("%v, and saved %v: %s", err, otherErr, kept)
		}
		if diff := cmp.Diff(tableOf(s), tableOf(other)); diff != "" {
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

// tableOf are the meters of the table: others may have lost their names.
func tableOf(s usage.Snapshot) []usage.Meter {
	var meters []usage.Meter
	for _, m := range s.Meters {
		if m.Name == "" {
			meters = append(meters, m)
		}
	}
	return meters
}

func consistent(t *testing.T, s usage.Snapshot, err error) {
	t.Helper()
	if (err == nil) != (len(s.Meters) > 0) {
		t.Fatalf("%d meters, error %v", len(s.Meters), err)
	}
	seen := map[usage.MeterID]bool{}
	for _, m := range s.Meters {
		listed := m.ID.Info().Product == usage.Antigravity
		left, known := m.Remaining.Float()
		switch {
		case seen[m.ID] || m.ID == "" || listed == (m.Name != "") || m.Unit != usage.UnitPercent:
			t.Fatalf("meter %+v", m)
		case known && (left < 0 || left > 100 || m.Used.Millionths()+m.Remaining.Millionths() != 100*usage.One):
			t.Fatalf("figures of %+v", m)
		case known != (m.State == usage.StateOK || m.State == usage.StateExhausted || m.State == usage.StateNotStarted):
			t.Fatalf("state of %+v", m)
		case (m.State == usage.StateExhausted) != (known && left == 0):
			t.Fatalf("state of %+v", m)
		case m.State == usage.StateNotStarted && (m.Used.Positive() || m.Window != usage.Window{}):
			t.Fatalf("not started: %+v", m)
		case !m.Window.Start.IsZero() && !m.Window.End.After(m.Window.Start):
			t.Fatalf("window of %+v", m)
		}
		seen[m.ID] = true
	}
	if m, ok := s.Binding(); ok && (m.Name != "" || m.State == usage.StateNotStarted) {
		t.Fatalf("%+v binds", m)
	}
}
