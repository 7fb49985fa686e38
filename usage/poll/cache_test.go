package poll

import (
	"context"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/usage"
	"windsock/usage/pace"
	"windsock/usage/usagetest"
)

// kept is a cache of a test: text, or an error.
type kept struct {
	name, raw string
	err       error
}

// recall returns the caches, and counts how many were read.
func recall(asked *int, caches ...kept) Recall {
	return func(_ context.Context, ask Ask) iter.Seq2[Cached, error] {
		return func(yield func(Cached, error) bool) {
			for _, c := range caches {
				*asked++
				reading := Reading{Raw: []byte(c.raw), Variant: ask.Variant, App: "Devin Desktop"}
				if !yield(Cached{Reading: reading, Name: c.name}, c.err) {
					return
				}
			}
		}
	}
}

const (
	keptStatus = `{"userStatus":{"planStatus":{"planInfo":{"planName":"Teams","billingStrategy":"BILLING_STRATEGY_QUOTA"},"dailyQuotaResetAtUnix":"1774080000","weeklyQuotaRemainingPercent":54,"weeklyQuotaResetAtUnix":"1774166400"}}}`
	keptPlan   = `{"planName":"Pro","usage":{"messages":50000,"usedMessages":1200,"remainingMessages":48800}}`
)

func TestRecall(t *testing.T) {
	t.Parallel()
	broken := kept{"userStatusProtoBinaryBase64", "", errors.New("it is not base64")}
	brokenSays := usage.Problem{Code: usage.CodeBadPayload, Message: "What Devin Desktop keeps of the plan in userStatusProtoBinaryBase64 cannot be used: it is not base64."}
	tests := []struct {
		name     string
		caches   []kept
		plan     string
		meters   map[usage.MeterID]usage.State
		problems []usage.Problem
		asked    int
	}{
		{
			name:   "first_of_two",
			caches: []kept{{"userStatusProtoBinaryBase64", keptStatus, nil}, {"cachedPlanInfo", keptPlan, nil}},
			plan:   "Teams", asked: 1,
			// As on the wire, a reset without a percentage means used up.
			meters: map[usage.MeterID]usage.State{"daily_quota": "exhausted", "weekly_quota": "ok"},
		},
		{
			name:   "zeros_of_a_json_cache_are_written",
			caches: []kept{{"cachedPlanInfoData", `{"billingStrategy":"quota","dailyResetAtUnix":1774080000,"weeklyRemainingPercent":0,"weeklyResetAtUnix":1774166400}`, nil}},
			asked:  1, meters: map[usage.MeterID]usage.State{"weekly_quota": "exhausted"},
		},
		{
			name:   "falls_to_the_next",
			caches: []kept{broken, {"cachedPlanInfoData", "{", nil}, {"cachedPlanInfoData", `{"planName":"Free"}`, nil}, {"cachedPlanInfo", keptPlan, nil}},
			plan:   "Pro", asked: 4, meters: map[usage.MeterID]usage.State{"prompt_credits": "ok"},
			problems: []usage.Problem{
				brokenSays,
				{Code: usage.CodeBadPayload, Message: "What Devin Desktop keeps of the plan in cachedPlanInfoData cannot be used: it is damaged."},
				{Code: usage.CodeBadPayload, Message: "What Devin Desktop keeps of the plan in cachedPlanInfoData cannot be used: it has no figures."},
			},
		},
		{name: "all_of_no_use", caches: []kept{broken}, asked: 1, problems: []usage.Problem{brokenSays}},
		{name: "nothing"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			asked := 0
			s := recall(&asked, tt.caches...).Instead(t.Context(), Ask{Variant: "windsurf-next"}, usage.Snapshot{}, usagetest.ErrNotRunning)
			if diff := cmp.Diff(usage.Source{Kind: usage.KindCache, Variant: "windsurf-next", App: "Devin Desktop", Stale: true}, s.Source); diff != "" && tt.meters != nil {
				t.Error(diff)
			}
			var meters map[usage.MeterID]usage.State
			for _, m := range s.At(time.Unix(1774000000, 0)).Meters {
				if meters == nil {
					meters = map[usage.MeterID]usage.State{}
				}
				meters[m.ID] = m.State
			}
			if diff := cmp.Diff(tt.meters, meters); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(tt.problems, s.Problems); diff != "" {
				t.Error(diff)
			}
			if asked != tt.asked || s.PlanName != tt.plan {
				t.Errorf("plan = %q after %d caches, want %q after %d", s.PlanName, asked, tt.plan, tt.asked)
			}
		})
	}
}

// The samples that others have seen of these caches read the same through Recall, and
// a figure without a time has no pace.
func TestRecallSamples(t *testing.T) {
	t.Parallel()
	samples, err := filepath.Glob("../windsurf/testdata/plan_cache/*.json")
	if err != nil || len(samples) == 0 {
		t.Fatalf("samples = %v, %v", samples, err)
	}
	for _, sample := range samples {
		raw, err := os.ReadFile(sample)
		if err != nil {
			t.Fatal(err)
		}
		asked := 0
		s := recall(&asked, kept{"cachedPlanInfo", string(raw), nil}).Instead(t.Context(), Ask{}, usage.Snapshot{}, usagetest.ErrNotRunning)
		if len(s.Meters) == 0 {
			t.Errorf("%s: %v", sample, s.Problems)
		}
		for _, m := range pace.Judge(s, nil, pace.Options{}).At(time.Unix(1774000000, 0)).Meters {
			if m.Pace != nil {
				t.Errorf("%s: %s has a pace", sample, m.ID)
			}
		}
	}
}

func TestRecallInstead(t *testing.T) {
	t.Parallel()
	known := usage.Snapshot{Source: usage.Source{Kind: usage.KindLanguageServer}, PlanName: "Max"}
	tests := []struct {
		name   string
		cache  kept
		err    error
		want   usage.SourceKind
		useful bool
		told   int
	}{
		{"not_running", kept{"cachedPlanInfo", keptPlan, nil}, codedError("not_running"), usage.KindCache, true, 0},
		{"not_running_of_no_use", kept{"cachedPlanInfo", "{", nil}, codedError("not_running"), usage.KindLanguageServer, false, 1},
		{"runs_without_an_answer", kept{"cachedPlanInfo", keptPlan, nil}, codedError("no_port"), usage.KindLanguageServer, false, 0},
		{"no_failure", kept{"cachedPlanInfo", keptPlan, nil}, nil, usage.KindLanguageServer, false, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			asked := 0
			s := recall(&asked, tt.cache).Instead(t.Context(), Ask{}, known, tt.err)
			if s.Source.Kind != tt.want || (len(s.Meters) > 0) != tt.useful || len(s.Problems) != tt.told {
				t.Errorf("Instead = %+v", s)
			}
		})
	}
	if s := Recall(nil).Instead(t.Context(), Ask{}, known, codedError("not_running")); s.PlanName != "Max" {
		t.Errorf("without caches: %+v", s)
	}
}

// The end of a context is no fault of a cache.
func TestRecallEnds(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	asked := 0
	if s := recall(&asked, kept{"", "", context.Canceled}).Instead(ctx, Ask{}, usage.Snapshot{}, usagetest.ErrNotRunning); len(s.Problems) > 0 {
		t.Errorf("problems %v", s.Problems)
	}
}
