package window

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"

	"windsock/usage"
	"windsock/usage/alert"
	"windsock/usage/poll"
	"windsock/usage/product"
)

// other is a plan of Antigravity.
func other(t *testing.T) poll.State {
	t.Helper()
	raw := []byte(`{"response":{"groups":[{"buckets":[{"bucketId":"gemini-5h","remainingFraction":0.04,"resetTime":"2026-02-03T14:00:00Z"},` +
		`{"bucketId":"gemini-weekly","remainingFraction":0.7,"resetTime":"2026-02-08T12:00:00Z"}]}]}}`)
	s, err := product.Decode(usage.Antigravity, raw, usage.Source{Kind: usage.KindLanguageServer, App: "Antigravity", FetchedAt: noon})
	if err != nil {
		t.Fatal(err)
	}
	return poll.State{At: noon, Name: "antigravity", Snapshot: s.At(noon)}
}

// The leading plan comes first, and each has its heading.
func TestSeveralPlans(t *testing.T) {
	t.Parallel()
	leads := other(t)
	leads.Lead = true
	p := enter(t, &fake{others: []poll.State{leads}}, nil)
	body := p.do("GET", "/api/hello", "", nil).body
	var got []string
	for _, plan := range gjson.Get(body, "plans").Array() {
		got = append(got, plan.Get("heading").Str+": "+plan.Get("short.text").Str+", "+plan.Get("lines.#").Raw+" lines")
	}
	want := []string{"Antigravity: Gemini 5-hour: 4 % left, 2 lines", "Windsurf · Teams: Prompt credits: 453 of 500 left (91 %), 1 lines"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A chart is of the plan that it was asked for, and a mute too.
func TestOneOfSeveralPlans(t *testing.T) {
	t.Parallel()
	o := other(t)
	f := &fake{others: []poll.State{o}, muted: []alert.Mute{{Plan: o.Snapshot.Plan, Meter: usage.Gemini5h, Until: noon.Add(2 * time.Hour)}}}
	p := enter(t, f, nil)
	body := p.do("GET", "/api/usage/chart?plan=antigravity", "", nil).body
	if got := gjson.Get(body, "plan").Str + " " + gjson.Get(body, "meter").Str; got != "antigravity gemini_5h" || f.drawnOf != o.Snapshot.Plan {
		t.Errorf("drew %s, of %v", got, f.drawnOf)
	}
	if got := gjson.Get(body, "plans.#.heading").Raw; got != `["Windsurf · Teams","Antigravity"]` {
		t.Errorf("offers %s", got)
	}
	label := gjson.Get(p.do("GET", "/api/settings", "", nil).body, "mutes.0.label").Str
	if label != "Gemini 5-hour of Antigravity" {
		t.Errorf("label %q", label)
	}
	if got := p.do("POST", "/api/mutes", `{"plan":"windsurf","meter":"gemini_5h","muted":true}`, nil); got.status != 404 {
		t.Errorf("muted the meter of another plan: %+v", got)
	}
	if got := p.do("POST", "/api/mutes", `{"plan":"antigravity","meter":"gemini_5h","muted":true}`, nil); got.status != 204 || !f.muted[0].On {
		t.Errorf("not muted: %+v", got)
	}
	f.leave = true
	if got := p.do("POST", "/api/mutes", `{"plan":"antigravity","meter":"gemini_5h","muted":false}`, nil); got.status != 204 || f.muted[0].On {
		t.Errorf("muted still, of a plan that leaves: %+v", got)
	}
}
