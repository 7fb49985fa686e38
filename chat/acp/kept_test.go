package acp

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"

	"windsock/chat"
)

// keeps is a rig whose agent tells a running total, and names its sessions s1, s2 and so
// on.
func keeps(p Profile) (r *rig, calls func(method string) int) {
	r = newRig(p, func(p *puppet) {
		sessions, total := 0, 0.0
		p.on[methodNew] = func(m gjson.Result) {
			sessions++
			p.result(m, fmt.Sprintf(`{"sessionId":"s%d"}`, sessions))
		}
		p.on[methodPrompt] = func(m gjson.Result) {
			total += 0.1
			p.write(fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%s,"update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":%s}}}}`,
				m.Get("params.sessionId").Raw, m.Get("params.prompt.0.text").Raw))
			p.write(fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":%s,"update":{"sessionUpdate":"usage_update","_meta":{"cognition.ai/totalCreditCost":%g,"cognition.ai/inputTokens":9,"cognition.ai/outputTokens":1}}}}`,
				m.Get("params.sessionId").Raw, total))
			if strings.Contains(m.Get("params.prompt.0.text").Str, "refuse") {
				p.result(m, `{"stopReason":"refusal"}`)
				return
			}
			p.result(m, `{"stopReason":"end_turn"}`)
		}
	})
	return r, func(method string) (n int) {
		for _, p := range r.puppets {
			p.mu.Lock()
			for _, line := range p.received {
				if gjson.Get(line, "method").Str == method {
					n++
				}
			}
			p.mu.Unlock()
		}
		return n
	}
}

// A session that is kept takes further prompts; each answer has its own text and cost.
// Its end deletes it, and the program stays for the next prompt.
func TestFurther(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, calls := keeps(Devin)
		defer r.Close()
		tenth := 0.1
		first := r.ask(t.Context(), chat.Prompt{Text: "one", Keep: true})
		want := chat.Answer{Text: "one", Ref: "s1", Sent: true, Left: chat.LeftOpen, Cost: chat.Cost{Credits: &tenth}, Tokens: &chat.Tokens{Input: 9, Output: 1}}
		first.Duration = 0
		if diff := cmp.Diff(want, first.Answer); first.err != nil || diff != "" {
			t.Errorf("%v (-want +got):\n%s", first.err, diff)
		}
		want.Tokens = nil // they may be those of both prompts
		for _, text := range []string{"two", "three"} {
			got := r.ask(t.Context(), chat.Prompt{Text: text, Keep: true, Further: "s1"})
			want.Text, got.Duration = text, 0
			if diff := cmp.Diff(want, got.Answer); got.err != nil || diff != "" {
				t.Errorf("%v (-want +got):\n%s", got.err, diff)
			}
		}
		if alone := r.ask(t.Context(), chat.Prompt{Text: "alone"}); alone.Ref != "s2" || alone.Left != chat.NothingLeft || alone.err != nil {
			t.Errorf("beside it: %+v", alone)
		}
		if n := calls(methodDelete); n != 1 {
			t.Errorf("%d sessions deleted beside the open one", n)
		}
		if left := r.End(t.Context(), "s1"); left != chat.NothingLeft || calls(methodDelete) != 2 || len(r.queue.list) != 0 {
			t.Errorf("left %v, queue %v", left, r.queue.list)
		}
		if got := r.ask(t.Context(), chat.Prompt{Text: "x", Further: "s1"}); got.code() != chat.ConversationGone || got.Sent {
			t.Errorf("after its end: %+v", got)
		}
		if len(r.puppets) != 1 || calls(methodNew) != 2 {
			t.Errorf("%d programs, %d sessions", len(r.puppets), calls(methodNew))
		}
	})
}

