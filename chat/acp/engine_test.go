package acp

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"

	"windsock/chat"
)

var hello = chat.Prompt{Text: "Say hello."}

// TestKept: a program answers one prompt after the other, each in a session of its own,
// and ends two minutes after the last one. The list of models costs no session.
func TestKept(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(Devin, nil)
		defer r.Close()
		if _, err := r.Models(t.Context()); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if got := r.ask(t.Context(), hello); got.err != nil || got.Text != "Hello" {
				t.Fatalf("%q, %v", got.Text, got.err)
			}
			time.Sleep(idleTime - time.Second)
		}
		want := []string{methodInitialize, methodNew, methodPrompt, methodDelete, methodNew, methodPrompt, methodDelete}
		if diff := cmp.Diff(want, r.puppets[0].methods()); len(r.puppets) != 1 || diff != "" {
			t.Fatalf("%d programs (-want +got):\n%s", len(r.puppets), diff)
		}
		time.Sleep(2 * time.Second)
		select {
		case <-r.puppets[0].ended:
		default:
			t.Error("it still runs")
		}
		if got := r.ask(t.Context(), hello); got.err != nil || len(r.puppets) != 2 {
			t.Errorf("%d programs, %v", len(r.puppets), got.err)
		}
	})
}

func TestClose(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(Devin, nil)
		r.Close() // nothing runs
		if got := r.ask(t.Context(), hello); got.err != nil {
			t.Fatal(got.err)
		}
		<-r.puppets[0].ended // an engine that is closed keeps nothing
		r = newRig(Devin, nil)
		if got := r.ask(t.Context(), hello); got.err != nil {
			t.Fatal(got.err)
		}
		r.Close()
		<-r.puppets[0].ended
	})
}

// TestAtOnce: while one program answers, another one does, and one of them is kept.
func TestAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(Devin, func(p *puppet) {
			p.on[methodPrompt] = func(m gjson.Result) { time.Sleep(time.Second); p.says("Hi"); p.result(m, `{}`) }
		})
		var wg sync.WaitGroup
		var starting sync.Mutex // guards the rig's list
		start := r.start
		r.start = func(ctx context.Context) (*agent, error) {
			starting.Lock()
			defer starting.Unlock()
			return start(ctx)
		}
		for range 2 {
			wg.Go(func() {
				if got := r.ask(t.Context(), hello); got.err != nil || got.Text != "Hi" {
					t.Errorf("%q, %v", got.Text, got.err)
				}
			})
		}
		wg.Wait()
		running := 0
		for _, p := range r.puppets {
			select {
			case <-p.ended:
			default:
				running++
			}
		}
		if len(r.puppets) != 2 || running != 1 {
			t.Errorf("%d of %d run", running, len(r.puppets))
		}
		r.Close()
	})
}

// TestEndsWhileKept: a program that ends, floods or acts while it is kept is not asked
// again, and one whose end is seen only by the next prompt costs that prompt nothing.
func TestEndsWhileKept(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		does   func(*puppet)
		unseen bool
		killed bool
	}{
		{name: "ends", does: func(p *puppet) { p.finish() }},
		{name: "ends_unseen", does: func(p *puppet) { p.finish() }, unseen: true},
		{name: "broken", does: func(p *puppet) { p.write(`{"jsonrpc":`) }},
		{name: "acts", killed: true, does: func(p *puppet) {
			p.update(`{"sessionUpdate":"tool_call","toolCallId":"c","kind":"execute","status":"in_progress"}`)
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := newRig(Devin, nil)
				defer r.Close()
				if got := r.ask(t.Context(), hello); got.err != nil {
					t.Fatal(got.err)
				}
				tt.does(r.puppets[0])
				if !tt.unseen {
					synctest.Wait()
				}
				if got := r.ask(t.Context(), hello); got.err != nil || len(r.puppets) != 2 {
					t.Errorf("%d programs, %v", len(r.puppets), got.err)
				}
				if r.puppets[0].killed != tt.killed {
					t.Errorf("killed: %v", r.puppets[0].killed)
				}
			})
		})
	}
}

// TestNotSentTwice: a program that ends with the prompt may have passed it on.
func TestNotSentTwice(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		prompts := 0
		r := newRig(Devin, func(p *puppet) {
			p.on[methodPrompt] = func(m gjson.Result) {
				if prompts++; prompts > 1 {
					p.finish()
					return
				}
				p.says("Hello")
				p.result(m, `{}`)
			}
		})
		defer r.Close()
		if got := r.ask(t.Context(), hello); got.err != nil {
			t.Fatal(got.err)
		}
		got := r.ask(t.Context(), hello)
		if got.code() != chat.ServerGone || !got.Sent || prompts != 2 || len(r.puppets) != 1 {
			t.Errorf("%v, sent %v, %d prompts to %d programs", got.err, got.Sent, prompts, len(r.puppets))
		}
	})
}
