package simulator

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	pb "windsock/probe/languageserver"
	"windsock/probe/probetest"
	"windsock/probe/simulator/account"
)

// played is a turn's script, with ticks of a second after an idle second.
func played(name, prompt string) script {
	c := &cascades{cfg: Cascade{Idle: time.Second, Tick: time.Second}}
	return c.write(&turn{
		Prompt: prompt, Name: name, Model: model, Cost: account.Cost{Unit: account.Credits, Amount: 6},
	}, true)
}

// TestTurns compares the course of each kind of turn with testdata/turns.txt: the
// changes of each beat, and the transcript at the end.
func TestTurns(t *testing.T) {
	t.Parallel()
	var text bytes.Buffer
	for _, name := range []string{
		"tools", "waits", "never_ends", "checkpoint_midway", "rewrite", "rewrite_midway", "late_insert",
		"error_quota", "error_after_text", "benign_error", "step_error",
	} {
		fmt.Fprintf(&text, "------ %s\n", name)
		played := played(name, "Say turn:"+name)
		var before beat
		for _, b := range played {
			if changes := changes(before, b); changes != "" {
				fmt.Fprintf(&text, "%v%s\n", b.at, changes)
			}
			before = b
		}
		text.WriteString("\n" + transcript(before.steps, 0))
	}
	probetest.Golden(t, "turns.txt", text.Bytes())
}

// changes is what differs in a beat from the one before it.
func changes(before, after beat) string {
	var text strings.Builder
	if before.status != after.status {
		text.WriteString(" " + strings.TrimPrefix(after.status.String(), "CASCADE_RUN_STATUS_"))
	}
	for i, s := range after.steps {
		if i < len(before.steps) && before.steps[i] == s {
			continue
		}
		fmt.Fprintf(&text, " | %d %s %s", i, strings.TrimPrefix(s.kind.String(), "CORTEX_STEP_TYPE_"), strings.TrimPrefix(s.status.String(), "CORTEX_STEP_STATUS_"))
		for _, part := range []string{s.text, s.revised, s.err} {
			if part != "" {
				fmt.Fprintf(&text, " %q", part)
			}
		}
	}
	return text.String()
}

// In any turn, beats are in order, no step disappears or becomes another, and at the
// end, cancelled or not, nothing is in progress.
func TestTurnInvariants(t *testing.T) {
	t.Parallel()
	for _, kind := range courses {
		if kind.steps == nil {
			continue
		}
		s := played(kind.name, "hello")
		for i, b := range s[1:] {
			before := s[i]
			if b.at < before.at || len(b.steps) < len(before.steps) {
				t.Errorf("%s: beat %d comes before the one before it, or has less", kind.name, i+1)
			}
			for n, old := range before.steps {
				if b.steps[n].kind != old.kind || old.charged && !b.steps[n].charged {
					t.Errorf("%s: step %d is another in beat %d", kind.name, n, i+1)
				}
			}
		}
		for passed := time.Duration(0); passed <= s.end(); passed += time.Second {
			end := s.cancelled(passed, time.Second).at(math.MaxInt64)
			if end.status != pb.CascadeRunStatus_CASCADE_RUN_STATUS_IDLE || len(end.steps) != len(s.at(passed).steps) {
				t.Errorf("%s, cancelled after %v: %v, %d steps", kind.name, passed, end.status, len(end.steps))
			}
			for n, last := range end.steps {
				if last.status == pb.CortexStepStatus_CORTEX_STEP_STATUS_GENERATING {
					t.Errorf("%s, cancelled after %v: step %d is still generating", kind.name, passed, n)
				}
			}
		}
	}
}

// A prompt gets the turn that it names, or else the server's default.
func TestWantedTurn(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"hello": "", "turn:echo": "echo", "please turn:late_insert, now": "late_insert",
		"return:echo": "", "turn: echo": "", "one turn:a, one turn:b": "a",
	} {
		if got := wantedTurn(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	s := start(t, Config{Token: "t", Cascade: quick(Cascade{PanelReady: true})})
	id := open(t, s)
	got := call(t, s, "SendUserCascadeMessage", "t", prompt(id, model, "turn:left")).failure(t)
	if got.Type != "invalid_argument" || !strings.Contains(got.Body, "plain, echo, ") {
		t.Errorf("a turn that there is not: %v", got)
	}
}

// A tool is called once, in the form that the prompt requires.
func TestCallTool(t *testing.T) {
	t.Parallel()
	const form = `{"tool_calls-7f3a":[{"name":"NAME","arguments":{}}]}` + "\n"
	for prompt, want := range map[string]string{
		form + `turn:call_tool bash {"command":"ls {}"} and so on`:             "I call it.\n" + `{"tool_calls-7f3a":[{"name":"bash","arguments":{"command":"ls {}"}}]}`,
		form + `turn:call_tool bash {}` + "\n" + `<message-1 role="tool">done`: "The tool has answered. (All of this is simulated.)",
		`turn:call_tool bash {}`: "There is no tool to call. (This is simulated.)",
	} {
		if got := callTool(prompt); got != want {
			t.Errorf("%s: got %s", prompt, got)
		}
	}
}

func TestWantedObject(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string]string{
		`{"type":"object"} turn:object {"a": {"b":1}} and so on`: "Here it is:\n```json\n{\"a\": {\"b\":1}}\n```",
		`turn:object, if you please`:                             "There is no object to answer with. (This is simulated.)",
	} {
		if got := wantedObject(prompt); got != want {
			t.Errorf("%s: got %s", prompt, got)
		}
	}
}

// The answer says that it is simulated, and describes the prompt correctly.
func TestDemonstration(t *testing.T) {
	t.Parallel()
	for price, want := range map[account.Cost]string{
		{}:                                    "nothing",
		{Unit: account.Credits}:               "nothing",
		{Unit: account.Credits, Amount: 1.5}:  "1.5 credits",
		{Unit: account.ACUs, Amount: 0.05}:    "0.05 ACUs",
		{Unit: account.Quota, Amount: 0.25}:   "0.25 % of the quota",
		{Unit: account.Dollars, Amount: 0.24}: "0.24 USD of extra usage",
	} {
		text := (&turn{Prompt: "naïve\ntwo", Model: "m", Cost: price}).demonstration()
		for _, part := range []string{"**This answer is simulated.**", "**9 characters** in 2 lines", "the model `m`", "costs the simulated account " + want + ".\n"} {
			if !strings.Contains(text, part) {
				t.Errorf("no %q in:\n%s", part, text)
			}
		}
	}
}

// A transcript ends after 200,000 characters of any kind.
func TestCapped(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"": "", "abc": "abc", "abcd": "abc", "äöüß": "äöü", "äöü": "äöü"} {
		if got := capped(text, 3); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	end := played("long", "hello").at(math.MaxInt64)
	if got := utf8.RuneCountInString(transcript(end.steps, 0)); got != 200_000 {
		t.Errorf("a long transcript has %d characters", got)
	}
	if got := len(end.steps[2].text); got != 1<<20 {
		t.Errorf("a long answer has %d bytes", got)
	}
}
