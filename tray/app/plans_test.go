package app

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/probe"
	"windsock/probe/say"
	"windsock/usage"
	"windsock/usage/alert"
	"windsock/usage/history"
	"windsock/usage/poll"
	"windsock/usage/words"
)

// family is what three variants tell: the account and what is left of the week in per
// cent. "" is an editor that does not run.
type family struct{ windsurf, next, antigravity string }

// ask answers as a fetch does. The week ends at reset.
func (f family) ask(reset time.Time) []poll.Reading {
	reading := func(product usage.Product, variant, told, form string) poll.Reading {
		r := poll.Reading{Product: product, Variant: variant, App: variant}
		account, left, runs := strings.Cut(told, " ")
		if !runs {
			r.Err = &say.Error{Code: "not_running", What: "It does not run."}
			return r
		}
		r.Raw = []byte(strings.NewReplacer("ACCOUNT", account, "LEFT", left, "UNIX", fmt.Sprint(reset.Unix()), "TIME", reset.UTC().Format(time.RFC3339)).Replace(form))
		return r
	}
	const (
		windsurf    = `{"userStatus":{"userId":"ACCOUNT","planStatus":{"weeklyQuotaRemainingPercent":LEFT,"weeklyQuotaResetAtUnix":UNIX}}}`
		antigravity = `{"response":{"groups":[{"displayName":"Gemini Models","buckets":[{"bucketId":"gemini-weekly",
			"remaining":{"remainingFraction":0.LEFT},"resetTime":"TIME"}]}]},"userStatus":{"email":"ACCOUNT@example.com"}}`
	)
	return []poll.Reading{
		reading(usage.Windsurf, "windsurf", f.windsurf, windsurf),
		reading(usage.Windsurf, "windsurf-next", f.next, windsurf),
		reading(usage.Antigravity, "antigravity", f.antigravity, antigravity),
	}
}

// What comes, goes or changes on one of three plans touches nothing of the others: no
// alert is told twice or lost, each plan's samples go on, and mutes stay.
func TestPlansAreKeptApart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		store := history.New(history.Config{Path: filepath.Join(t.TempDir(), historyName), Location: time.UTC})
		defer store.Close()
		watch := newWatch(store, slog.New(slog.DiscardHandler))
		watch.Config = alert.DefaultConfig()
		var now atomic.Pointer[family]
		poller := poll.New(poll.Config{
			Settings: poll.Settings{Interval: 5 * time.Minute}, Record: store.Record, Salt: store.Salt, Now: time.Now,
			Fetch: func(_ context.Context, ask poll.Ask) []poll.Reading {
				return slices.DeleteFunc(now.Load().ask(start.Add(100*time.Hour)), func(r poll.Reading) bool { return !slices.Contains(ask.Products, r.Product) })
			},
		})
		step := func(f family) (told []string, plans poll.Plans) {
			now.Store(&f)
			time.Sleep(11 * time.Minute) // two intervals, as they jitter
			synctest.Wait()
			states, cancel := poller.Subscribe()
			defer cancel()
			plans = <-states
			for a := watch.See(t.Context(), plans); a != nil; a = watch.Again(t.Context()) {
				told = append(told, a.Title(words.Words{}))
				watch.Told(t.Context(), *a)
			}
			return told, plans
		}
		now.Store(&family{"a 50", "b 60", "c 70"})
		ctx, end := context.WithCancel(t.Context())
		defer end()
		ended := make(chan struct{})
		go func() { defer close(ended); _ = poller.Run(ctx) }()
		defer func() { end(); <-ended }()

		_, plans := step(family{"a 50", "b 60", "c 70"})
		of := map[string]usage.Plan{}
		for i, account := range []string{"a", "b", "c"} {
			of[account] = plans[i].Snapshot.Plan
		}
		watch.SetMute(t.Context(), of["c"], usage.GeminiWeekly, true)
		steps := []struct {
			name  string
			tells family
			told  []string
		}{
			{"two_are_low", family{"a 15", "b 14", "c 13"}, []string{"Weekly quota: 15 % left · windsurf", "Weekly quota: 14 % left · windsurf-next"}},
			{"one_goes", family{"", "b 13", "c 13"}, nil},
			{"it_comes_back", family{"a 14", "b 13", "c 12"}, nil},
			{"one_has_another_account", family{"a 14", "d 3", "c 12"}, []string{"Weekly quota: 3 % left · windsurf-next"}},
			{"and_its_former_one_again", family{"a 13", "b 12", "c 12"}, nil},
			{"another_one_ends", family{"a 13", "b 12", ""}, nil},
			{"it_begins_again", family{"a 13", "b 4", "c 11"}, []string{"Weekly quota: 4 % left · windsurf-next"}},
		}
		for _, s := range steps {
			told, _ := step(s.tells)
			if diff := cmp.Diff(s.told, told); diff != "" {
				t.Errorf("%s (-want +got):\n%s", s.name, diff)
			}
		}
		for _, m := range watch.Mutes() {
			if m.On != (m.Plan == of["c"]) {
				t.Errorf("%s of %s: muted %v", m.Meter, m.Name, m.On)
			}
		}
		for account, want := range map[string][]int64{"a": {50, 85, 86, 87}, "b": {40, 86, 87, 88, 96}, "c": {30, 87, 88, 89}} {
			samples, err := store.Samples(t.Context(), time.Time{}, of[account])
			if err != nil {
				t.Fatal(err)
			}
			var used []int64
			for _, sample := range samples {
				used = append(used, sample.Used.Millionths()/usage.One)
			}
			if diff := cmp.Diff(want, used); diff != "" {
				t.Errorf("samples of %s (-want +got):\n%s", account, diff)
			}
		}
	})
}

// Without any answer the first reading is the furthest failure. A variant that failed in
// another way has its own, so that no plan is said to be old for another one's reason.
func TestReadingsWithoutAnswer(t *testing.T) {
	t.Parallel()
	gone, late := t.Context(), t.Context()
	late, cancel := context.WithCancel(late)
	cancel()
	failed := func(ctx context.Context, i int) probe.Answer {
		only := probe.WithProcesses(func(int) bool { return false })
		return probe.NewFinder(only).Answers(ctx, probe.Variants()[i:i+1])[0]
	}
	both := []probe.Answer{failed(gone, 0), failed(late, 1)}
	var got []string
	for _, r := range readingsOf(usage.Windsurf, both) {
		got = append(got, r.Variant+" "+say.Code(r.Err))
	}
	want := []string{" timeout", "windsurf not_running"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := readingsOf(usage.Windsurf, []probe.Answer{failed(gone, 0), failed(gone, 1)}); len(got) != 1 {
		t.Errorf("none runs: %d readings", len(got))
	}
}
