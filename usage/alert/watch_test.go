package alert

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windsock/usage"
	"windsock/usage/poll"
	"windsock/usage/words"
)

func TestWatchSavesWhatChanged(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.play("+5m daily=50 weekly=90:runs_out balance=20")
	if w.store.saves != 1 || w.store.loads != 1 {
		t.Fatalf("%d saves, %d loads", w.store.saves, w.store.loads)
	}
	for range 100 {
		w.play("+5m daily=49~3s weekly=89:runs_out balance=19.5")
	}
	if w.store.saves != 1 {
		t.Errorf("%d saves without news", w.store.saves)
	}
	w.play("+5m daily=10 weekly=89:on_course balance=19")
	if w.store.saves != 3 { // seen, and told
		t.Errorf("%d saves with news", w.store.saves)
	}
}

func TestWatchSavesAtTheEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx, cancel := context.WithCancel(t.Context())
	w.now = w.now.Add(1)
	state, _ := w.answer([]string{"daily=10"})
	a := w.watch.See(ctx, poll.Plans{state})
	cancel()
	w.watch.Told(ctx, *a)
	if told := w.play("restart\n+5m daily=10"); strings.Contains(told, "|") {
		t.Errorf("told twice: %s", told)
	}
}

func TestStoreSequences(t *testing.T) {
	t.Parallel()
	checkSequences(t, []sequence{
		{"store_that_cannot_be_written", `
			store breaks
			+5m daily=15 | Daily quota: 15 % left
			+5m daily=15
			+5m daily=4 | Daily quota: 4 % left
			store mended
			+5m daily=4
			restart
			+5m daily=4
		`},
		{"store_that_cannot_be_read", `
			+5m daily=15 | Daily quota: 15 % left
			store unreadable
			restart
			+5m daily=15
			store mended
			+5m daily=15
		`},
		{"store_that_stays_unreadable", `
			store unreadable
			+5m daily=15
			+5m daily=15 | Daily quota: 15 % left
			+5m daily=15
		`},
		{"store_that_is_read_late", `
			+5m daily=15 weekly=50 | Daily quota: 15 % left
			mute daily_quota
			store unreadable
			restart
			+5m daily=15 weekly=50
			+5m daily=15 weekly=50 | Daily quota: 15 % left
			+5m daily=15 weekly=15 | Weekly quota: 15 % left
			store mended
			+5m daily=3 weekly=15
			restart
			+5m daily=3 weekly=15
			unmute daily_quota
			+5m daily=3 weekly=15 | Daily quota: 3 % left
		`},
		{"store_that_is_read_late_in_another_window", `
			+5m daily=15 | Daily quota: 15 % left
			mute daily_quota
			store unreadable
			restart
			+24h daily=50
			+5m daily=15 | Daily quota: 15 % left
			store mended
			+5m daily=15
			+5m daily=3 | Daily quota: 3 % left
		`},
		{"money_told_before_the_store_is_read", `
			+5m daily=50 topup=3/10
			+5m daily=50 topup=4/10 | Auto top-up: spent money
			store unreadable
			restart
			+5m daily=50 topup=5/10
			+5m daily=50 topup=5/10
			+5m daily=50 topup=6/10 | Auto top-up: spent money
			store mended
			+5m daily=50 topup=6/10
			+5m daily=50 topup=7/10 | Auto top-up: spent money
		`},
		{"money_spent_before_the_store_is_read", `
			+5m daily=50 topup=3/10
			store unreadable
			restart
			+5m daily=50 topup=5/10
			+5m daily=50 topup=5/10
			store mended
			+5m daily=50 topup=5/10 | Auto top-up: spent money
		`},
		{"refilled_before_the_store_is_read", `
			+5m daily=0 | Daily quota: used up
			store unreadable
			restart
			+5m daily=0
			+5m daily=0 | Daily quota: used up
			+24h daily=100 | Daily quota: refilled
			store mended
			+5m daily=100
			+24h daily=100
		`},
		{"document_damaged", `
			+5m daily=15 weekly=3 | Weekly quota: 3 % left. Also: Daily quota 15 % left.
			store garbage
			restart
			+5m daily=15 weekly=3 | Weekly quota: 3 % left. Also: Daily quota 15 % left.
			restart
			+5m daily=15 weekly=3
		`},
		{"document_newer", `
			store newer
			+5m daily=15 | Daily quota: 15 % left
			+5m daily=15
			restart
			+5m daily=15 | Daily quota: 15 % left
		`},
	})
}

