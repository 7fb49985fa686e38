package account

import (
	"testing"
	"time"
)

// For any time of a lapse, what is left falls within a window, a window that has begun
// keeps its end, and no end is in the past or more than a window away.
func TestAntigravityLapse(t *testing.T) {
	t.Parallel()
	lengths := map[string]time.Duration{"5h": fiveHours, "weekly": week}
	for _, a := range AntigravityScenarios() {
		t.Run(a.Name, func(t *testing.T) {
			t.Parallel()
			last := map[string]Bucket{}
			for passed := time.Duration(0); passed < 40*day; passed += 7*time.Minute + 13*time.Second {
				c := spending(noon, passed)
				for _, quota := range a.Quotas(c) {
					for _, b := range quota.Buckets {
						before, length := last[b.ID], lengths[b.Window]
						last[b.ID] = b
						if ahead := b.Reset.Sub(c.Now); ahead <= -time.Second || ahead > length || b.Left < 0 || b.Left > 1 {
							t.Fatalf("%s after %v: %v left for %v", b.ID, passed, b.Left, ahead)
						}
						same := before.Reset.Equal(b.Reset)
						if same && b.Left > before.Left || !same && before.Left < 1 && before.Reset.After(c.Now) {
							t.Fatalf("%s after %v: %v, then %v", b.ID, passed, before, b)
						}
					}
				}
			}
		})
	}
}

// The demo's default: Gemini's five hours are used up, and come back when they reset.
// Claude is not touched for three hours.
func TestAntigravityStory(t *testing.T) {
	t.Parallel()
	a := AntigravityScenarios()[0]
	lapse := NewLapse(noon, a.Speed())
	var geminiFull, geminiEmpty, claudeUntouched int
	for second := range 120 {
		quotas := a.Quotas(Clock{Start: lapse.Start, Now: lapse.At(noon.Add(time.Duration(second) * time.Second)), Spending: true})
		switch left := quotas[0].Buckets[1].Left; {
		case left == 0:
			geminiEmpty++
		case left > 0.9:
			geminiFull++
		}
		if quotas[1].Buckets[1].Left == 1 {
			claudeUntouched++
		}
	}
	if geminiFull < 8 || geminiEmpty < 8 || claudeUntouched != 38 {
		t.Errorf("seconds of two minutes: %d full, %d empty, %d untouched", geminiFull, geminiEmpty, claudeUntouched)
	}
}
