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
	pb "windsock/probe/languageserver"
)

const (
	idle    = pb.CascadeRunStatus_CASCADE_RUN_STATUS_IDLE
	running = pb.CascadeRunStatus_CASCADE_RUN_STATUS_RUNNING
)

// moment is what a server says from a time on.
type moment struct {
	at         time.Duration // since Send
	transcript string        // behind the prompt
	status     pb.CascadeRunStatus
	steps      []trajectoryStep // behind the prompt
}

// script is a server that plays moments; time is that of the bubble.
type script struct {
	moments []moment
	// fail gives the error of a call, by its name and how often it was made before.
	fail func(call string, n int) error

	began    time.Time
	prompt   string
	calls    []string
	count    map[string]int
	identity probe.Server
}

func (s *script) Archive(ctx context.Context, _ string, _ bool) error { return s.call(ctx, "Archive") }

func (s *script) call(ctx context.Context, name string) error {
	if s.count == nil {
		s.count = map[string]int{}
	}
	if s.count[name] == 0 || name == "send" || name == "setUp" || name == "Archive" {
		s.calls = append(s.calls, name)
	}
	n := s.count[name]
	s.count[name]++
	if s.fail != nil {
		if err := s.fail(name, n); err != nil {
			return err
		}
	}
	return ctx.Err()
}

func (s *script) now() moment {
	m := s.moments[0]
	for _, next := range s.moments {
		if time.Since(s.began) >= next.at {
			m = next
		}
	}
	return m
}

func (s *script) server() probe.Server { return s.identity }

func (s *script) setUp(ctx context.Context, _ bool) error { return s.call(ctx, "setUp") }

func (s *script) capacity(ctx context.Context, _ string) error { return s.call(ctx, "capacity") }

func (s *script) start(ctx context.Context) (string, error) { return "c1", s.call(ctx, "start") }

func (s *script) send(ctx context.Context, _, text, _ string) error {
	s.began, s.prompt = time.Now(), text
	return s.call(ctx, "send")
}

func (s *script) transcript(ctx context.Context, _ string) (string, error) {
	text := "=== MESSAGE 0 - User ===\n" + s.prompt + "\n\n" + s.now().transcript
	return text, s.call(ctx, "transcript")
}

func (s *script) trajectory(ctx context.Context, _ string) (trajectory, error) {
	t := s.known()
	t.status = s.now().status
	return t, s.call(ctx, "trajectory")
}

func (s *script) steps(ctx context.Context, _ string) (trajectory, error) {
	return s.known(), s.call(ctx, "steps")
}

func (s *script) known() trajectory {
	own := trajectoryStep{kind: "CORTEX_STEP_TYPE_USER_INPUT"}
	return trajectory{steps: append([]trajectoryStep{own}, s.now().steps...)}
}

func (s *script) cancel(ctx context.Context, _ string) error { return s.call(ctx, "cancel") }

// book is a ledger.
type book map[string]bool

func (b book) Add(_ context.Context, variant, id string) error {
	b[variant+" "+id] = true
	return nil
}

func (b book) Remove(_ context.Context, variant, id string) error {
	delete(b, variant+" "+id)
	return nil
}

func text(answer string) trajectoryStep {
	return trajectoryStep{kind: "CORTEX_STEP_TYPE_PLANNER_RESPONSE", text: answer}
}

func said(n int, role, body string) string {
	return fmt.Sprintf("=== MESSAGE %d - %s ===\n%s\n\n", n, role, body)
}

const checkpoint = "[CORTEX_STEP_TYPE_CHECKPOINT]"

