package simulator

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	pb "windsock/probe/languageserver"
	"windsock/probe/probetest"
)

// TestStories compares what a viewer of each scenario's lapse sees in its first
// minute and a half, every second, with testdata/lapse.
func TestStories(t *testing.T) {
	t.Parallel()
	for _, s := range scenarios {
		if s.plan == nil {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			lapse := s.Lapse(testTime)
			var text strings.Builder
			last := ""
			for at := time.Duration(0); at <= 90*time.Second; at += time.Second {
				now := lapse.At(testTime.Add(at)).UTC()
				seen := figures(s.answer(clock{start: lapse.from(), now: now, spending: true}).GetUserStatus().GetPlanStatus())
				if seen == last {
					seen = "."
				} else {
					last = seen
				}
				fmt.Fprintf(&text, "%2.0f s  %s  %s\n", at.Seconds(), now.Format("Mon 02 Jan 15:04"), seen)
			}
			probetest.Golden(t, "lapse/"+s.Name+".txt", []byte(text.String()))
		})
	}
}

// figures are what moves in a lapse.
func figures(p *pb.PlanStatus) string {
	var all []string
	left := func(name string, used, pool int32) {
		if pool > 0 {
			all = append(all, fmt.Sprintf("%s %.2f", name, float64(pool-used)/100))
		}
	}
	left("prompt", p.GetUsedPromptCredits(), p.GetAvailablePromptCredits())
	left("flex", p.GetUsedFlexCredits(), p.GetAvailableFlexCredits())
	if p.GetWeeklyQuotaResetAtUnix() != 0 {
		all = append(all, fmt.Sprintf("day %d %% week %d %%", p.GetDailyQuotaRemainingPercent(), p.GetWeeklyQuotaRemainingPercent()))
	}
	if balance := p.GetOverageBalanceMicros(); balance != 0 {
		all = append(all, fmt.Sprintf("balance %.2f", float64(balance)/1e6))
	}
	if end := p.GetGracePeriodEnd(); end != nil {
		all = append(all, "grace until "+end.AsTime().Format("Mon 15:04"))
	}
	if p.AcuLimit != nil {
		all = append(all, fmt.Sprintf("acu %.4f", p.GetAcuLimit()-p.GetAcuConsumed()))
	}
	return strings.Join(all, " ")
}

// The demo's story is told in half a minute: ok, low, critical, flex credits
// instead, and the reset. Who asks every second, and gets a late answer at times,
// misses none of it.
func TestDefaultStory(t *testing.T) {
	t.Parallel()
	s := scenarios[0]
	lapse := s.Lapse(testTime)
	const late = 1800 * time.Millisecond
	for offset := time.Duration(0); offset < late; offset += 50 * time.Millisecond {
		var told []string
		flex := int32(0)
		for at := offset; at <= 31*time.Second; at += late {
			p := s.spentAt(clock{start: lapse.from(), now: lapse.At(testTime.Add(at)), spending: true})
			chapter := "ok"
			switch left := p.GetAvailablePromptCredits() - p.GetUsedPromptCredits(); {
			case left == 0 && p.GetUsedFlexCredits() > flex:
				chapter = "flex"
			case left == 0:
				chapter = "flex at rest"
			case left < 50000/20:
				chapter = "critical"
			case left < 50000/5:
				chapter = "low"
			}
			if chapter != "flex at rest" && (told == nil || told[len(told)-1] != chapter) {
				told = append(told, chapter)
			}
			flex = p.GetUsedFlexCredits()
		}
		if diff := cmp.Diff([]string{"ok", "low", "critical", "flex", "ok"}, told); diff != "" {
			t.Errorf("from %v (-want +got):\n%s", offset, diff)
		}
	}
}

// Money that runs out and comes in, and debt that begins, is paid, and begins
// again, are further than a minute away.
func TestMoneyStories(t *testing.T) {
	t.Parallel()
	tests := []struct {
		scenario string
		want     []string
	}{
		{"quota_tight", []string{"credit", "nothing", "credit", "nothing", "credit", "nothing"}},
		{"quota_weekly_exhausted", []string{"credit"}},
		{"quota_debt", []string{"debt", "credit", "debt", "credit", "debt", "credit"}},
	}
	for _, tt := range tests {
		t.Run(tt.scenario, func(t *testing.T) {
			t.Parallel()
			s, err := scenarioNamed(tt.scenario)
			if err != nil {
				t.Fatal(err)
			}
			start := s.Lapse(testTime).from()
			var told []string
			for at := time.Duration(0); at < 18*day; at += time.Hour {
				p := s.spentAt(spending(start, at))
				chapter := "credit"
				switch balance := p.GetOverageBalanceMicros(); {
				case balance == 0:
					chapter = "nothing"
				case balance < 0:
					chapter = "debt"
				}
				grace := p.GetGracePeriodEnd().AsTime().Sub(start.Add(at))
				if (chapter == "debt") != (p.GetGracePeriodEnd() != nil) || chapter == "debt" && (grace <= 0 || grace > week) {
					t.Errorf("%s after %v, grace for %v", chapter, at, grace)
				}
				if told == nil || told[len(told)-1] != chapter {
					told = append(told, chapter)
				}
			}
			if diff := cmp.Diff(tt.want, told); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
