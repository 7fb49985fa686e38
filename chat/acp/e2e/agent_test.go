package e2e

import (
	"context"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/chat"
	"windsock/probe/probetest"
	"windsock/probe/simulator/agent"
)

const (
	half    = "This is half of an"
	stopped = "stopped" // in place of a code
)

// TestFaults: whatever an agent does, the prompt ends as it should, and after it no
// process and no directory is left. What could not be deleted is, with the next prompt.
func TestFaults(t *testing.T) {
	t.Parallel()
	const soon = time.Second
	faults := func(all ...agent.Fault) agent.Behaviour { return agent.Behaviour{Faults: all} }
	turn := func(name string, all ...agent.Fault) agent.Behaviour { return agent.Behaviour{Turn: name, Faults: all} }
	tests := []struct {
		name    string
		b       agent.Behaviour
		timeout time.Duration
		stop    bool // by the person, once the text is there
		code    chat.Code
		unsent  bool
		text    string // the beginning of the answer
		left    chat.Leftover
	}{
		{name: "plain", text: "**This answer is simulated.**"},
		{name: "echo", b: turn("echo"), text: prompt.Text},
		{name: "messages", b: turn("messages"), text: "The first message.\n\nThe second one."},
		{name: "reads", b: turn("reads"), text: "I look at the files first."},
		{name: "cut", b: turn("cut"), text: half},
		{name: "empty", b: turn("empty"), code: chat.TurnFailed},
		{name: "refusal", b: turn("refusal"), code: chat.TurnFailed},
		{name: "signed_out", b: faults(agent.SignedOut), code: chat.NotSignedIn},
		{name: "quota", b: turn("quota"), code: chat.QuotaExhausted},
		{name: "rate_limit", b: turn("rate_limit"), code: chat.RateLimited},
		{name: "new_protocol", b: faults(agent.NewProtocol), code: chat.AgentTooNew, unsent: true},
		{name: "daring", b: faults(agent.Daring), code: chat.AgentUnsafe, unsent: true},
		{name: "denied_by_settings", b: turn("asks"), text: "My settings let me run no command."},
		{name: "refused", b: turn("asks_always"), text: "Then I do not run it."},
		{name: "asks_for_everything", b: turn("requests"), text: "Nothing of that was offered."},
		{name: "acts", b: turn("acts"), code: chat.AgentActs},
		{name: "acts_later", b: turn("acts_later"), code: chat.AgentActs},
		{name: "goes_on", b: turn("goes_on"), code: chat.AgentActs},
		{name: "hangs_at_initialize", b: faults(agent.HangsInitialize), timeout: soon, code: chat.TimedOut, unsent: true},
		{name: "hangs_at_session", b: faults(agent.HangsSession), timeout: soon, code: chat.TimedOut, unsent: true},
		{name: "hangs", b: turn("hangs"), stop: true, code: stopped, text: half},
		{name: "hangs_on", b: turn("hangs_on"), stop: true, code: stopped, text: half, left: chat.LeftForNow},
		{name: "flood", b: turn("flood"), text: strings.Repeat("x", 20_000)},
		{name: "long_line", b: turn("long_line"), code: chat.TurnFailed, left: chat.LeftForNow},
		{name: "endless_noise", b: turn("noise"), code: chat.TurnFailed, left: chat.LeftForNow},
		{name: "noise", b: turn("echo", agent.Noise), text: prompt.Text},
		{name: "escapes", b: turn("echo", agent.Escapes), text: prompt.Text},
		{name: "string_ids", b: turn("asks_always", agent.StringIDs), text: "Then I do not run it."},
		{name: "early_options", b: turn("echo", agent.EarlyOptions), text: prompt.Text},
		{name: "half_line", b: turn("half_line"), code: chat.TurnFailed, text: half, left: chat.LeftForNow},
		{name: "crashes", b: turn("crashes"), code: chat.ServerGone, text: half, left: chat.LeftForNow},
		{name: "keeps_sessions", b: turn("echo", agent.KeepsSessions), text: prompt.Text, left: chat.LeftForNow},
		{name: "deaf", b: turn("echo", agent.Deaf), text: prompt.Text},
		{name: "leaves_child", b: turn("echo", agent.LeavesChild), text: prompt.Text},
		{name: "leaves_stray", b: turn("echo", agent.LeavesStray), text: prompt.Text},
		{name: "crashes_and_leaves_all", b: turn("crashes", agent.LeavesChild, agent.LeavesStray), code: chat.ServerGone, text: half, left: chat.LeftForNow},
		{
			name: "deaf_with_all", b: turn("hangs_on", agent.Deaf, agent.LeavesChild, agent.LeavesStray), stop: true,
			code: stopped, text: half, left: chat.LeftForNow,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, tt.b)
			e := r.engine()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if tt.timeout > 0 {
				limited, release := context.WithTimeout(ctx, tt.timeout)
				defer release()
				ctx = limited
			}
			var told strings.Builder
			got, err := e.Ask(ctx, prompt, func(event chat.Event) {
				if event.Kind == chat.Grows {
					told.WriteString(event.Text)
				}
				if tt.stop && told.String() == tt.text {
					cancel()
				}
			})
			e.Close()
			if codeOf(err) != tt.code || got.Sent == tt.unsent || !strings.HasPrefix(got.Text, tt.text) || (tt.text == "") != (got.Text == "") || got.Left != tt.left {
				t.Errorf("%v, sent %v, left %v, %.60q", err, got.Sent, got.Left, got.Text)
			}
			if told.String() != got.Text {
				t.Errorf("told %.60q, answered %.60q", told.String(), got.Text)
			}
			r.nothingRuns(t)

			r.behave(t, agent.Behaviour{})
			next := r.engine()
			if _, err := next.Ask(t.Context(), prompt, func(chat.Event) {}); err != nil {
				t.Error(err)
			}
			next.Close()
			r.nothingRuns(t)
			r.nothingWaits(t)
			r.behaved(t)
		})
	}
}

