package acp

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tidwall/gjson"

	"windsock/chat"
)

// TestLimits: whatever a program fails to do, the prompt ends in time and says why.
func TestLimits(t *testing.T) {
	t.Parallel()
	nothing := func(gjson.Result) {}
	tests := []struct {
		name    string
		set     func(*puppet)
		timeout time.Duration
		code    chat.Code
		sent    bool
		text    string
		took    time.Duration
	}{
		{name: "initialize", set: func(p *puppet) { p.on[methodInitialize] = nothing }, code: chat.TimedOut, took: initializeTime},
		{name: "session", set: func(p *puppet) { p.on[methodNew] = nothing }, code: chat.TimedOut, took: newTime},
		{name: "silence", set: func(p *puppet) { p.on[methodPrompt] = nothing }, code: chat.TimedOut, sent: true, took: silenceTime + cancelTime},
		{
			name: "late_but_not_silent", sent: true, text: "....", took: 4 * (silenceTime - time.Second),
			set: func(p *puppet) {
				p.on[methodPrompt] = func(m gjson.Result) {
					for range 4 {
						time.Sleep(silenceTime - time.Second)
						p.says(".")
					}
					p.result(m, `{}`)
				}
			},
		},
		{name: "timeout", set: func(p *puppet) { p.on[methodPrompt] = nothing }, timeout: time.Minute, code: chat.TimedOut, sent: true, took: time.Minute + cancelTime},
		{name: "timeout_at_start", set: func(p *puppet) { p.on[methodInitialize] = nothing }, timeout: time.Second, code: chat.TimedOut, took: time.Second},
		{
			name: "gone", code: chat.ServerGone, sent: true, text: "Hal",
			set: func(p *puppet) { p.on[methodPrompt] = func(gjson.Result) { p.says("Hal"); p.finish() } },
		},
		{
			name: "line", code: chat.TurnFailed, sent: true, took: cancelTime,
			set: func(p *puppet) { p.on[methodPrompt] = func(gjson.Result) { p.says(strings.Repeat("x", 9<<20)) } },
		},
		{
			name: "answer", code: chat.TurnFailed, sent: true, text: strings.Repeat("x", 4<<20), took: cancelTime,
			set: func(p *puppet) {
				p.on[methodPrompt] = func(gjson.Result) {
					for range 5 {
						p.says(strings.Repeat("x", 1<<20))
					}
				}
			},
		},
		{
			name: "flood", sent: true, text: strings.Repeat("x", 20_000),
			set: func(p *puppet) {
				p.on[methodPrompt] = func(m gjson.Result) {
					for range 20_000 {
						p.says("x")
					}
					p.result(m, `{}`)
				}
			},
		},
		{
			name: "noise", code: chat.TurnFailed, sent: true,
			set: func(p *puppet) {
				p.on[methodPrompt] = func(gjson.Result) {
					for range 65 {
						p.write("loading")
					}
				}
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := newRig(Devin, tt.set)
				defer r.Close()
				ctx := t.Context()
				if tt.timeout > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, tt.timeout)
					defer cancel()
				}
				began := time.Now()
				got := r.ask(ctx, hello)
				took := time.Since(began)
				if got.code() != tt.code || got.Sent != tt.sent || got.Text != tt.text || took < tt.took-cancelTime || took > tt.took+time.Second {
					t.Errorf("%v after %v, sent %v, %d bytes", got.err, took, got.Sent, len(got.Text))
				}
			})
		})
	}
}