// A session is gone with its program, which ends by itself after two minutes, or after a
// failure; the ledger has it for the next prompt.
func TestFurtherGone(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		profile Profile
		end     func(t *testing.T, r *rig)
		left    chat.Leftover
		noted   int
	}{
		"two_minutes":  {Devin, func(*testing.T, *rig) { time.Sleep(idleTime + time.Second) }, chat.LeftForNow, 1},
		"of_a_forgets": {Cursor, func(*testing.T, *rig) { time.Sleep(idleTime + time.Second) }, chat.NothingLeft, 0},
		"another_fails": {Devin, func(t *testing.T, r *rig) {
			t.Helper()
			if got := r.ask(t.Context(), chat.Prompt{Text: "refuse"}); got.err == nil {
				t.Error("no error")
			}
		}, chat.LeftForNow, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r, calls := keeps(tt.profile)
				defer r.Close()
				if first := r.ask(t.Context(), chat.Prompt{Text: "one", Keep: true}); first.Left != chat.LeftOpen {
					t.Fatalf("%+v", first)
				}
				tt.end(t, r)
				prompts := calls(methodPrompt)
				got := r.ask(t.Context(), chat.Prompt{Text: "two", Keep: true, Further: "s1"})
				if got.code() != chat.ConversationGone || got.Left != tt.left || got.Sent || calls(methodPrompt) != prompts {
					t.Errorf("%+v", got)
				}
				if list := r.queue.list; len(list) != tt.noted || len(list) > 0 && list[0].Held {
					t.Errorf("noted %v", list)
				}
				if left := r.End(t.Context(), "s1"); left != chat.NothingLeft {
					t.Errorf("ended once more: %v", left)
				}
			})
		})
	}
}

// A further prompt that fails ends its conversation.
func TestFurtherFails(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, _ := keeps(Devin)
		defer r.Close()
		r.ask(t.Context(), chat.Prompt{Text: "one", Keep: true})
		if got := r.ask(t.Context(), chat.Prompt{Text: "refuse", Keep: true, Further: "s1"}); got.code() != chat.TurnFailed || got.Left != chat.NothingLeft || len(r.queue.list) > 0 {
			t.Errorf("%+v, noted %v", got, r.queue.list)
		}
	})
}

// What an agent cannot delete does not wait to be deleted.
func TestFurtherGoneUndeleted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(Devin, func(p *puppet) {
			p.on[methodInitialize] = func(m gjson.Result) { p.result(m, `{"protocolVersion":1}`) }
		})
		defer r.Close()
		first := r.ask(t.Context(), chat.Prompt{Text: "one", Keep: true})
		time.Sleep(idleTime + time.Second)
		if left := r.End(t.Context(), first.Ref); first.Left != chat.LeftOpen || left != chat.LeftForGood || len(r.queue.list) > 0 {
			t.Errorf("%+v, then left %v, noted %v", first, left, r.queue.list)
		}
	})
}

// A tool that acts while a session is deleted ends the program, too.
func TestActsAtTheEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(Devin, func(p *puppet) {
			p.on[methodDelete] = func(m gjson.Result) {
				p.update(`{"sessionUpdate":"tool_call","toolCallId":"1","kind":"execute","status":"in_progress"}`)
				p.result(m, `{}`)
			}
		})
		defer r.Close()
		got := r.ask(t.Context(), chat.Prompt{Text: "one"})
		p := r.puppets[0]
		p.mu.Lock()
		defer p.mu.Unlock()
		if got.err != nil || !p.killed {
			t.Errorf("%+v, killed %v", got, p.killed)
		}
	})
}

// Of two programs that answer at the same time one waits for a further prompt, and no
// more conversations are called open.
func TestKeptByOne(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ids := []string{"a", "b"}
		r := newRig(Devin, func(p *puppet) {
			id := ids[0]
			ids = ids[1:]
			p.on[methodNew] = func(m gjson.Result) { p.result(m, `{"sessionId":"`+id+`"}`) }
			p.on[methodPrompt] = func(m gjson.Result) {
				time.Sleep(time.Second)
				p.write(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"` + id + `","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Hi"}}}}`)
				p.result(m, `{"stopReason":"end_turn"}`)
			}
		})
		defer r.Close()
		other := make(chan asked)
		go func() { other <- r.ask(t.Context(), chat.Prompt{Text: "one", Keep: true}) }()
		synctest.Wait()
		two := r.ask(t.Context(), chat.Prompt{Text: "two", Keep: true})
		one := <-other
		lefts := map[chat.Leftover]int{one.Left: 1}
		lefts[two.Left]++
		if diff := cmp.Diff(map[chat.Leftover]int{chat.LeftOpen: 1, chat.LeftForNow: 1}, lefts); diff != "" || one.err != nil || two.err != nil {
			t.Errorf("%v, %v (-want +got):\n%s", one.err, two.err, diff)
		}
	})
}
