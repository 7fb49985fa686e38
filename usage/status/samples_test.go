package status

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"

	"windsock/probe/terminal"
	"windsock/usage"
	"windsock/usage/pace"
	"windsock/usage/poll"
	"windsock/usage/usagetest"
	"windsock/usage/windsurf"
)

func TestSamples(t *testing.T) {
	t.Parallel()
	src := usage.Source{Kind: usage.KindLanguageServer, Variant: "windsurf", App: "Windsurf", PID: 4242, FetchedAt: usagetest.Noon}
	for name, raw := range usagetest.Samples(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := windsurf.Decode(raw, src)
			if err != nil {
				t.Fatal(err)
			}
			s = pace.Judge(s, nil, pace.Options{}).At(usagetest.Noon)
			var out strings.Builder
			if err := terminal.WriteJSON(&out, PlansDocument(alone(poll.State{At: s.Judged, Snapshot: s}))); err != nil {
				t.Fatal(err)
			}
			out.WriteString(textAlone(s, TextOptions{Width: 80}))
			golden(t, name+".golden", []byte(out.String()))
		})
	}
}

func TestBalanceKeepsMicros(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("../windsurf/testdata/user_status/14-overage-variants.json")
	if err != nil {
		t.Fatal(err)
	}
	variants := gjson.ParseBytes(raw).Array()
	if len(variants) != 4 {
		t.Fatalf("%d variants", len(variants))
	}
	for _, v := range variants {
		s := decoded(t, `{"planStatus":`+v.Raw+`}`)
		if got, want := s.Meters[0].Remaining.String(), v.Get("usd").Raw; got != want {
			t.Errorf("%s is %s dollars, want %s", v.Raw, got, want)
		}
	}
}

// TestAnswerShape compares the whole text of an answer, so that neither the order of
// fields nor a number's form can change unnoticed.
func TestAnswerShape(t *testing.T) {
	t.Parallel()
	raw := usagetest.Samples(t)["user_status/01-credits-teams"]
	got, err := runStatus(t, &statusCommand{Parts: Parts{Fetch: fetchOf(poll.Reading{Raw: raw, Variant: "windsurf", App: "Windsurf", PID: 4242})}}, nil, "--json")
	if err != nil {
		t.Fatal(err)
	}
	want := `{
  "schema": 2,
  "at": "2026-02-03T10:00:00Z",
  "plans": [
    {
      "product": "windsurf",
      "account": null,
      "lead": true,
      "source": {
        "kind": "language_server",
        "variant": "windsurf",
        "pid": 4242,
        "fetched_at": "2026-02-03T10:00:00Z",
        "stale": false
      },
      "plan": "Teams",
      "billing": "credits",
      "cycle": {
        "start": "2026-01-18T09:07:17Z",
        "end": "2026-02-18T09:07:17Z"
      },
      "meters": [
        {
          "id": "prompt_credits",
          "unit": "credits",
          "state": "ok",
          "used": 47,
          "total": 500,
          "remaining": 453,
          "remaining_percent": 90.6,
          "window_start": "2026-01-18T09:07:17Z",
          "resets_at": "2026-02-18T09:07:17Z",
          "pace": {
            "verdict": "on_course",
            "confidence": "established",
            "basis": "window",
            "elapsed_percent": 51.7,
            "even_percent": 51.7,
            "projected_percent": 31.4,
            "low_percent": 14.9,
            "high_percent": 66.4,
            "lasts_percent": 99,
            "runs_out_at": null,
            "runs_out_from": null,
            "runs_out_to": null,
            "switches_at": null,
            "budget_per_day": 30.2,
            "reason": ""
          }
        },
        {
          "id": "flex_credits",
          "unit": "credits",
          "state": "ok",
          "used": 1755.5,
          "total": 26750,
          "remaining": 24994.5,
          "remaining_percent": 93.4,
          "window_start": null,
          "resets_at": null,
          "pace": null
        }
      ],
      "binding": "prompt_credits",
      "notices": [],
      "problems": []
    }
  ],
  "problems": []
}
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