// behaved fails if the client has done something wrong, or has let a secret out.
func (r *rig) behaved(t *testing.T) {
	t.Helper()
	for _, run := range r.runs(t) {
		if run.Wrong != nil || slices.Contains(run.Methods, "authenticate") {
			t.Errorf("the client's violations: %q, methods %q", run.Wrong, run.Methods)
		}
		if slices.Contains(run.Methods, "session/prompt") && !slices.Equal(run.Modes, []string{"ask"}) {
			t.Errorf("modes %q", run.Modes)
		}
		for _, refusal := range run.Refusals {
			if method, outcome, ok := strings.Cut(refusal, ": "); ok && outcome != "selected no" && outcome != "cancelled" {
				t.Errorf("answer to %s: %s", method, outcome)
			}
		}
		if args := strings.Join(run.Args, " "); strings.Contains(args, secretWords) {
			t.Errorf("arguments %q", args)
		}
	}
	if log := r.log.String(); strings.Contains(log, secretWords) || strings.Contains(log, "half of an") || strings.Contains(log, "This answer") {
		t.Errorf("the log:\n%s", log)
	}
}

// TestFigures: the agent tells what a prompt has cost in the model that was asked for.
func TestFigures(t *testing.T) {
	t.Parallel()
	r := newRig(t, agent.Behaviour{Turn: "echo"})
	e := r.engine()
	defer e.Close()
	list, err := e.Models(t.Context())
	if err != nil || len(list.Models) != 3 {
		t.Fatalf("%v, %v", list, err)
	}
	got, err := e.Ask(t.Context(), chat.Prompt{Text: prompt.Text, Model: "gpt-5-4-high"}, func(chat.Event) {})
	if err != nil {
		t.Fatal(err)
	}
	credits, cached := 4.0, int64(32)
	if diff := cmp.Diff(chat.Cost{Credits: &credits}, got.Cost); diff != "" {
		t.Errorf("cost (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(&chat.Tokens{Input: 13_603, Output: 3, Cached: &cached}, got.Tokens); diff != "" {
		t.Errorf("tokens (-want +got):\n%s", diff)
	}
	if runs := r.runs(t); len(runs) != 1 || !slices.Equal(runs[0].Models, []string{"gpt-5-4-high"}) {
		t.Errorf("runs %+v", runs)
	}
}

// TestKilled: after a Windsock was killed, the next one ends and removes all that is
// left, and its first prompt deletes the session.
func TestKilled(t *testing.T) {
	t.Parallel()
	all := []agent.Fault{agent.Deaf, agent.LeavesChild, agent.LeavesStray}
	for _, tt := range []struct {
		name   string
		b      agent.Behaviour
		method string // the last one before the kill
	}{
		{"at_initialize", agent.Behaviour{Faults: append([]agent.Fault{agent.HangsInitialize}, all...)}, "initialize"},
		{"at_session", agent.Behaviour{Faults: append([]agent.Fault{agent.HangsSession}, all...)}, "session/new"},
		{"in_the_turn", agent.Behaviour{Faults: all, Turn: "hangs"}, "session/prompt"},
		{"while_kept", agent.Behaviour{Faults: all}, "session/delete"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, tt.b)
			client := exec.CommandContext(t.Context(), os.Args[0])
			client.Env = append(os.Environ(), clientVariable+"="+r.dir)
			stdin, err := client.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			defer stdin.Close()
			if err := client.Start(); err != nil {
				t.Fatal(err)
			}
			var run agent.Run
			probetest.Eventually(t, tt.method, func() bool {
				for _, run = range r.runs(t) {
					if slices.Contains(run.Methods, tt.method) {
						return len(run.Children) == 2
					}
				}
				return false
			})
			if err := client.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = client.Wait()
			if runtime.GOOS == "linux" || runtime.GOOS == "windows" { // which end it with its parent
				probetest.Eventually(t, "the end of the agent itself", func() bool { return !running(run.PID) })
			}
			e := r.engine()
			if err := e.Sweep(t.Context()); err != nil {
				t.Error(err)
			}
			r.nothingRuns(t)
			r.behave(t, agent.Behaviour{})
			if _, err := e.Ask(t.Context(), prompt, func(chat.Event) {}); err != nil {
				t.Error(err)
			}
			e.Close()
			r.nothingRuns(t)
			r.nothingWaits(t)
		})
	}
}