func TestTurn(t *testing.T) {
	t.Parallel()
	unsupported := fmt.Errorf("x: %w", ErrUnsupported)
	one := 1.0
	tests := []struct {
		name    string
		moments []moment
		fail    func(call string, n int) error
		limit   time.Duration // of the caller; 0 is none
		want    chat.Answer   // but for CascadeID, which is c1
		code    chat.Code     // of the failure, "" for none
		words   string
		within  time.Duration // after what was there last
		owed    bool
	}{
		{
			name: "grows_and_ends",
			moments: []moment{
				{status: idle},
				{at: 600 * time.Millisecond, status: running},
				{at: time.Second, status: running, transcript: said(1, "Assistant", "Hel")},
				{at: 1200 * time.Millisecond, status: running, transcript: said(1, "Assistant", "Hello")},
				{
					at: 2 * time.Second, status: idle, transcript: said(1, "Assistant", "Hello") + said(2, "Tool", checkpoint),
					steps: []trajectoryStep{{kind: "CORTEX_STEP_TYPE_PLANNER_RESPONSE", text: "Hello", cost: chat.Cost{Credits: &one}}},
				},
			},
			want: chat.Answer{Text: "Hello", Archived: true, Cost: chat.Cost{Credits: &one}}, within: 400 * time.Millisecond,
		},
		{
			name: "a_checkpoint_in_the_middle_is_no_end",
			moments: []moment{
				{status: running, transcript: said(1, "Assistant", "first") + said(2, "Tool", checkpoint)},
				{at: 5 * time.Second, status: idle, transcript: said(1, "Assistant", "first") + said(2, "Tool", checkpoint) + said(3, "Assistant", "second")},
			},
			want: chat.Answer{Text: "first\n\nsecond", Archived: true}, within: 2 * time.Second,
		},
		{
			name: "written_anew_after_the_checkpoint",
			moments: []moment{
				{status: idle, transcript: said(1, "Assistant", "draft") + said(2, "Tool", checkpoint)},
				{at: 100 * time.Millisecond, status: idle, transcript: said(1, "Assistant", "final") + said(2, "Tool", checkpoint)},
			},
			want: chat.Answer{Text: "final", Archived: true}, within: 400 * time.Millisecond,
		},
		{
			name: "tools_alone",
			moments: []moment{
				{status: running, transcript: said(1, "Tool", "[CORTEX_STEP_TYPE_VIEW_FILE]")},
				{at: time.Second, status: idle, transcript: said(1, "Tool", "[CORTEX_STEP_TYPE_VIEW_FILE]") + said(2, "Tool", checkpoint)},
			},
			want: chat.Answer{ToolOnly: true, Archived: true}, within: 400 * time.Millisecond,
		},
		{
			name: "an_error_step",
			moments: []moment{
				{status: running},
				{at: time.Second, status: idle, transcript: said(1, "Tool", "[CORTEX_STEP_TYPE_ERROR_MESSAGE]"), steps: []trajectoryStep{
					{kind: "CORTEX_STEP_TYPE_ERROR_MESSAGE", fails: true, words: "Your daily usage quota has been exhausted"},
				}},
			},
			want: chat.Answer{Archived: true}, code: chat.QuotaExhausted, words: "Your daily usage quota has been exhausted", within: 400 * time.Millisecond,
		},
		{
			name: "an_error_that_the_server_got_over",
			moments: []moment{
				{status: running},
				{
					at: time.Second, status: idle,
					transcript: said(1, "Tool", "[CORTEX_STEP_TYPE_ERROR_MESSAGE]") + said(2, "Assistant", "all the same"),
					steps:      []trajectoryStep{{kind: "CORTEX_STEP_TYPE_ERROR_MESSAGE", fails: true, words: "once"}, text("all the same")},
				},
			},
			want: chat.Answer{Text: "all the same", Archived: true}, within: 2 * time.Second,
		},
		{
			name: "looks_something_up_before_it_runs",
			moments: []moment{
				{status: idle, transcript: said(1, "Tool", "[CORTEX_STEP_TYPE_RETRIEVE_MEMORY]"), steps: []trajectoryStep{{kind: "CORTEX_STEP_TYPE_RETRIEVE_MEMORY"}}},
				{at: 1200 * time.Millisecond, status: running, transcript: said(1, "Tool", "[CORTEX_STEP_TYPE_RETRIEVE_MEMORY]"), steps: []trajectoryStep{{kind: "CORTEX_STEP_TYPE_RETRIEVE_MEMORY"}}},
				{at: 2 * time.Second, status: idle, transcript: said(1, "Tool", "[CORTEX_STEP_TYPE_RETRIEVE_MEMORY]") + said(2, "Assistant", "found") + said(3, "Tool", checkpoint)},
			},
			want: chat.Answer{Text: "found", Archived: true}, within: 400 * time.Millisecond,
		},
		{
			name: "a_status_that_is_not_known",
			moments: []moment{
				{status: unknownStatus, transcript: said(1, "Assistant", "I look first.")},
				{at: 8 * time.Second, status: idle, transcript: said(1, "Assistant", "I look first.") + said(2, "Assistant", "Done.")},
			},
			want: chat.Answer{Text: "I look first.\n\nDone.", Archived: true}, within: 2 * time.Second,
		},
		{
			name: "waits_for_a_person",
			moments: []moment{
				{status: running, steps: []trajectoryStep{{kind: "CORTEX_STEP_TYPE_RUN_COMMAND", waits: true}}, transcript: said(1, "Tool", "[CORTEX_STEP_TYPE_RUN_COMMAND]")},
			},
			want: chat.Answer{Archived: true}, code: chat.NeedsPerson, within: 7 * time.Second,
		},
		{
			name:    "empty",
			moments: []moment{{status: idle, transcript: said(1, "Assistant", "") + said(2, "Tool", checkpoint)}},
			want:    chat.Answer{Archived: true}, within: 400 * time.Millisecond,
		},
		{
			name: "pauses_at_half_a_header",
			moments: []moment{
				{status: running, transcript: "=== MESSAGE 1 - Assistant ===\nsee\n\n==="},
				{at: 3 * time.Second, status: idle, transcript: said(1, "Assistant", "see\n\n===\nthat") + said(2, "Tool", checkpoint)},
			},
			fail: func(call string, _ int) error {
				if call == "steps" {
					return unsupported
				}
				return nil
			},
			want: chat.Answer{Text: "see\n\n===\nthat", Archived: true}, within: 3 * time.Second,
		},
		{
			name:    "a_server_without_archive",
			moments: []moment{{status: idle, transcript: said(1, "Assistant", "ok") + said(2, "Tool", checkpoint)}},
			fail: func(call string, _ int) error {
				if call == "Archive" {
					return unsupported
				}
				return nil
			},
			want: chat.Answer{Text: "ok", Stays: true}, within: 400 * time.Millisecond,
		},
		{
			name:    "never_begins",
			moments: []moment{{status: idle}},
			want:    chat.Answer{Archived: true}, code: chat.TurnFailed, within: 17 * time.Second,
		},
		{
			name:    "begins_late",
			moments: []moment{{status: idle}, {at: 10 * time.Second, status: idle, transcript: said(1, "Assistant", "late")}},
			want:    chat.Answer{Text: "late", Archived: true}, within: 2 * time.Second,
		},
		{
			name: "without_transcripts",
			moments: []moment{
				{status: running, steps: []trajectoryStep{text("one")}},
				{at: time.Second, status: running, steps: []trajectoryStep{text("one"), text("two")}},
				{at: 2 * time.Second, status: idle, steps: []trajectoryStep{text("one"), text("two"), {kind: "CORTEX_STEP_TYPE_CHECKPOINT"}}},
			},
			fail: func(call string, _ int) error {
				if call == "transcript" {
					return unsupported
				}
				return nil
			},
			want: chat.Answer{Text: "one\n\ntwo", Archived: true}, within: 400 * time.Millisecond,
		},
		{
			name: "without_a_run_status",
			moments: []moment{
				{transcript: said(1, "Assistant", "blind")},
				{at: time.Second, transcript: said(1, "Assistant", "blind") + said(2, "Tool", checkpoint)},
			},
			fail: func(call string, _ int) error {
				if call == "trajectory" {
					return unsupported
				}
				return nil
			},
			want: chat.Answer{Text: "blind", Archived: true}, within: time.Second,
		},
		{
			name:    "two_reads_fail",
			moments: []moment{{status: idle, transcript: said(1, "Assistant", "fine")}},
			fail: func(call string, n int) error {
				if call == "transcript" && (n == 1 || n == 2) {
					return errors.New("a blip")
				}
				return nil
			},
			want: chat.Answer{Text: "fine", Archived: true}, within: 3 * time.Second,
		},
		{
			name:    "time_is_over",
			moments: []moment{{status: running, transcript: said(1, "Assistant", "half")}},
			limit:   3 * time.Second,
			want:    chat.Answer{Text: "half", Archived: true}, code: chat.TimedOut, within: 4 * time.Second,
		},
		{
			name:    "refuses_to_archive_while_cancelling",
			moments: []moment{{status: running}},
			fail: func(call string, n int) error {
				if call == "Archive" && n < 3 {
					return errors.New("not idle")
				}
				return nil
			},
			limit: time.Second,
			want:  chat.Answer{Archived: true}, code: chat.TimedOut, within: 4 * time.Second,
		},
		{
			name:    "cannot_be_archived",
			moments: []moment{{status: idle, transcript: said(1, "Assistant", "ok") + said(2, "Tool", checkpoint)}},
			fail: func(call string, _ int) error {
				if call == "Archive" {
					return errors.New("no")
				}
				return nil
			},
			want: chat.Answer{Text: "ok"}, within: 6 * time.Second, owed: true,
		},
		{
			name:    "the_panel_was_forgotten",
			moments: []moment{{status: idle, transcript: said(1, "Assistant", "ok") + said(2, "Tool", checkpoint)}},
			fail: func(call string, n int) error {
				if call == "send" && n == 0 {
					return fmt.Errorf("x: %w", errPanel)
				}
				return nil
			},
			want: chat.Answer{Text: "ok", Archived: true}, within: 400 * time.Millisecond,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx := t.Context()
				if tt.limit > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, tt.limit)
					defer cancel()
				}
				server := &script{moments: tt.moments, fail: tt.fail, identity: probe.Server{Variant: "windsurf", App: "Windsurf"}}
				owed, told := book{}, ""
				run := turn{cascades: server, ledger: owed, log: slog.New(slog.DiscardHandler), tell: func(e chat.Event) {
					switch e.Kind {
					case chat.Grows:
						told += e.Text
					case chat.Changes:
						told = e.Text
					case chat.Works:
					}
				}}
				got, err := run.run(ctx, chat.Prompt{Text: "hello", Model: "m"})
				tt.want.CascadeID, tt.want.Duration = "c1", got.Duration
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Error(diff)
				}
				if told != got.Text {
					t.Errorf("told %q, answer %q", told, got.Text)
				}
				failure, _ := errors.AsType[*chat.Failure](err)
				if code := codeOf(failure); code != tt.code || failure != nil && failure.Words != tt.words || failure == nil && err != nil {
					t.Errorf("error %v (%q), want %q with %q", err, code, tt.code, tt.words)
				}
				last := tt.moments[len(tt.moments)-1].at
				if late := time.Since(server.began) - last; late > tt.within {
					t.Errorf("ended %v after the last change, want %v", late, tt.within)
				}
				if len(owed) > 0 != tt.owed {
					t.Errorf("ledger %v", owed)
				}
				if last := server.calls[len(server.calls)-1]; last != "Archive" {
					t.Errorf("last call %s, want Archive: %v", last, server.calls)
				}
			})
		})
	}
}

