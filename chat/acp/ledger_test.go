package acp

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"

	"windsock/chat"
	"windsock/chat/touched"
)

// TestLeft: what becomes of a session.
func TestLeft(t *testing.T) {
	t.Parallel()
	noDelete := func(p *puppet) {
		p.on[methodInitialize] = func(m gjson.Result) { p.result(m, `{"protocolVersion":1}`) }
	}
	fails := func(code int) func(*puppet) {
		return func(p *puppet) {
			p.on[methodDelete] = func(m gjson.Result) { p.fails(m, fmt.Sprintf(`{"code":%d}`, code)) }
		}
	}
	tests := []struct {
		name    string
		profile Profile
		set     func(*puppet)
		queue   error
		left    chat.Leftover
		noted   int
	}{
		{name: "deleted", profile: Devin},
		{name: "unknown_to_the_agent", profile: Devin, set: fails(-32002)},
		{name: "not_deleted", profile: Devin, set: fails(-32603), left: chat.LeftForNow, noted: 1},
		{name: "hangs", profile: Devin, set: func(p *puppet) { p.on[methodDelete] = func(gjson.Result) {} }, left: chat.LeftForNow, noted: 1},
		{name: "not_noted", profile: Devin, set: fails(-32603), queue: errors.New("full"), left: chat.LeftForGood},
		{name: "cannot_delete", profile: Devin, set: noDelete, left: chat.LeftForGood},
		{name: "goes_with_the_directory", profile: Cursor, set: noDelete},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := newRig(tt.profile, tt.set)
				r.queue.err = tt.queue
				got := r.ask(t.Context(), hello)
				r.Close()
				if list, _ := r.queue.Waiting(t.Context()); got.err != nil || got.Left != tt.left || got.Ref != "s" || len(list) != tt.noted {
					t.Errorf("left %v, %v, noted %v", got.Left, got.err, list)
				}
			})
		})
	}
}

// TestDrain: sessions of killed processes are deleted after the next prompt, while no
// other agent may have them in use.
func TestDrain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		now := time.Now()
		alone := false
		r := newRig(Devin, func(p *puppet) {
			p.on[methodDelete] = func(m gjson.Result) {
				if m.Get("params.sessionId").String() == "stuck" {
					p.fails(m, `{"code":-32603}`)
				} else {
					p.result(m, `{}`)
				}
			}
		})
		defer r.Close()
		start := r.start
		r.start = func(ctx context.Context) (*agent, error) {
			a, err := start(ctx)
			a.alone = func(context.Context) bool { return alone }
			return a, err
		}
		add := func(engine, id string, age time.Duration) {
			r.queue.list = append(r.queue.list, touched.Waiting{Variant: engine, ID: id, At: now.Add(-age)})
		}
		add("windsurf", "cascade", time.Hour)
		add("agent-cursor", "theirs", time.Hour)
		add("agent-devin", "fresh", time.Minute)
		add("agent-devin", "old", time.Hour)
		add("agent-devin", "stuck", time.Hour)
		for _, want := range [][]string{{"cascade", "theirs", "fresh", "stuck"}, {"cascade", "theirs", "stuck"}} {
			if got := r.ask(t.Context(), hello); got.err != nil {
				t.Fatal(got.err)
			}
			var ids []string
			for _, w := range r.queue.list {
				ids = append(ids, w.ID)
			}
			if diff := cmp.Diff(want, ids); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			alone = true
		}
		r.queue.list[2].At = now.Add(-forgotten - time.Hour)
		if got := r.ask(t.Context(), hello); got.err != nil || len(r.queue.list) != 2 {
			t.Errorf("%v, %v", r.queue.list, got.err)
		}
	})
}
