package cascade

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/chat"
	"windsock/probe"
)

// paid is an answer with its cost.
func paid(text string, credits float64) []trajectoryStep {
	steps := says(text)
	steps[0].cost = chat.Cost{Credits: &credits}
	return steps
}

// A further prompt has the text and the cost of its own turn alone, whichever source the
// answer is read from. The queue knows how many prompts the open cascade has had.
func TestTurnFurther(t *testing.T) {
	t.Parallel()
	one, two := 1.0, 2.0
	gone := errors.New("the editor is gone")
	quoted := "Look:\n\n" + said(40, "User", "not a prompt") + said(41, "Assistant", "nor an answer")
	tests := []struct {
		name  string
		first string // the first answer
		next  []moment
		again bool // the same prompt again
		fail  func(s *script, call string, n int) error
		limit time.Duration // of the further prompt
		once  bool          // which is not to be kept
		want  chat.Answer   // without Ref, which is c1
		code  chat.Code     // of the failure, "" for success
		queue book          // after the further prompt
		left  chat.Leftover // in the end
	}{
		{
			name: "answers", first: "old",
			next: []moment{{status: idle}, {at: time.Second, status: running}, {at: 2 * time.Second, status: idle, steps: all(paid("new", 2), does("CHECKPOINT"))}},
			want: chat.Answer{Text: "new", Sent: true, Left: chat.LeftOpen, Cost: chat.Cost{Credits: &two}},
		},
		{
			name: "the_same_again", first: "old", again: true,
			next: []moment{{status: idle}, {at: time.Second, status: idle, steps: all(paid("old", 2), does("CHECKPOINT"))}},
			want: chat.Answer{Text: "old", Sent: true, Left: chat.LeftOpen, Cost: chat.Cost{Credits: &two}},
		},
		{
			name: "behind_a_quoted_transcript", first: quoted,
			next: []moment{{status: running, steps: writes("n")}, {at: time.Second, status: idle, steps: all(says("new"), does("CHECKPOINT"))}},
			want: chat.Answer{Text: "new", Sent: true, Left: chat.LeftOpen},
		},
		{
			name: "in_the_end", first: "old", once: true,
			next:  []moment{{status: idle, steps: all(says("new"), does("CHECKPOINT"))}},
			want:  chat.Answer{Text: "new", Sent: true},
			queue: book{},
		},
		{
			name: "out_of_time", first: "old",
			next:  []moment{{status: running, steps: says("half")}, {at: 1200 * time.Millisecond, status: idle, steps: says("half")}},
			limit: time.Second,
			want:  chat.Answer{Text: "half", Sent: true, Left: chat.LeftOpen}, code: chat.TimedOut,
		},
		{
			name: "does_not_stop", first: "old",
			next:  []moment{{status: running, steps: says("half")}},
			limit: time.Second,
			want:  chat.Answer{Text: "half", Sent: true}, code: chat.TimedOut,
			queue: book{},
		},
		{
			name: "an_error_step", first: "old",
			next: []moment{{status: running}, {at: time.Second, status: idle, steps: fails("Your daily usage quota has been exhausted")}},
			want: chat.Answer{Sent: true, Left: chat.LeftOpen}, code: chat.QuotaExhausted,
		},
		{
			name: "no_capacity", first: "old",
			fail: func(_ *script, call string, n int) error {
				if call == "capacity" && n == 1 {
					return &chat.Failure{Code: chat.RateLimited}
				}
				return nil
			},
			want: chat.Answer{Left: chat.LeftOpen}, code: chat.RateLimited, queue: book{"windsurf c1": true, "held windsurf c1 1": true},
		},
		{
			name: "another_server", first: "old",
			want: chat.Answer{Left: chat.LeftForNow}, code: chat.ConversationGone, queue: book{"windsurf c1": true},
		},
		{
			name: "server_ends_in_the_middle", first: "old",
			next: []moment{{status: running, steps: says("half")}},
			fail: func(s *script, call string, _ int) error {
				if call == "send" && len(s.prompts) == 1 {
					s.identity.PID = 2
				}
				if call == "Archive" && s.identity.PID == 2 {
					return gone
				}
				return nil
			},
			want: chat.Answer{Sent: true, Left: chat.LeftForNow}, code: chat.ServerGone, queue: book{"windsurf c1": true},
		},
	}
	for i := range 2 * len(tests) {
		tt, noSteps := tests[i/2], i%2 == 1
		t.Run(tt.name+map[bool]string{false: "/steps", true: "/transcript"}[noSteps], func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				first := all(paid(tt.first, 1), does("CHECKPOINT"))
				server := &script{
					moments: []moment{{status: idle}, {at: time.Second, status: idle, steps: first}}, next: [][]moment{tt.next},
					noSteps: noSteps, identity: probe.Server{Variant: "windsurf", App: "Windsurf", PID: 1},
				}
				queue, told := book{}, ""
				c := &conversation{cascades: server, queue: queue, log: slog.New(slog.DiscardHandler)}
				run := turn{conversation: c, tell: func(chat.Event) {}}
				kept, err := run.run(t.Context(), chat.Prompt{Text: "hello", Keep: true})
				want := chat.Answer{Text: tt.first, Ref: "c1", Sent: true, Duration: kept.Duration, Left: chat.LeftOpen, Cost: chat.Cost{Credits: &one}}
				if noSteps && tt.first == quoted { // the format escapes nothing
					want.Text = kept.Text
				}
				if diff := cmp.Diff(want, kept); err != nil || diff != "" {
					t.Fatalf("first: %v (-want +got):\n%s", err, diff)
				}
				if diff := cmp.Diff(book{"windsurf c1": true, "held windsurf c1 1": true}, queue); diff != "" {
					t.Errorf("open (-want +got):\n%s", diff)
				}

				ctx := t.Context()
				if tt.limit > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, tt.limit)
					defer cancel()
				}
				if tt.fail != nil {
					server.fail = func(call string, n int) error { return tt.fail(server, call, n) }
				}
				if tt.code == chat.ConversationGone {
					server.identity.PID = 2
				}
				prompt := chat.Prompt{Text: "go on", Keep: !tt.once, Further: "c1"}
				if tt.again {
					prompt.Text = "hello"
				}
				told = ""
				further := turn{conversation: c, tell: func(e chat.Event) {
					if e.Kind != chat.Works {
						told += e.Text
					}
				}}
				got, err := further.run(ctx, prompt)
				tt.want.Ref, tt.want.Duration = "c1", got.Duration
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
				if told != got.Text {
					t.Errorf("told %q, answer %q", told, got.Text)
				}
				if f, _ := errors.AsType[*chat.Failure](err); codeOf(f) != tt.code || f == nil && err != nil {
					t.Errorf("error %v, want %q", err, tt.code)
				}
				if tt.queue == nil {
					tt.queue = book{"windsurf c1": true, "held windsurf c1 2": true}
				}
				if diff := cmp.Diff(tt.queue, queue); diff != "" {
					t.Errorf("queue (-want +got):\n%s", diff)
				}
				if got.Left != chat.LeftOpen {
					return
				}
				if left := c.end(t.Context()); left != chat.NothingLeft || len(queue) > 0 || server.calls[len(server.calls)-1] != "Archive" {
					t.Errorf("in the end %v, queue %v, calls %v", left, queue, server.calls)
				}
			})
		})
	}
}