func codeOf(f *chat.Failure) chat.Code {
	if f == nil {
		return ""
	}
	return f.Code
}

// A cascade whose id cannot be noted is in the ledger as the one that was about to be
// started, until it is archived.
func TestTurnNotNoted(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		archive error
		want    chat.Answer
		owed    int
	}{
		{"archived", nil, chat.Answer{Text: "ok", CascadeID: "c1", Archived: true}, 0},
		{"not_archived", errors.New("no"), chat.Answer{Text: "ok", CascadeID: "c1", Stays: true}, 1},
		{"never_archived", fmt.Errorf("x: %w", ErrUnsupported), chat.Answer{Text: "ok", CascadeID: "c1", Stays: true}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				owed := fullBook{book{}}
				server := &script{
					moments:  []moment{{status: idle, transcript: said(1, "Assistant", "ok") + said(2, "Tool", checkpoint)}},
					identity: probe.Server{Variant: "windsurf"},
				}
				server.fail = func(call string, _ int) error {
					switch {
					case call == "send" && len(owed.book) != 1:
						t.Errorf("while the turn runs: ledger %v", owed.book)
					case call == "Archive":
						return tt.archive
					}
					return nil
				}
				run := turn{cascades: server, ledger: owed, log: slog.New(slog.DiscardHandler), tell: func(chat.Event) {}}
				got, err := run.run(t.Context(), chat.Prompt{Text: "hello"})
				tt.want.Duration = got.Duration
				if diff := cmp.Diff(tt.want, got); err != nil || diff != "" {
					t.Errorf("%v (-want +got):\n%s", err, diff)
				}
				if len(owed.book) != tt.owed {
					t.Errorf("ledger %v", owed.book)
				}
			})
		})
	}
}

