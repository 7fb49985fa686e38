package windsurf

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/usage"
	"windsock/usage/usagetest"
	"windsock/usage/words"
)

func TestAtMayBeRepeated(t *testing.T) {
	t.Parallel()
	once, err := Decode([]byte(`{"planStatus":{"planEnd":"2026-02-18T09:00:00Z","dailyQuotaRemainingPercent":0,
		"dailyQuotaResetAtUnix":`+usagetest.Tomorrow+`,"overageBalanceMicros":5000000,
		"gracePeriodStatus":2,"gracePeriodEnd":"2026-02-05T00:00:00Z"}}`), usage.Source{})
	if err != nil {
		t.Fatal(err)
	}
	type view struct {
		State   usage.State
		Left    string
		Notices []string
	}
	see := func(s usage.Snapshot) view {
		v := view{State: s.Meters[0].State, Left: s.Meters[0].Remaining.String()}
		for _, n := range s.Notices {
			v.Notices = append(v.Notices, words.Words{}.Notice(n))
		}
		return v
	}
	const extra = "The quota is used up; prompts are paid from extra usage: $5.00 left."
	before := view{usage.StateExhausted, "0", []string{"A grace period is running until 5 Feb 2026, 00:00 UTC.", extra}}
	after := view{usage.StateRolledOver, "unknown", []string{"The grace period ended on 5 Feb 2026, 00:00 UTC."}}
	late := usagetest.Noon.Add(48 * time.Hour)
	for _, tt := range []struct {
		name string
		got  usage.Snapshot
		want view
	}{
		{"before", once.At(usagetest.Noon), before},
		{"after", once.At(late), after},
		{"after_then_before", once.At(late).At(usagetest.Noon), before},
		{"before_then_after", once.At(usagetest.Noon).At(late), after},
	} {
		if diff := cmp.Diff(tt.want, see(tt.got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
	if once.Meters[0].State != usage.StateExhausted {
		t.Error("At changed the snapshot that it was called on")
	}
}

func TestCycle(t *testing.T) {
	t.Parallel()
	const good, end = `"2026-01-18T09:07:17Z"`, `"2026-02-18T09:07:17Z"`
	start, finish := time.Date(2026, 1, 18, 9, 7, 17, 0, time.UTC), time.Date(2026, 2, 18, 9, 7, 17, 0, time.UTC)
	tests := []struct {
		name, start, end string
		want             usage.Window
	}{
		{"both", good, end, usage.Window{Start: start, End: finish}},
		{"offset", `"2026-01-18T10:07:17+01:00"`, end, usage.Window{Start: start, End: finish}},
		{"bad_start", `"soon"`, end, usage.Window{End: finish}},
		{"bad_end", good, `17`, usage.Window{Start: start}},
		{"no_start", `null`, end, usage.Window{End: finish}},
		{"end_before_start", end, good, usage.Window{}},
		{"end_at_start", good, good, usage.Window{}},
		{"epoch", `"1970-01-01T00:00:00Z"`, end, usage.Window{End: finish}},
		{"year_one", `"0001-01-01T00:00:00Z"`, end, usage.Window{End: finish}},
		{"year_ten_thousand_in_utc", good, `"9999-12-31T23:59:59-23:59"`, usage.Window{Start: start}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := decoded(t, `{"planStatus":{"availablePromptCredits":100,"planStart":`+tt.start+`,"planEnd":`+tt.end+`}}`)
			if diff := cmp.Diff([]usage.Window{tt.want, tt.want}, []usage.Window{s.Cycle, s.Meters[0].Window}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if len(s.Problems) > 0 {
				t.Errorf("problems %v", s.Problems)
			}
		})
	}
}
