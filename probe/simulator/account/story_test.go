package account

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// The demo's story takes half a minute: ok, low, critical, flex credits instead, and
// the reset. A client that polls every second, with some late responses, sees all of
// it.
func TestDefaultStory(t *testing.T) {
	t.Parallel()
	s := scenarios[0]
	lapse := NewLapse(noon, s.Speed())
	const late = 1100 * time.Millisecond
	for offset := time.Duration(0); offset < late; offset += 50 * time.Millisecond {
		var told []string
		flex := int32(0)
		for at := offset; at <= 31*time.Second; at += late {
			p := spentAt(s, Clock{Start: lapse.Start, Now: lapse.At(noon.Add(at)), Spending: true})
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

// Balances that run out and are refilled, and debts that begin, are paid, and begin
// again, take longer than a minute.
func TestMoneyStories(t *testing.T) {
	t.Parallel()
	tests := []struct {
		scenario string
		want     []string
	}{
		{"quota_tight", []string{"credit", "nothing", "credit", "nothing", "credit", "nothing", "credit"}},
		{"quota_weekly_exhausted", []string{"credit"}},
		{"quota_debt", []string{"debt", "credit", "debt", "credit", "debt", "credit"}},
	}
	for _, tt := range tests {
		t.Run(tt.scenario, func(t *testing.T) {
			t.Parallel()
			s, err := Named(tt.scenario)
			if err != nil {
				t.Fatal(err)
			}
			start := NewLapse(noon, s.Speed()).Start
			var told []string
			for at := time.Duration(0); at < 18*day; at += time.Hour {
				p := spentAt(s, spending(start, at))
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
