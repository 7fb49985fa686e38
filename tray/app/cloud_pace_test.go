package app

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/go-cmp/cmp"

	"windsock/probe/kept"
	simulated "windsock/probe/simulator/cloud"
	"windsock/usage"
	"windsock/usage/poll"
)

// TestCloudPace: when the service is asked again, by who wants to know and what came last.
func TestCloudPace(t *testing.T) {
	t.Parallel()
	const (
		from  = "windsurf cloud windsurf server.codeium.com "
		s, m  = time.Second, time.Minute
		plan  = "GetPlanStatus"
		none  = simulated.FaultNone
		quiet = simulated.FaultOffline
	)
	type step struct {
		after time.Duration
		fault simulated.Fault
		why   poll.Why
		want  string
		asked string
	}
	tests := []struct {
		name  string
		steps []step
	}{
		{"the_app_asks_every_ten_minutes", []step{
			{0, none, poll.WhyDue, "0s", plan}, {8 * m, none, poll.WhyDue, "8m0s", ""}, {m, none, poll.WhyDue, "0s", plan},
		}},
		{"a_command_takes_figures_of_five_minutes", []step{
			{0, none, poll.WhyOnce, "0s", plan}, {4 * m, none, poll.WhyOnce, "4m0s", ""}, {m, none, poll.WhyOnce, "0s", plan},
		}},
		{"a_click_takes_figures_of_30_seconds", []step{
			{0, none, poll.WhyWanted, "0s", plan}, {29 * s, none, poll.WhyWanted, "29s", ""}, {s, none, poll.WhyWanted, "0s", plan},
		}},
		{"a_failure_keeps_the_figures_and_waits", []step{
			{0, none, poll.WhyOnce, "0s", plan},
			{6 * m, simulated.FaultUnavailable, poll.WhyOnce, "6m0s server_error", plan},
			{50 * s, none, poll.WhyOnce, "6m50s server_error", ""},
			{10 * s, none, poll.WhyOnce, "0s", plan},
		}},
		{"offline_without_figures", []step{
			{0, quiet, poll.WhyOnce, "offline", ""}, {20 * s, none, poll.WhyOnce, "offline", ""}, {m, none, poll.WhyOnce, "0s", plan},
		}},
		{"the_service_says_how_long_to_wait", []step{
			{0, simulated.FaultTooMany, poll.WhyDue, "rate_limited", plan},
			{m, none, poll.WhyWanted, "rate_limited", ""},
			{time.Hour, none, poll.WhyWanted, "0s", plan},
		}},
		{"a_rejected_sign_in_drops_the_figures", []step{
			{0, none, poll.WhyDue, "0s", plan},
			{10 * m, simulated.FaultNotKnown, poll.WhyDue, "rejected", plan},
			{10 * m, none, poll.WhyDue, "rejected", ""},
			{m, simulated.FaultUnavailable, poll.WhyWanted, "server_error", plan},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newCloudBench(t, "robin", "", allowEditor)
			seen := 0
			for i, step := range tt.steps {
				b.wait(step.after)
				b.fail(step.fault)
				got := firstLine(b.fetch(poll.Ask{Products: []usage.Product{usage.Windsurf}, Why: step.why}))
				if diff := cmp.Diff(from+step.want, got); diff != "" {
					t.Errorf("step %d (-want +got):\n%s", i, diff)
				}
				if asked := b.asked(&seen); asked != step.asked {
					t.Errorf("step %d: asked %q, want %q", i, asked, step.asked)
				}
			}
		})
	}
}

// TestCloudAfterReset: kept figures whose reset has passed are asked for again.
func TestCloudAfterReset(t *testing.T) {
	t.Parallel()
	b := newCloudBench(t, "robin", "", allowEditor)
	reset := b.serverNow().Add(3 * time.Minute).Unix()
	answer := fmt.Appendf(nil, `{"userStatus":{"planStatus":{"dailyQuotaRemainingPercent":40,"dailyQuotaResetAtUnix":"%d"}}}`, reset)
	if _, err := b.keptOf("windsurf", "server.codeium.com").Get(t.Context(), func(kept.Last) bool { return true }, func(_ context.Context, l kept.Last) kept.Last {
		return l.Answered(answer, "")
	}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"3m50s", "0s"} {
		b.wait(230 * time.Second)
		if got := firstLine(b.fetch(poll.Ask{Products: []usage.Product{usage.Windsurf}})); got != "windsurf cloud windsurf server.codeium.com "+want {
			t.Errorf("%s, want %s", got, want)
		}
		b.wait(-220 * time.Second)
	}
}

// TestCloudCursorPace: Cursor's figures are asked for every quarter of an hour, what
// changes seldom once a day.
func TestCloudCursorPace(t *testing.T) {
	t.Parallel()
	b := newCloudBench(t, "", "", allowCursor)
	seen := 0
	for _, step := range []struct {
		after time.Duration
		asked string
	}{
		{0, "GetCurrentPeriodUsage usage GetPlanInfo GetHardLimit"}, {13 * time.Minute, ""}, {time.Minute, "GetCurrentPeriodUsage"},
	} {
		b.wait(step.after)
		b.fetch(poll.Ask{Products: []usage.Product{usage.Cursor}})
		if asked := b.asked(&seen); asked != step.asked {
			t.Errorf("after %v: asked %q, want %q", step.after, asked, step.asked)
		}
	}
}

