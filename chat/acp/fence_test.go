package acp

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tidwall/gjson"

	"windsock/chat"
)

// TestActs has what counts as acting, beyond the tables.
func TestActs(t *testing.T) {
	t.Parallel()
	const pending = `{"sessionUpdate":"tool_call","toolCallId":"c","kind":"edit","status":"pending"}`
	ask := func(p *puppet) {
		p.write(`{"jsonrpc":"2.0","id":"a","method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"c","kind":"edit"},"options":[{"optionId":"n","kind":"reject_once"}]}}`)
	}
	status := func(p *puppet, status string) {
		p.update(`{"sessionUpdate":"tool_call_update","toolCallId":"c","status":"` + status + `"}`)
	}
	tests := []struct {
		name  string
		does  func(*puppet)
		words string // of the failure; empty if the turn goes on
	}{
		{"pending_for_a_second", func(p *puppet) { p.update(pending); time.Sleep(1001 * time.Millisecond) }, "it may have changed a file"},
		{"pending_not_so_long", func(p *puppet) { p.update(pending); time.Sleep(999 * time.Millisecond); status(p, "failed") }, ""},
		{"pending_and_asks", func(p *puppet) {
			p.update(pending)
			time.Sleep(999 * time.Millisecond)
			ask(p)
			time.Sleep(time.Minute)
		}, ""},
		{"asks_first", func(p *puppet) { ask(p); p.update(pending); time.Sleep(time.Minute) }, ""},
		{"goes_on_after_refusal", func(p *puppet) { ask(p); time.Sleep(time.Second); status(p, "in_progress") }, "it may have changed a file"},
		{"reads", func(p *puppet) {
			p.update(`{"sessionUpdate":"tool_call","toolCallId":"c","kind":"read","status":"in_progress"}`)
			status(p, "completed")
		}, ""},
		{"reads_after_refusal", func(p *puppet) {
			p.write(`{"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"toolCall":{"toolCallId":"c","kind":"read"}}}`)
			time.Sleep(time.Second)
			status(p, "completed")
		}, "it may have gone on after it was refused"},
		{"kind_comes_later", func(p *puppet) {
			p.update(`{"sessionUpdate":"tool_call","toolCallId":"c","status":"in_progress"}`)
			p.update(`{"sessionUpdate":"tool_call_update","toolCallId":"c","kind":"fetch"}`)
		}, "it may have fetched a page"},
		{"unknown_status", func(p *puppet) { p.update(strings.Replace(pending, "pending", "streaming", 1)) }, "it may have changed a file"},
		{"another_session", func(p *puppet) {
			p.write(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"sub","update":` + strings.Replace(pending, "pending", "completed", 1) + `}}`)
		}, "it may have changed a file"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := newRig(Devin, func(p *puppet) {
					p.on[methodPrompt] = func(m gjson.Result) {
						go func() { // the puppet hears the cancel meanwhile
							tt.does(p)
							time.Sleep(100 * time.Millisecond)
							p.says("Done")
							p.result(m, `{}`)
						}()
					}
				})
				defer r.Close()
				got := r.ask(t.Context(), hello)
				f, _ := errors.AsType[*chat.Failure](got.err)
				if tt.words == "" {
					if got.err != nil || got.Text != "Done" {
						t.Errorf("%q, %v", got.Text, got.err)
					}
					return
				}
				if f == nil || f.Code != chat.AgentActs || f.Words != tt.words || !r.puppets[0].killed || !got.Sent {
					t.Errorf("%+v, killed %v", f, r.puppets[0].killed)
				}
				if methods := strings.Join(r.puppets[0].methods(), " "); !strings.Contains(methods, methodCancel) {
					t.Error(methods)
				}
			})
		})
	}
}
