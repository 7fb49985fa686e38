package alert

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/usage"
	"windsock/usage/poll"
	"windsock/usage/words"
)

// quotaOf is a meter of five hours with that much left, in per cent.
func quotaOf(id usage.MeterID, left int64, resets time.Time) usage.Meter {
	m := usage.Meter{ID: id, Unit: usage.UnitPercent, Window: usage.Window{Start: resets.Add(-5 * time.Hour), End: resets}}
	return m.Of(usage.Micros((100-left)*usage.One), usage.Micros(100*usage.One))
}

// Windows that begin with their first use, and buckets that the table lacks.
func TestAntigravity(t *testing.T) {
	t.Parallel()
	reset := monday.Add(4 * time.Hour)
	unknown := func(left int64) usage.Meter {
		m := quotaOf("image-5h", left, reset)
		m.Name = "Image"
		return m
	}
	runsOut := quotaOf(usage.Gemini5h, 50, reset)
	runsOut.Pace = &usage.Pace{Verdict: usage.VerdictRunsOut, Confidence: usage.ConfidenceEstablished, Chance: usage.Micros(usage.One), RunsOutAt: monday.Add(time.Hour)}
	waits := func(at time.Time) usage.Meter { return quotaOf(usage.Gemini5h, 100, at.Add(5*time.Hour)) }
	type answer struct {
		after time.Duration
		kind  usage.SourceKind
		meter usage.Meter
		told  string
	}
	tests := []struct {
		name    string
		answers []answer
		mutes   []Mute
	}{
		{"back_before_its_next_use", []answer{
			{time.Hour, usage.KindLanguageServer, quotaOf(usage.Gemini5h, 0, reset), "Gemini 5-hour: used up"},
			{5 * time.Hour, usage.KindLanguageServer, waits(monday.Add(5 * time.Hour)), "Gemini 5-hour: refilled"},
			{6 * time.Hour, usage.KindLanguageServer, waits(monday.Add(6 * time.Hour)), ""},
			{7 * time.Hour, usage.KindLanguageServer, quotaOf(usage.Gemini5h, 90, monday.Add(11*time.Hour)), ""},
			{8 * time.Hour, usage.KindLanguageServer, quotaOf(usage.Gemini5h, 0, monday.Add(11*time.Hour)), "Gemini 5-hour: used up"},
		}, []Mute{{Meter: usage.Gemini5h, Until: monday.Add(11 * time.Hour)}}},
		{"not_started", []answer{{time.Hour, usage.KindLanguageServer, waits(monday.Add(time.Hour)), ""}}, nil},
		{"unknown_bucket", []answer{
			{time.Hour, usage.KindLanguageServer, unknown(4), ""},
			{2 * time.Hour, usage.KindLanguageServer, unknown(0), ""},
		}, nil},
		{"hours_have_no_forecast", []answer{
			{10 * time.Minute, usage.KindLanguageServer, runsOut, ""},
			{30 * time.Minute, usage.KindLanguageServer, runsOut, ""},
		}, []Mute{{Meter: usage.Gemini5h, Until: reset}}},
		{"of_a_status_line", []answer{{time.Hour, usage.KindStatusLine, quotaOf(usage.ThirdParty5h, 3, reset), "Claude/GPT 5-hour: 3 % left"}}, []Mute{{Meter: usage.ThirdParty5h, Until: reset}}},
		{"of_a_command_line", []answer{{time.Hour, usage.KindCLI, quotaOf(usage.ThirdParty5h, 3, reset), "Claude/GPT 5-hour: 3 % left"}}, []Mute{{Meter: usage.ThirdParty5h, Until: reset}}},
		{"of_a_saved_answer", []answer{{time.Hour, usage.KindFile, quotaOf(usage.ThirdParty5h, 3, reset), ""}}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := &Watch{Store: &fakeStore{}, Salt: []byte("salt"), Config: DefaultConfig()}
			for _, a := range tt.answers {
				at := monday.Add(a.after)
				s := usage.NewSnapshot(usage.Snapshot{
					Source: usage.Source{Kind: a.kind, FetchedAt: at}, Plan: usage.Plan{Product: usage.Antigravity}, Meters: []usage.Meter{a.meter},
				}, usage.Facts{}).At(at)
				told := ""
				if due := w.See(t.Context(), poll.Plans{{At: at, Snapshot: s}}); due != nil {
					told = due.Title(words.Words{})
					w.Told(t.Context(), *due)
				}
				if told != a.told {
					t.Errorf("after %v: told %q, want %q", a.after, told, a.told)
				}
			}
			for i := range tt.mutes {
				tt.mutes[i].Plan.Product = usage.Antigravity
			}
			if diff := cmp.Diff(tt.mutes, w.Mutes()); diff != "" {
				t.Errorf("mutes (-want +got):\n%s", diff)
			}
		})
	}
}
