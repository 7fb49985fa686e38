package status

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"windsock/probe/say"
	"windsock/usage"
	"windsock/usage/pace"
	"windsock/usage/poll"
	"windsock/usage/usagetest"
	"windsock/usage/windsurf"
	"windsock/usage/words"
)

// FuzzFormats reads every format back, for any names, figures and errors.
func FuzzFormats(f *testing.F) {
	f.Add("Teams", "Windsurf", "", int64(50000), int64(4700), int64(40), int64(0), uint8(0))
	f.Add("--- | x=y", `a\n:fire::`, "What #{x} <b>\r\n---", int64(-1), int64(0), int64(101), int64(400), uint8(1))
	f.Add(":100:1:", "&amp;#[fg=red]##", "\x00\u2028\xff", int64(1), int64(1), int64(0), int64(3), uint8(6))
	f.Add(`"}{`, "- -|", "", int64(9e18), int64(3), int64(100), int64(0), uint8(15))
	f.Add("Pro", "-- | Next", "", int64(50000), int64(50000), int64(0), int64(0), uint8(64))
	f.Add("Pro", "Next", "--- <b>", int64(0), int64(0), int64(0), int64(0), uint8(64|4))
	f.Fuzz(func(t *testing.T, plan, app, sentence string, pool, used, percent, days int64, bits uint8) {
		raw, err := json.Marshal(map[string]any{"planStatus": map[string]any{
			"planInfo":               map[string]any{"planName": plan},
			"planStart":              usagetest.Noon.AddDate(0, 0, -10).Format(time.RFC3339),
			"planEnd":                usagetest.Noon.AddDate(0, 0, 20).Format(time.RFC3339),
			"availablePromptCredits": pool, "usedPromptCredits": used, "availableFlexCredits": percent,
			"acuConsumed": used, "weeklyQuotaRemainingPercent": percent, "overageBalanceMicros": pool,
		}})
		if err != nil {
			t.Fatal(err)
		}
		s := poll.State{At: usagetest.Noon.AddDate(0, 0, int(days%400))}
		source := usage.Source{Kind: usage.KindLanguageServer, App: app, Variant: "windsurf", Stale: bits&1 != 0}
		if bits&2 != 0 {
			source.FetchedAt = usagetest.Noon
		}
		if s.Snapshot, err = windsurf.Decode(raw, source); err != nil || bits&4 != 0 {
			s.Snapshot = usage.Snapshot{Source: source, PlanName: usage.CleanName(plan)}
			s.Err = &say.Error{Code: "timeout", What: sentence, Exit: 3}
		}
		s.Snapshot = pace.Judge(s.Snapshot, nil, pace.Options{}).At(s.At)
		if bits&8 != 0 {
			s.Snapshot.Problems = append(s.Snapshot.Problems, usage.Problem{Code: "bad_response", Message: sentence})
		}
		all := alone(s)
		if bits&64 != 0 {
			other := s
			other.Name, other.Hash, other.Snapshot.Plan.Product = "windsurf:3fa91c", "3fa91c", usage.Windsurf
			all = append(all, other)
		}
		for _, f := range programs {
			text := f.write(all, words.Words{TwelveHour: bits&16 != 0}, bits&32 != 0)
			parseBack(t, f, all, text)
			if f != FormatPrometheus && f != FormatXbar && strings.Count(text, "\n") != 1 {
				t.Fatalf("%s is not one line: %q", f, text)
			}
		}
	})
}
