package windsurf

import (
	"encoding/json"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/probe/say"
	"windsock/usage"
)

// The maker's service is read by the same rules as the language server. What the status
// command makes of these cases is tested there; here is what it cannot show: which meter
// binds without a pace, and that the host and the time are kept.
func TestCloud(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/cases/cloud.json")
	if err != nil {
		t.Fatal(err)
	}
	type read struct {
		Plan     string
		Binding  usage.MeterID
		Problems []string
	}
	var file struct {
		Cases []struct {
			ID     string          `json:"id"`
			At     time.Time       `json:"at"`
			Input  json.RawMessage `json:"input"`
			Expect read            `json:"expect"`
		} `json:"cases"`
	}
	if err := json.Unmarshal(raw, &file); err != nil || len(file.Cases) != 32 {
		t.Fatalf("%d cases, %v", len(file.Cases), err)
	}
	for _, c := range file.Cases {
		t.Run(c.ID, func(t *testing.T) {
			t.Parallel()
			src := usage.Source{Kind: usage.KindCloud, Host: "server.codeium.com", FetchedAt: c.At}
			s, err := Decode(c.Input, src)
			got := read{Plan: s.PlanName, Problems: []string{}}
			if m, ok := s.At(c.At).Binding(); ok {
				got.Binding = m.ID
			}
			for _, p := range s.Problems {
				got.Problems = append(got.Problems, p.Code)
			}
			if err != nil {
				got.Problems = append(got.Problems, say.Code(err))
			}
			if diff := cmp.Diff(c.Expect, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if s.Source != src {
				t.Errorf("source %+v", s.Source)
			}
		})
	}
}
