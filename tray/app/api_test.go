package app

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"windsock/probe/say"
	"windsock/usage"
	"windsock/usage/poll"
	"windsock/usage/windsurf"
)

// The local API of the app reports the poller's figures. It waits for the first ones,
// requests newer ones only if they are wanted, and never waits beyond its deadline.
func TestKnown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var fetched int
		var broken error
		poller := poll.New(poll.Config{Products: []usage.Product{usage.Windsurf}, Fetch: func(context.Context, poll.Ask) []poll.Reading {
			fetched++
			time.Sleep(time.Second)
			if broken != nil {
				return []poll.Reading{{Err: broken}}
			}
			return []poll.Reading{{Raw: []byte(`{"planStatus":{"dailyQuotaRemainingPercent":40}}`)}}
		}})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- poller.Run(ctx) }()

		first := prompted(known(t.Context(), poller, false))
		if !first.HasFigures() || fetched != 1 {
			t.Fatalf("%d fetches, %+v", fetched, first)
		}
		time.Sleep(time.Minute)
		if again := prompted(known(t.Context(), poller, false)); again.Snapshot.Source.FetchedAt != first.Snapshot.Source.FetchedAt || fetched != 1 {
			t.Errorf("%d fetches, figures of %v", fetched, again.Snapshot.Source.FetchedAt)
		}
		fresh := prompted(known(t.Context(), poller, true))
		if age := time.Since(fresh.Snapshot.Source.FetchedAt); age != 0 || fetched != 2 {
			t.Errorf("%d fetches, figures %v old", fetched, age)
		}
		if again := prompted(known(t.Context(), poller, true)); again.Snapshot.Source.FetchedAt != fresh.Snapshot.Source.FetchedAt || fetched != 2 {
			t.Errorf("at once again: %d fetches", fetched)
		}
		time.Sleep(time.Minute)
		broken = errors.New("gone")
		limited, stop := context.WithTimeout(t.Context(), 5*time.Second)
		defer stop()
		began := time.Now()
		if old := prompted(known(limited, poller, true)); !old.HasFigures() || old.Err == nil || time.Since(began) != 5*time.Second {
			t.Errorf("after %v: %+v", time.Since(began), old)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if last := known(t.Context(), poller, false); !last.HasFigures() {
			t.Errorf("at the end: %+v", last)
		}
	})
}

// What another product may be asked anew does not keep a caller waiting for figures of
// Windsurf that are seconds old.
func TestKnownBesideAnother(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		poller := poll.New(poll.Config{Fetch: func(_ context.Context, ask poll.Ask) []poll.Reading {
			if ask.Products[0] == usage.Antigravity {
				return []poll.Reading{{Product: usage.Antigravity, Err: errors.New("gone")}}
			}
			return []poll.Reading{{Raw: []byte(`{"planStatus":{"dailyQuotaRemainingPercent":40}}`)}}
		}})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- poller.Run(ctx) }()
		poller.PromptEnded() // Windsurf alone is asked in 30 s
		time.Sleep(32 * time.Second)
		began := time.Now()
		if got := prompted(known(t.Context(), poller, true)); !got.HasFigures() || time.Since(began) != 0 {
			t.Errorf("after %v: %+v", time.Since(began), got)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// Prompts go to the first Windsurf that runs, whichever plan leads.
func TestPrompted(t *testing.T) {
	t.Parallel()
	gone := figures(2)
	gone.Err, gone.Snapshot.Source.Stale = errors.New("gone"), true
	starting := poll.State{Snapshot: usage.Snapshot{Plan: usage.Plan{Product: usage.Windsurf}, Source: usage.Source{PID: 6}}}
	tests := []struct {
		name  string
		plans poll.Plans
		want  int // the PID
	}{
		{"none", nil, 0},
		{"antigravity", poll.Plans{google(1)}, 0},
		{"windsurf_beside", poll.Plans{figures(2), google(1)}, 2},
		{"two", poll.Plans{figures(2), figures(3), google(1)}, 2},
		{"first_is_gone", poll.Plans{gone, figures(3), google(1)}, 3},
		{"all_are_gone", poll.Plans{gone, google(1)}, 2},
		{"no_figures_yet", poll.Plans{starting, google(1)}, 6},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := prompted(tt.plans).Snapshot.Source.PID; got != tt.want {
				t.Errorf("got %d", got)
			}
		})
	}
}

// /v1/usage is the output of `windsock status --json`. Old figures are marked as old,
// with their age; where no plan has others, they come with the reason.
func TestUsageOf(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 2, 3, 10, 0, 0, 0, time.UTC)
	had := func(kind usage.SourceKind, stale bool) usage.Snapshot {
		source := usage.Source{Kind: kind, Variant: "windsurf", PID: 42, FetchedAt: at, Stale: stale}
		s, err := windsurf.Decode([]byte(`{"planStatus":{"planInfo":{"planName":"Teams"},"dailyQuotaRemainingPercent":40}}`), source)
		if err != nil {
			t.Fatal(err)
		}
		return s.At(at.Add(time.Hour))
	}
	gone := &say.Error{Code: "not_running", What: "Windsurf is not running."}
	tests := []struct {
		name  string
		plans poll.Plans
		err   error
		want  []string
	}{
		{"figures", poll.Plans{{Snapshot: had(usage.KindLanguageServer, false)}}, nil, []string{`"stale":false`, `"remaining":40`, `"problems":[]`}},
		{"a_try_that_failed", poll.Plans{{Snapshot: had(usage.KindLanguageServer, false), Err: gone}}, nil, []string{`"stale":false`, `"code":"not_running"`}},
		{"old_figures", poll.Plans{{Snapshot: had(usage.KindLanguageServer, true), Err: gone}}, gone, []string{`"fetched_at":"2026-02-03T10:00:00Z","stale":true`, `"remaining":40`, `"code":"not_running"`}},
		{
			"old_figures_beside_fresh_ones",
			poll.Plans{{Snapshot: had(usage.KindLanguageServer, true), Err: gone}, {Snapshot: had(usage.KindLanguageServer, false), Lead: true}},
			nil,
			[]string{`"stale":true`, `"stale":false`, `"lead":true`, `"code":"not_running"`},
		},
		{"fresh_figures_beside_a_problem", poll.Plans{{Err: gone}, {Snapshot: had(usage.KindLanguageServer, false), Lead: true}}, nil, []string{`"problems":[{"code":"not_running"`}},
		{"what_the_editor_keeps", poll.Plans{{Snapshot: had(usage.KindCache, true), Err: gone}}, gone, []string{`"stale":true`, `"kind":"cache"`, `"remaining":40`}},
		{"no_figures", poll.Plans{{Err: gone}}, gone, []string{`"meters":[]`, `"code":"not_running"`}},
		{"the_end_of_the_app", poll.Plans{{}}, nil, []string{"null"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := usageOf(tt.plans)
			body, err := json.Marshal(got.Document)
			if err != nil || !errors.Is(got.Err, tt.err) || (got.Err == nil) != (tt.err == nil) {
				t.Errorf("reason %v, want %v; %v", got.Err, tt.err, err)
			}
			for _, want := range tt.want {
				if !strings.Contains(string(body), want) {
					t.Errorf("no %s in %s", want, body)
				}
			}
		})
	}
}
