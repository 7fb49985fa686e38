package acp

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"

	"windsock/chat"
	"windsock/chat/touched"
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
			a.alone = func() bool { return alone }
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

// TestModels: the list, whichever way a session tells it.
func TestModels(t *testing.T) {
	t.Parallel()
	model := func(uid, label string, current bool) chat.Model {
		return chat.Model{UID: uid, Label: label, Pricing: chat.PricingUnknown, CostTier: chat.CostUnknown, ServerDefault: current}
	}
	two := []chat.Model{model("a", "A", true), model("b", "B", false)}
	tests := []struct {
		name, session string
		want          []chat.Model
		set           []string // what the prompt for model b asks for
	}{
		{"options", newOptions, two, []string{methodSetOption, methodSetOption}},
		{"old", oldOptions, two, []string{methodSetMode, methodSetModel}},
		{"none", `{"sessionId":"s"}`, []chat.Model{model("default", "The agent's own choice", true)}, nil},
		{
			"groups", `{"sessionId":"s","configOptions":[{"id":"model","currentValue":"b","options":[{"group":"g","name":"G","options":[{"value":"a","name":"A\u001b[31m"}]},{"value":"b"},{"value":7},{"value":"b"}]}]}`,
			[]chat.Model{model("a", "A", false), model("b", "b", true)},
			nil,
		},
		{"nonsense", `{"sessionId":"s","configOptions":{"model":1},"models":[1]}`, []chat.Model{model("default", "The agent's own choice", true)}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := newRig(Devin, func(p *puppet) { p.on[methodNew] = func(m gjson.Result) { p.result(m, tt.session) } })
				defer r.Close()
				all, err := r.Models(t.Context())
				if diff := cmp.Diff(tt.want, all.Models); err != nil || diff != "" {
					t.Errorf("%v (-want +got):\n%s", err, diff)
				}
				if got := r.ask(t.Context(), chat.Prompt{Text: "x", Model: all.Models[len(all.Models)-1].UID}); got.err != nil {
					t.Error(got.err)
				}
				want := append(append([]string{methodInitialize, methodNew}, tt.set...), methodPrompt, methodDelete)
				if diff := cmp.Diff(want, r.puppets[0].methods()); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			})
		})
	}
}

// TestDaring: an agent is not asked in a mode in which it acts unasked.
func TestDaring(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, modes string
		code        chat.Code
		mode        string
	}{
		{"nothing_else", `[{"id":"yolo"}]`, chat.AgentUnsafe, ""},
		{"something_else", `[{"id":"yolo"},{"id":"default"}]`, "", "default"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				mode := ""
				r := newRig(Custom([]string{"any"}, nil), func(p *puppet) {
					p.on[methodNew] = func(m gjson.Result) {
						p.result(m, `{"sessionId":"s","modes":{"currentModeId":"yolo","availableModes":`+tt.modes+`}}`)
					}
					p.on[methodSetMode] = func(m gjson.Result) { mode = m.Get("params.modeId").String(); p.result(m, `{}`) }
				})
				defer r.Close()
				got := r.ask(t.Context(), hello)
				if got.code() != tt.code || got.Sent != (tt.code == "") || mode != tt.mode {
					t.Errorf("%v, sent %v, mode %q", got.err, got.Sent, mode)
				}
			})
		})
	}
}

// TestModeNotSet: without the mode for answering there is no prompt.
func TestModeNotSet(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(Devin, func(p *puppet) {
			p.on[methodNew] = func(m gjson.Result) { p.result(m, newOptions) }
			p.on[methodSetOption] = func(m gjson.Result) { p.fails(m, `{"code":-32002,"message":"no"}`) }
		})
		defer r.Close()
		if got := r.ask(t.Context(), hello); got.code() != chat.TurnFailed || got.Sent {
			t.Errorf("%v, sent %v", got.err, got.Sent)
		}
	})
}

// TestSecrets: no text of a prompt, an answer, an agent's error or a tool is in the log
// or in an error's text, also of an agent that misbehaves.
func TestSecrets(t *testing.T) {
	t.Parallel()
	prompts := map[string]func(*puppet, gjson.Result){
		"answers": func(p *puppet, m gjson.Result) { p.says("planted"); p.result(m, `{"stopReason":"planted"}`) },
		"fails":   func(p *puppet, m gjson.Result) { p.fails(m, `{"code":-32603,"message":"planted","data":"planted"}`) },
		"acts": func(p *puppet, _ gjson.Result) {
			p.update(`{"sessionUpdate":"tool_call","toolCallId":"planted","title":"planted","kind":"execute","status":"planted","rawInput":"planted"}`)
		},
		"noise":  func(p *puppet, _ gjson.Result) { p.write(strings.Repeat("planted\n", 65)) },
		"broken": func(p *puppet, _ gjson.Result) { p.write(`{"jsonrpc":"2.0","planted`) },
		"no_end": func(p *puppet, _ gjson.Result) { p.says("planted"); p.finish() },
	}
	for name, does := range prompts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := newRig(Devin, func(p *puppet) {
					p.on[methodPrompt] = func(m gjson.Result) { does(p, m) }
					p.on[methodDelete] = func(m gjson.Result) { p.fails(m, `{"code":1,"message":"planted"}`) }
				})
				got := r.ask(t.Context(), chat.Prompt{Text: "planted"})
				r.Close()
				if said := fmt.Sprint(got.err); strings.Contains(said, "planted") || strings.Contains(r.log.String(), "planted") {
					t.Errorf("error %s, log %s", said, r.log)
				}
			})
		})
	}
}