func TestWatchWithoutAStore(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.watch.Store = nil
	const script = "+5m daily=15 | Daily quota: 15 % left\n+5m daily=15\nmute daily_quota\n+5m daily=0"
	if diff := cmp.Diff(script, w.play(script)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWatchBeforeAnything(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if a := w.watch.See(t.Context(), poll.Plans{{}}); a != nil || w.store.loads != 0 {
		t.Errorf("told %v, %d loads", a, w.store.loads)
	}
	w.watch.SetMute(t.Context(), usage.Plan{}, usage.DailyQuota, true)
	if w.store.saves != 0 {
		t.Error("saved before it was loaded")
	}
}

// A slow subscriber may see a fetch's figures only beside the failure of the next one.
func TestWatchWaitsForASuccess(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	state, _ := w.answer([]string{"daily=10"})
	state.Err = errStore
	if a := w.watch.See(t.Context(), poll.Plans{state}); a != nil {
		t.Errorf("told %s", a.Title(words.Words{}))
	}
	const next = "+5m daily=10 | Daily quota: 10 % left"
	if got := w.play(next); got != next {
		t.Errorf("then %s", got)
	}
}

func TestWatchLog(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, script string
		want         []string
	}{
		{"all_well", "+5m daily=15\n+5m daily=3", nil},
		{"broken", "store breaks\n+5m daily=15\n+5m daily=3\n+5m daily=3", []string{"told alerts cannot be saved: disk full"}},
		{
			"broken_twice", "store breaks\n+5m daily=15\nstore mended\n+5m daily=15\nstore breaks\n+5m daily=3",
			[]string{"told alerts cannot be saved: disk full", "told alerts cannot be saved: disk full"},
		},
		{
			"unreadable", "store unreadable\n+5m daily=15\n+5m daily=15\n+5m daily=15",
			[]string{"told alerts cannot be loaded: disk full", "told alerts cannot be loaded: disk full"},
		},
		{"garbage", "store garbage\n+5m daily=15\n+5m daily=15", []string{"told alerts cannot be read and begin anew: read alerts: not a document of them"}},
		{"newer", "store newer\n+5m daily=15\n+5m daily=15", []string{"told alerts are of a newer version and left alone: read alerts: a newer version wrote them"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			var log bytes.Buffer
			w.watch.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{ReplaceAttr: plain}))
			w.play(tt.script)
			var got []string
			for line := range strings.Lines(log.String()) {
				line = strings.TrimPrefix(strings.TrimSpace(line), "msg=")
				got = append(got, strings.ReplaceAll(strings.ReplaceAll(line, `"`, ""), " err=", ": "))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// plain keeps the message and the error.
func plain(_ []string, a slog.Attr) slog.Attr {
	if a.Key == slog.TimeKey || a.Key == slog.LevelKey {
		return slog.Attr{}
	}
	return a
}

func TestNewerDocumentIsLeftAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.play("store newer\n+5m daily=15\n+5m daily=3\nmute daily_quota")
	if w.store.saves != 0 {
		t.Error("it was written over")
	}
}

// A notification may take longer than the next answer.
func TestToldLater(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, due, meanwhile, after string }{
		{"lower_since", "+5m daily=20", "+5m daily=4 refused", "+5m daily=4 | Daily quota: 4 % left"},
		{"the_same_still", "+5m daily=20", "+5m daily=19 refused", "+5m daily=18"},
		{"another_window_since", "+5m daily=20", "+24h daily=19 refused", "+5m daily=18 | Daily quota: 18 % left"},
		{"another_account_since", "+5m daily=20", "+5m account=b daily=19 refused", "+5m daily=18"},
		{"more_money_since", "+5m daily=0 balance=10", "+5m daily=0 balance=40 refused", "+5m daily=0 balance=40 | On extra usage: $40.00 left"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.play(tt.due + " refused")
			due := w.told
			w.play(tt.meanwhile)
			w.watch.Told(t.Context(), *due)
			if diff := cmp.Diff(tt.after, w.play(tt.after)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
