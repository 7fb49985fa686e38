package status

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windsock/usage"
	"windsock/usage/poll"
	"windsock/usage/product"
	"windsock/usage/usagetest"
	"windsock/usage/words"
)

// ofAntigravity is a state with these buckets, at noon.
func ofAntigravity(t *testing.T, buckets string) poll.State {
	t.Helper()
	s, err := product.Decode(usage.Antigravity, []byte(`{"groups":[{"buckets":[`+buckets+`]}]}`), usage.Source{Kind: usage.KindLanguageServer, FetchedAt: usagetest.Noon})
	if err != nil {
		t.Fatal(err)
	}
	return poll.State{At: usagetest.Noon, Snapshot: s.At(usagetest.Noon)}
}

const (
	notStarted5h     = `{"bucketId":"gemini-5h","remainingFraction":1,"resetTime":"2026-02-03T15:00:00Z"}`
	notStartedWeekly = `{"bucketId":"gemini-weekly","remainingFraction":1,"resetTime":"2026-02-10T10:00:00Z"}`
)

// A plan of which nothing was used yet has all left, though no meter binds.
func TestUntouchedInBars(t *testing.T) {
	t.Parallel()
	s := ofAntigravity(t, notStarted5h+","+notStartedWeekly)
	got := map[string]string{}
	for _, f := range []Format{FormatTmux, FormatXbar} {
		got[string(f)], _, _ = strings.Cut(f.write(alone(s), words.Words{}, false), "\n")
	}
	if diff := cmp.Diff(map[string]string{"tmux": "Antigravity 100 % left", "xbar": "100%"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if word := glanceAt(words.Words{}, s).word; word != standsOK {
		t.Errorf("it stands %q", word)
	}
}

func TestAntigravityInFormats(t *testing.T) {
	t.Parallel()
	s := ofAntigravity(t, notStarted5h+`,{"bucketId":"gemini-weekly","remainingFraction":0.125},{"bucketId":"image-5h","displayName":"Image","remainingFraction":0}`)
	type seen struct {
		Binding          string
		Page             bool
		State, Remaining float64
	}
	metrics := readPrometheus(t, alone(s), writePrometheus(alone(s)))
	got := seen{
		Binding: string(*PlansDocument(alone(s)).Plans[0].Binding), Page: strings.Contains(writeXbar(alone(s), words.Words{}), "Manage plan"),
		State: metrics["windsock_meter_state|meter=gemini_5h|state=not_started"], Remaining: metrics["windsock_meter_remaining_ratio|meter=gemini_weekly"],
	}
	if diff := cmp.Diff(seen{Binding: "gemini_weekly", State: 1, Remaining: 0.125}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
