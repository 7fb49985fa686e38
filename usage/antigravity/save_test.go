package antigravity

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
			s, err := Decode(kept, live(c.At))
			if diff := cmp.Diff(c.Expect, resultOf(s.At(c.At), err)); diff != "" {
				t.Errorf("(-want +got):\n%s\nof %s", diff, kept)
			}
		})
	}
}

func TestAnonymize(t *testing.T) {
	t.Parallel()
	saver.Cases(t, map[string][2]string{
		"a_person_goes": {
			`{"userStatus":{"email":"robin@example.com","name":"Robin","userTier":{"id":"t","name":"Google AI Pro"},"cascadeModelConfigData":{
				"clientModelConfigs":[{"label":"Gemini of Robin","modelOrAlias":{"model":"own"},"quotaInfo":{"remainingFraction":0.5}}]}}}`,
			`{"windsock":{"saved":1,"removed":3},"userStatus":{"userTier":{"name":"Google AI Pro"},"cascadeModelConfigData":{
				"clientModelConfigs":[{"label":"Gemini","modelOrAlias":{"model":"removed"},"quotaInfo":{"remainingFraction":0.5}}]}}}`,
		},
		"what_a_status_line_gets_goes": {
			`{"cwd":"/home/robin","conversation_title":"Secret","transcript_path":"/home/robin/t","email":"robin@example.com","plan_tier":"Robin's",
				"quota":{"gemini-5h":{"remaining_fraction":0.5,"reset_in_seconds":1},"/home/robin":{"remaining_fraction":0.5}}}`,
			`{"windsock":{"saved":1,"removed":5},"plan_tier":"(name removed)","quota":{"gemini-5h":{"remaining_fraction":0.5},"removed":{"remaining_fraction":0.5}}}`,
		},
		"names_that_are_not_the_servers_own": {
			`{"groups":[{"buckets":[{"bucketId":"robin@example.com","displayName":"/home/robin","window":"robin","remainingFraction":"robin"}]}]}`,
			`{"windsock":{"saved":1,"removed":0},"groups":[{"buckets":[{"bucketId":"removed","displayName":"removed","window":"removed","remainingFraction":"removed"}]}]}`,
		},
		"the_text_of_a_report_goes": {
			`{"conversation_id":"c","status":"SUCCESS","response":"Gemini\t82%","command":{"name":"usage","data":{"groups":[]}}}`,
			`{"windsock":{"saved":1,"removed":2},"status":"SUCCESS","response":"removed","command":{"data":{"groups":[]}}}`,
		},
	})
}

func FuzzAnonymize(f *testing.F) {
	for _, c := range cases(f) {
		f.Add([]byte(c.Input), uint8(0))
	}
	f.Add([]byte(`{"quota":{"P":{"remaining_fraction":0.5}},"plan_tier":"P","email":"P"}`), uint8(0))
	f.Add([]byte(`{"response":{"groups":[{"buckets":[{"bucketId":"P","displayName":"P","window":"P"}]}]},"userStatus":{"email":"P"}}`), uint8(0))
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
