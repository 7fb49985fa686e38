package simulator

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"

	pb "windsock/probe/languageserver"
)

// spentAfter is a scenario's plan in a lapse, at a time of its clock.
func spentAfter(s Scenario, d time.Duration) *pb.PlanStatus {
	return s.answer(clock{start: testTime, now: testTime.Add(d), spending: true}).GetUserStatus().GetPlanStatus()
}

// figures are what moves in a lapse.
func figures(p *pb.PlanStatus) string {
	return fmt.Sprintf("prompt %d/%d flex %d/%d daily %d weekly %d acu %v/%v",
		p.GetUsedPromptCredits(), p.GetAvailablePromptCredits(), p.GetUsedFlexCredits(), p.GetAvailableFlexCredits(),
		p.GetDailyQuotaRemainingPercent(), p.GetWeeklyQuotaRemainingPercent(), p.GetAcuConsumed(), p.GetAcuLimit())
}

// TestSpend compares what becomes of each account in two minutes and a bit of its
// lapse, every five seconds, with testdata/lapse.txt.
func TestSpend(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for _, s := range scenarios {
		fmt.Fprintf(&text, "%s\n", s.Name)
		for at := time.Duration(0); at <= 130*time.Second && s.plan != nil; at += 5 * time.Second {
			virtual := Lapse{testTime, s.Speed()}.At(testTime.Add(at)).Sub(testTime)
			fmt.Fprintf(&text, "%4v %9v %s\n", at.Seconds(), virtual, figures(spentAfter(s, virtual)))
		}
	}
	golden := filepath.Join("testdata", "lapse.txt")
	if *update {
		if err := os.WriteFile(golden, []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), text.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSpendBeginsWithTheScenario(t *testing.T) {
	t.Parallel()
	for _, s := range scenarios {
		still := s.answer(clock{start: testTime, now: testTime})
		moved := s.answer(clock{start: testTime, now: testTime, spending: true})
		if !proto.Equal(still, moved) {
			t.Errorf("%s: %v", s.Name, figures(moved.GetUserStatus().GetPlanStatus()))
		}
	}
}

func TestSpendUnlimited(t *testing.T) {
	t.Parallel()
	s, err := scenarioNamed("unlimited")
	if err != nil {
		t.Fatal(err)
	}
	now := testTime.Add(100 * day)
	if still := s.answer(clock{start: testTime, now: now}); !proto.Equal(still.GetUserStatus().GetPlanStatus(), spentAfter(s, 100*day)) {
		t.Error("it moves")
	}
}

// A gauge is full after a reset, falls, and is empty for a while before the next.
func TestSpendWindows(t *testing.T) {
	t.Parallel()
	tests := []struct {
		scenario      string
		reset, window time.Duration
		left          func(*pb.PlanStatus) float64
	}{
		{"teams_credits", 15 * day, month, func(p *pb.PlanStatus) float64 {
			return float64(p.GetAvailablePromptCredits() - p.GetUsedPromptCredits() + p.GetAvailableFlexCredits() - p.GetUsedFlexCredits())
		}},
		{"pro_near_end", 2 * day, month, func(p *pb.PlanStatus) float64 {
			return float64(p.GetAvailablePromptCredits() - p.GetUsedPromptCredits())
		}},
		{"quota_fresh", 23 * time.Hour, day, func(p *pb.PlanStatus) float64 { return float64(p.GetDailyQuotaRemainingPercent()) }},
		{"quota_tight", 57 * time.Hour, week, func(p *pb.PlanStatus) float64 { return float64(p.GetWeeklyQuotaRemainingPercent()) }},
		{"quota_debt", 78 * time.Hour, week, func(p *pb.PlanStatus) float64 { return float64(p.GetWeeklyQuotaRemainingPercent()) }},
		{"acu", 23 * day, month, func(p *pb.PlanStatus) float64 { return p.GetAcuLimit() - p.GetAcuConsumed() }},
	}
	for _, tt := range tests {
		t.Run(tt.scenario, func(t *testing.T) {
			t.Parallel()
			s, err := scenarioNamed(tt.scenario)
			if err != nil {
				t.Fatal(err)
			}
			left := func(d time.Duration) float64 { return tt.left(spentAfter(s, d)) }
			full := left(tt.reset)
			for _, begin := range []time.Duration{tt.reset, tt.reset + tt.window, tt.reset + 1000*tt.window} {
				if got := left(begin); got != full {
					t.Errorf("%v after a reset at %v, want %v", got, begin, full)
				}
				last := full
				for step := range 100 {
					got := left(begin + time.Duration(step)*tt.window/100)
					if got > last || (got == 0) != (step > 81) {
						t.Fatalf("%v left at %d %% of the window from %v, %v before", got, step, begin, last)
					}
					last = got
				}
			}
			if got := left(tt.reset - tt.window/100); got != 0 {
				t.Errorf("%v left just before the first reset", got)
			}
			if got := left(tt.reset - 1); got != 0 {
				t.Errorf("%v left at the end of the first window", got)
			}
		})
	}
}
