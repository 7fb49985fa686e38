package cascade

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/chat"
	"windsock/chat/touched"
	"windsock/probe"
	pb "windsock/probe/languageserver"
)

const (
	idle    = pb.CascadeRunStatus_CASCADE_RUN_STATUS_IDLE
	running = pb.CascadeRunStatus_CASCADE_RUN_STATUS_RUNNING
)

// moment is a server's state from a time on.
type moment struct {
	at     time.Duration // since Send
	status pb.CascadeRunStatus
	steps  []trajectoryStep // behind the prompt
}

// script is a server that plays moments; time is that of the bubble.
type script struct {
	moments []moment
	// fail gives the error of a call, by its name and how often it was made before.
	fail func(call string, n int) error
	// noSteps is a server that has transcripts alone.
	noSteps bool

	// next are the moments of further prompts.
	next [][]moment

	began    time.Time
	prompts  []string
	past     []trajectoryStep // of the prompts before the last one
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

func (s *script) send(ctx context.Context, _ string, prompt chat.Prompt) error {
	if err := s.call(ctx, "send"); err != nil {
		return err
	}
	if len(s.prompts) > 0 {
		s.past, s.moments, s.next = s.known(), s.next[0], s.next[1:]
	}
	s.began, s.prompts = time.Now(), append(s.prompts, prompt.Text)
	return nil
}

func (s *script) transcript(ctx context.Context, _ string) (string, error) {
	text, prompts := "", s.prompts
	for i, step := range s.known() {
		switch {
		case step.prompts():
			text += said(i, "User", prompts[0])
			prompts = prompts[1:]
		case step.answers():
			text += said(i, "Assistant", step.text)
		default:
			text += said(i, "Tool", "["+step.kind+"]")
		}
	}
	return text, s.call(ctx, "transcript")
}

func (s *script) trajectory(ctx context.Context, _ string) (trajectory, error) {
	return trajectory{s.now().status, s.known()}, s.call(ctx, "trajectory")
}

func (s *script) steps(ctx context.Context, _ string, from int) ([]trajectoryStep, error) {
	if s.noSteps {
		return nil, fmt.Errorf("x: %w", ErrUnsupported)
	}
	return s.known()[from:], s.call(ctx, "steps")
}

func (s *script) known() []trajectoryStep {
	return all(s.past, does("USER_INPUT"), s.now().steps)
}

func (s *script) cancel(ctx context.Context, _ string) error { return s.call(ctx, "cancel") }

// book is a queue.
type book map[string]bool

func (b book) Add(_ context.Context, variant, id string) error {
	b[variant+" "+id] = true
	return nil
}

func (b book) Hold(ctx context.Context, variant, id string, prompts int) error {
	_ = b.Release(ctx, variant, id)
	b[fmt.Sprintf("held %s %s %d", variant, id, prompts)] = true
	return nil
}

func (b book) Release(_ context.Context, variant, id string) error {
	maps.DeleteFunc(b, func(line string, _ bool) bool { return strings.HasPrefix(line, "held "+variant+" "+id) })
	return nil
}

func (book) Waiting(context.Context) ([]touched.Waiting, error) { return nil, nil }

func (b book) Remove(ctx context.Context, variant, id string) error {
	_ = b.Release(ctx, variant, id)
	delete(b, variant+" "+id)
	return nil
}

// says are the steps of answers that are written, does are steps of these kinds.
func says(answers ...string) (steps []trajectoryStep) {
	for _, text := range answers {
		steps = append(steps, trajectoryStep{kind: "CORTEX_STEP_TYPE_PLANNER_RESPONSE", text: text})
	}
	return steps
}

func does(kinds ...string) (steps []trajectoryStep) {
	for _, kind := range kinds {
		steps = append(steps, trajectoryStep{kind: "CORTEX_STEP_TYPE_" + kind})
	}
	return steps
}

// writes is an answer that is being written.
func writes(text string) []trajectoryStep {
	steps := says(text)
	steps[0].grows = true
	return steps
}

// fails is an error with these words.
func fails(words string) []trajectoryStep {
	return []trajectoryStep{{kind: "CORTEX_STEP_TYPE_ERROR_MESSAGE", fails: true, words: words}}
}

func all(parts ...[]trajectoryStep) []trajectoryStep { return slices.Concat(parts...) }

func said(n int, role, body string) string {
	return fmt.Sprintf("=== MESSAGE %d - %s ===\n%s\n\n", n, role, body)
}

func TestTurn(t *testing.T) {
	t.Parallel()
	unsupported := fmt.Errorf("x: %w", ErrUnsupported)
	one := 1.0
	tests := []struct {
		name    string
		moments []moment
		fail    func(call string, n int) error
		limit   time.Duration // of the caller; 0 for no limit
		want    chat.Answer   // without Ref, which is c1, and Sent
		code    chat.Code     // of the failure, "" for success
		words   string
		within  time.Duration // after the last event
		owed    bool
	}{
		{
			name: "grows_and_ends",
			moments: []moment{
				{status: idle},
				{at: 600 * time.Millisecond, status: running},
				{at: time.Second, status: running, steps: writes("Hel")},
				{at: 1200 * time.Millisecond, status: running, steps: writes("Hello")},
				{
					at: 2 * time.Second, status: idle,
					steps: all([]trajectoryStep{{kind: "CORTEX_STEP_TYPE_PLANNER_RESPONSE", text: "Hello", cost: chat.Cost{Credits: &one}}}, does("CHECKPOINT")),
				},
			},
			want: chat.Answer{Text: "Hello", Cost: chat.Cost{Credits: &one}}, within: 400 * time.Millisecond,
		},
		{
			name: "a_checkpoint_in_the_middle_is_no_end",
			moments: []moment{
				{status: running, steps: all(says("first"), does("CHECKPOINT"))},
				{at: 5 * time.Second, status: idle, steps: all(says("first"), does("CHECKPOINT"), says("second"))},
			},
			want: chat.Answer{Text: "first\n\nsecond"}, within: 2 * time.Second,
		},
		{
			name: "written_anew_after_the_checkpoint",
			moments: []moment{
				{status: idle, steps: all(says("draft"), does("CHECKPOINT"))},
				{at: 100 * time.Millisecond, status: idle, steps: all(says("final"), does("CHECKPOINT"))},
			},
			want: chat.Answer{Text: "final"}, within: 400 * time.Millisecond,
		},
		{
			name: "tools_alone",
			moments: []moment{
				{status: running, steps: does("VIEW_FILE")},
				{at: time.Second, status: idle, steps: all(does("VIEW_FILE"), does("CHECKPOINT"))},
			},
			want: chat.Answer{ToolOnly: true}, within: 400 * time.Millisecond,
		},
		{
			name: "an_error_step",
			moments: []moment{
				{status: running},
				{at: time.Second, status: idle, steps: fails("Your daily usage quota has been exhausted")},
			},
			want: chat.Answer{}, code: chat.QuotaExhausted, words: "Your daily usage quota has been exhausted", within: 400 * time.Millisecond,
		},
		{
			name: "an_error_that_the_server_got_over",
			moments: []moment{
				{status: running},
				{at: time.Second, status: idle, steps: all(fails("once"), says("all the same"))},
			},
			want: chat.Answer{Text: "all the same"}, within: 2 * time.Second,
		},
		{
			name: "an_earlier_text_grows_behind_a_later_one",
			moments: []moment{
				{status: running, steps: all(writes(""), says("half"))},
				{at: time.Second, status: running, steps: all(writes("first"), says("half"))},
				{at: 2 * time.Second, status: idle, steps: all(says("first half", "half"), does("CHECKPOINT"))},
			},
			want: chat.Answer{Text: "first half\n\nhalf"}, within: 400 * time.Millisecond,
		},
		{
			name: "looks_something_up_before_it_runs",
			moments: []moment{
				{status: idle, steps: does("RETRIEVE_MEMORY")},
				{at: 1200 * time.Millisecond, status: running, steps: does("RETRIEVE_MEMORY")},
				{at: 2 * time.Second, status: idle, steps: all(does("RETRIEVE_MEMORY"), says("found"), does("CHECKPOINT"))},
			},
			want: chat.Answer{Text: "found"}, within: 400 * time.Millisecond,
		},
		{
			name: "a_status_that_is_not_known",
			moments: []moment{
				{status: unknownStatus, steps: says("I look first.")},
				{at: 8 * time.Second, status: idle, steps: says("I look first.", "Done.")},
			},
			want: chat.Answer{Text: "I look first.\n\nDone."}, within: 2 * time.Second,
		},
		{
			name: "waits_for_a_person",
			moments: []moment{
				{status: running, steps: []trajectoryStep{{kind: "CORTEX_STEP_TYPE_RUN_COMMAND", waits: true}}},
			},
			want: chat.Answer{}, code: chat.NeedsPerson, within: 7 * time.Second,
		},
		{
			name:    "empty",
			moments: []moment{{status: idle, steps: all(says(""), does("CHECKPOINT"))}},
			want:    chat.Answer{}, within: 400 * time.Millisecond,
		},
		{
			name:    "a_server_without_archive",
			moments: []moment{{status: idle, steps: all(says("ok"), does("CHECKPOINT"))}},
			fail: func(call string, _ int) error {
				if call == "Archive" {
					return unsupported
				}
				return nil
			},
			want: chat.Answer{Text: "ok", Left: chat.LeftForGood}, within: 400 * time.Millisecond,
		},
		{
			name:    "never_begins",
			moments: []moment{{status: idle}},
			want:    chat.Answer{}, code: chat.TurnFailed, within: 17 * time.Second,
		},
		{
			name:    "begins_late",
			moments: []moment{{status: idle}, {at: 10 * time.Second, status: idle, steps: says("late")}},
			want:    chat.Answer{Text: "late"}, within: 2 * time.Second,
		},
		{
			name:    "two_reads_fail",
			moments: []moment{{status: idle, steps: says("fine")}},
			fail: func(call string, n int) error {
				if (call == "steps" || call == "transcript") && (n == 1 || n == 2) {
					return errors.New("a blip")
				}
				return nil
			},
			want: chat.Answer{Text: "fine"}, within: 3 * time.Second,
		},
		{
			name:    "time_is_over",
			moments: []moment{{status: running, steps: says("half")}},
			limit:   3 * time.Second,
			want:    chat.Answer{Text: "half"}, code: chat.TimedOut, within: 4 * time.Second,
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
			want:  chat.Answer{}, code: chat.TimedOut, within: 4 * time.Second,
		},
		{
			name:    "cannot_be_archived",
			moments: []moment{{status: idle, steps: all(says("ok"), does("CHECKPOINT"))}},
			fail: func(call string, _ int) error {
				if call == "Archive" {
					return errors.New("no")
				}
				return nil
			},
			want: chat.Answer{Text: "ok", Left: chat.LeftForNow}, within: 6 * time.Second, owed: true,
		},
		{
			name:    "the_panel_was_forgotten",
			moments: []moment{{status: idle, steps: all(says("ok"), does("CHECKPOINT"))}},
			fail: func(call string, n int) error {
				if call == "send" && n == 0 {
					return fmt.Errorf("x: %w", errPanel)
				}
				return nil
			},
			want: chat.Answer{Text: "ok"}, within: 400 * time.Millisecond,
		},
	}
	for i := range 2 * len(tests) {
		tt, noSteps := tests[i/2], i%2 == 1
		t.Run(tt.name+map[bool]string{false: "/steps", true: "/transcript"}[noSteps], func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx := t.Context()
				if tt.limit > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, tt.limit)
					defer cancel()
				}
				server := &script{moments: tt.moments, fail: tt.fail, noSteps: noSteps, identity: probe.Server{Variant: "windsurf", App: "Windsurf"}}
				owed, told := book{}, ""
				run := turn{conversation: &conversation{cascades: server, queue: owed, log: slog.New(slog.DiscardHandler)}, tell: func(e chat.Event) {
					switch e.Kind {
					case chat.Grows:
						told += e.Text
					case chat.Changes:
						told = e.Text
					case chat.Works:
					}
				}}
				got, err := run.run(ctx, chat.Prompt{Text: "hello", Model: "m"})
				tt.want.Ref, tt.want.Sent, tt.want.Duration = "c1", true, got.Duration
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
					t.Errorf("queue %v", owed)
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

// A cascade whose id cannot be noted is in the queue as the one that was about to be
// started, until it is archived.
func TestTurnNotNoted(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		archive error
		want    chat.Answer
		owed    int
	}{
		{"archived", nil, chat.Answer{Text: "ok", Ref: "c1", Sent: true}, 0},
		{"not_archived", errors.New("no"), chat.Answer{Text: "ok", Ref: "c1", Sent: true, Left: chat.LeftForGood}, 1},
		{"never_archived", fmt.Errorf("x: %w", ErrUnsupported), chat.Answer{Text: "ok", Ref: "c1", Sent: true, Left: chat.LeftForGood}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				owed := fullBook{book{}}
				server := &script{
					moments:  []moment{{status: idle, steps: all(says("ok"), does("CHECKPOINT"))}},
					identity: probe.Server{Variant: "windsurf"},
				}
				server.fail = func(call string, _ int) error {
					switch {
					case call == "send" && len(owed.book) != 1:
						t.Errorf("while the turn runs: queue %v", owed.book)
					case call == "Archive":
						return tt.archive
					}
					return nil
				}
				run := turn{conversation: &conversation{cascades: server, queue: owed, log: slog.New(slog.DiscardHandler)}, tell: func(chat.Event) {}}
				got, err := run.run(t.Context(), chat.Prompt{Text: "hello"})
				tt.want.Duration = got.Duration
				if diff := cmp.Diff(tt.want, got); err != nil || diff != "" {
					t.Errorf("%v (-want +got):\n%s", err, diff)
				}
				if len(owed.book) != tt.owed {
					t.Errorf("queue %v", owed.book)
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

// A restart of the editor during an answer is reported as such, and the new server
// archives the cascade.
func TestTurnMoves(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := &script{moments: []moment{{status: running, steps: says("half")}}, identity: probe.Server{Variant: "windsurf", App: "Windsurf", PID: 1}}
		server.fail = func(call string, n int) error {
			if call == "steps" && n == 3 {
				server.identity.PID = 2
			}
			return nil
		}
		run := turn{conversation: &conversation{cascades: server, queue: book{}, log: slog.New(slog.DiscardHandler)}, tell: func(chat.Event) {}}
		got, err := run.run(t.Context(), chat.Prompt{Text: "hello"})
		failure, _ := errors.AsType[*chat.Failure](err)
		if codeOf(failure) != chat.ServerGone || !got.Archived() {
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
			moments = append(moments, moment{at: time.Duration(i+10) * 100 * time.Millisecond, status: running, steps: writes(answer + "x")})
		}
		moments = append(moments,
			moment{at: 60 * time.Second, status: idle, steps: all(says(answer+"x"), does("CHECKPOINT"))})
		server := &script{moments: moments, identity: probe.Server{Variant: "windsurf"}}
		run := turn{conversation: &conversation{cascades: server, queue: book{}, log: slog.New(slog.DiscardHandler)}, tell: func(chat.Event) {}}
		if _, err := run.run(t.Context(), chat.Prompt{Text: "hello"}); err != nil {
			t.Fatal(err)
		}
		if got := server.count["steps"]; got > 330 || got < 200 {
			t.Errorf("%d reads for 10 s of text and 50 s of silence", got)
		}
		if got := server.count["trajectory"]; got > 110 {
			t.Errorf("%d run statuses", got)
		}
	})
}