// What has no answer is not kept, and what the queue does not know neither.
func TestTurnNotKept(t *testing.T) {
	t.Parallel()
	for name, server := range map[string]*script{
		"no_answer": {moments: []moment{{status: idle, steps: fails("no")}}},
		"never":     {moments: []moment{{status: idle}}},
		"not_noted": {moments: []moment{{status: idle, steps: all(says("ok"), does("CHECKPOINT"))}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var queue Queue = book{}
				if name == "not_noted" {
					queue = fullBook{book{}}
				}
				run := turn{conversation: &conversation{cascades: server, queue: queue, log: slog.New(slog.DiscardHandler)}, tell: func(chat.Event) {}}
				got, _ := run.run(t.Context(), chat.Prompt{Text: "hello", Keep: true}) // the errors are TestTurn's
				if !got.Archived() {
					t.Errorf("%+v", got)
				}
			})
		})
	}
}

// A cascade that the person has continued in the editor is theirs, and one of which that
// is not known is left to a later run.
func TestTheirs(t *testing.T) {
	t.Parallel()
	idleNow := []moment{{status: idle, steps: all(says("ok"), does("CHECKPOINT"))}}
	end := func(t *testing.T, c *conversation) chat.Leftover { t.Helper(); return c.end(t.Context()) }
	tests := map[string]struct {
		end   func(t *testing.T, c *conversation) chat.Leftover
		deaf  bool // the server does not tell
		left  chat.Leftover
		queue book
	}{
		"ended": {end, false, chat.LeftForGood, book{}},
		"asked_a_last_time": {func(t *testing.T, c *conversation) chat.Leftover {
			t.Helper()
			last := turn{conversation: c, tell: func(chat.Event) {}}
			got, err := last.run(t.Context(), chat.Prompt{Text: "bye", Further: "c1"})
			if err != nil {
				t.Error(err)
			}
			return got.Left
		}, false, chat.LeftForGood, book{}},
		"not_known": {end, true, chat.LeftForNow, book{"windsurf c1": true}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				server := &script{moments: idleNow, next: [][]moment{{{status: idle}}, idleNow}, identity: probe.Server{Variant: "windsurf"}}
				queue := book{}
				c := &conversation{cascades: server, queue: queue, log: slog.New(slog.DiscardHandler)}
				run := turn{conversation: c, tell: func(chat.Event) {}}
				if got, err := run.run(t.Context(), chat.Prompt{Text: "hello", Keep: true}); err != nil || got.Left != chat.LeftOpen {
					t.Fatalf("%+v, %v", got, err)
				}
				if err := server.send(t.Context(), "c1", chat.Prompt{Text: "from the editor", Model: "m"}); err != nil {
					t.Fatal(err)
				}
				server.fail = func(call string, _ int) error {
					if tt.deaf != (call == "Archive") { // it is never asked to archive
						return fmt.Errorf("%s: not answered", call)
					}
					return nil
				}
				if left := tt.end(t, c); left != tt.left {
					t.Errorf("left %v", left)
				}
				if diff := cmp.Diff(tt.queue, queue); diff != "" {
					t.Errorf("queue (-want +got):\n%s", diff)
				}
			})
		})
	}
}