// TestCloudSignsInAgain: a new sign-in ends a rejection at once.
func TestCloudSignsInAgain(t *testing.T) {
	t.Parallel()
	b := newCloudBench(t, "", "robin", allowCLI)
	b.service.Revoke(cliToken)
	const from = "windsurf cloud devin-cli server.codeium.com "
	seen := 0
	for _, want := range []string{"GetPlanStatus", ""} {
		if got := b.fetch(once); got != from+"rejected" {
			t.Errorf("before: %s", got)
		}
		if asked := b.asked(&seen); asked != want {
			t.Errorf("asked %q, want %q", asked, want)
		}
		b.wait(31 * time.Second)
	}
	b.signInCLI(cliToken+"-renewed", "robin")
	if got := firstLine(b.fetch(once)); got != from+"0s" {
		t.Errorf("after: %s", got)
	}
}

// TestCloudDeniedMeanwhile: consent that ends while an editor is looked for, or while
// another process asks, ends the question.
func TestCloudDeniedMeanwhile(t *testing.T) {
	t.Parallel()
	b := newCloudBench(t, "robin", "", allowEditor, allowCursor)
	asker := flock.New(filepath.Join(b.stateDir, "cloud-windsurf.lock"))
	if err := os.MkdirAll(b.stateDir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := asker.Lock(); err != nil {
		t.Fatal(err)
	}
	got := make(chan string)
	go func() { got <- b.fetch(poll.Ask{Products: once.Products, Named: true, Why: poll.WhyOnce}) }()
	for end := time.Now().Add(20 * time.Second); len(b.service.Requests()) == 0 && time.Now().Before(end); {
		time.Sleep(time.Millisecond) // Cursor is asked first: the settings were read
	}
	b.allow()
	if err := asker.Close(); err != nil {
		t.Fatal(err)
	}
	if line := firstLine(<-got); line != "windsurf not_running" {
		t.Error(line)
	}
	if asked := b.asked(new(int)); strings.Contains(asked, "GetPlanStatus") {
		t.Errorf("asked %s", asked)
	}
}

// TestCloudAskedByTenAtOnce: one of them asks, and all have the answer.
func TestCloudAskedByTenAtOnce(t *testing.T) {
	t.Parallel()
	b := newCloudBench(t, "robin", "", allowEditor)
	var all sync.WaitGroup
	got := make([]string, 10)
	for i := range got {
		all.Go(func() { got[i] = firstLine(b.fetch(once)) })
	}
	all.Wait()
	for _, line := range got {
		if line != "windsurf cloud windsurf server.codeium.com 0s" {
			t.Error(line)
		}
	}
	if asked := b.asked(new(int)); asked != "GetPlanStatus" {
		t.Errorf("asked %s", asked)
	}
}

// TestCloudAskerDied: its question counts, and there is no answer to it.
func TestCloudAskerDied(t *testing.T) {
	t.Parallel()
	b := newCloudBench(t, "robin", "", allowEditor)
	dead := b.keptOf("windsurf", "server.codeium.com")
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := dead.Get(ctx, func(kept.Last) bool { return true }, func(_ context.Context, l kept.Last) kept.Last {
		cancel()
		return l
	}); err != nil {
		t.Fatal(err)
	}
	if got := firstLine(b.fetch(once)); got != "windsurf cloud windsurf server.codeium.com timeout" {
		t.Error(got)
	}
}

// TestCloudCancelled: who goes away in mid-question blames nobody.
func TestCloudCancelled(t *testing.T) {
	t.Parallel()
	b := newCloudBench(t, "robin", "", allowEditor)
	b.fail(simulated.FaultHang)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan []poll.Reading)
	go func() { ended <- b.fetching(b.salt)(ctx, once) }()
	for end := time.Now().Add(20 * time.Second); len(b.service.Requests()) == 0 && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	cancel()
	<-ended
	if last := b.keptOf("windsurf", "server.codeium.com").Read(); last.Failed != nil || last.Asked.IsZero() {
		t.Errorf("kept %+v", last)
	}
}

// TestFirstReset: of kept figures, the reset that a new question has to wait for.
func TestFirstReset(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	answer := func(daily, weekly time.Duration) []byte {
		return fmt.Appendf(nil, `{"userStatus":{"planStatus":{"dailyQuotaRemainingPercent":40,"dailyQuotaResetAtUnix":"%d",
			"weeklyQuotaRemainingPercent":50,"weeklyQuotaResetAtUnix":"%d"}}}`, at.Add(daily).Unix(), at.Add(weekly).Unix())
	}
	tests := []struct {
		name   string
		answer []byte
		want   time.Time
	}{
		{"none", nil, time.Time{}},
		{"no_figures", []byte(`{}`), time.Time{}},
		{"earlier_of_two", answer(time.Hour, 50*time.Hour), at.Add(time.Hour)},
		{"passed_just_before_the_answer", answer(-30*time.Second, 50*time.Hour), at.Add(-30 * time.Second)},
		{"passed_before", answer(-2*time.Minute, 50*time.Hour), at.Add(50 * time.Hour)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := firstReset(usage.Windsurf, kept.Last{Answer: tt.answer, At: at}); !got.Equal(tt.want) {
				t.Errorf("%v, want %v", got, tt.want)
			}
		})
	}
}