// fullBook has room for the first entry alone.
type fullBook struct{ book }

func (b fullBook) Add(ctx context.Context, variant, id string) error {
	if len(b.book) > 0 {
		return errors.New("the disk is full")
	}
	return b.book.Add(ctx, variant, id)
}

// A restart of the editor in mid-answer is told as what it is, and the cascade is
// archived by the new server.
func TestTurnMoves(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := &script{moments: []moment{{status: running, transcript: said(1, "Assistant", "half")}}, identity: probe.Server{Variant: "windsurf", App: "Windsurf", PID: 1}}
		server.fail = func(call string, n int) error {
			if call == "transcript" && n == 3 {
				server.identity.PID = 2
			}
			return nil
		}
		run := turn{cascades: server, ledger: book{}, log: slog.New(slog.DiscardHandler), tell: func(chat.Event) {}}
		got, err := run.run(t.Context(), chat.Prompt{Text: "hello"})
		failure, _ := errors.AsType[*chat.Failure](err)
		if codeOf(failure) != chat.ServerGone || !got.Archived {
			t.Errorf("got %+v, %v", got, err)
		}
	})
}

// How the polls are spread: quick while there is something new, slow while there
// is not, and the run status is left alone while the answer grows.
func TestTurnCosts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		moments := []moment{{status: running}}
		answer := ""
		for i := range 100 { // 10 s of text, 100 ms apart
			answer += "word "
			moments = append(moments, moment{at: time.Duration(i+10) * 100 * time.Millisecond, status: running, transcript: said(1, "Assistant", answer+"x")})
		}
		moments = append(moments,
			moment{at: 60 * time.Second, status: idle, transcript: said(1, "Assistant", answer+"x") + said(2, "Tool", checkpoint)})
		server := &script{moments: moments, identity: probe.Server{Variant: "windsurf"}}
		run := turn{cascades: server, ledger: book{}, log: slog.New(slog.DiscardHandler), tell: func(chat.Event) {}}
		if _, err := run.run(t.Context(), chat.Prompt{Text: "hello"}); err != nil {
			t.Fatal(err)
		}
		if got := server.count["transcript"]; got > 330 || got < 200 {
			t.Errorf("%d transcripts for 10 s of text and 50 s of silence", got)
		}
		if got := server.count["trajectory"]; got > 110 {
			t.Errorf("%d run statuses", got)
		}
	})
}
