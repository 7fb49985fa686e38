package words_test

import (
	"testing"
	"time"

	"windsock/usage"
	"windsock/usage/words"
)

func TestStatusLine(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 22, 18, 0, 0, 0, time.UTC)
	meter := func(id usage.MeterID, used int64) usage.Meter {
		m := usage.NewMeter(id, usage.Window{End: now.Add(130 * time.Minute)})
		return m.Of(usage.Micros(used*usage.One), usage.Micros(100*usage.One))
	}
	begun := meter(usage.GeminiWeekly, 0)
	begun.Used, begun.Remaining = usage.Micros(usage.One/10), usage.Micros(100*usage.One-usage.One/10)
	endless := meter(usage.Gemini5h, 100)
	endless.Window = usage.Window{}
	unknown := meter("fable-5h", 25)
	unknown.Name = "Fable \u00b7 5h"
	tests := []struct {
		name   string
		meters []usage.Meter
		want   string
	}{
		{"none", nil, ""},
		{"usual", []usage.Meter{meter(usage.Gemini5h, 50), meter(usage.GeminiWeekly, 3), meter(usage.ThirdParty5h, 0), meter(usage.ThirdPartyWeekly, 0)}, "Gemini 5h 50 %, week 97 % · Claude/GPT 100 %"},
		{"begun", []usage.Meter{meter(usage.Gemini5h, 0), begun}, "Gemini 5h 100 %, week >99 %"},
		{"used_up", []usage.Meter{meter(usage.Gemini5h, 100), meter(usage.GeminiWeekly, 40)}, "Gemini 5h used up, back in 2h 10m, week 60 %"},
		{"used_up_for_long", []usage.Meter{endless}, "Gemini 5h used up"},
		{"unreadable", []usage.Meter{meter(usage.Gemini5h, 1).Without(usage.StateUnreadable), meter(usage.GeminiWeekly, 4)}, "Gemini week 96 %"},
		{"unknown", []usage.Meter{unknown}, "Fable · 5h 75 %"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := usage.NewSnapshot(usage.Snapshot{Meters: tt.meters}, usage.Facts{}).At(now)
			if got := words.StatusLine(s); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
