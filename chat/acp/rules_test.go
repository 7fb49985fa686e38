package acp

import (
	"context"
	"encoding/json"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"

	"windsock/chat"
	"windsock/chat/acp/wire"
)

// rules reads one table of the file of rules.
func rules(tb testing.TB, name string, rows int) []gjson.Result {
	tb.Helper()
	text, err := os.ReadFile("testdata/rules.json")
	if err != nil {
		tb.Fatal(err)
	}
	all := gjson.GetBytes(text, name).Array()
	if len(all) != rows {
		tb.Fatalf("%d rows of %s", len(all), name)
	}
	return all
}

func TestRulesPermission(t *testing.T) {
	t.Parallel()
	for _, row := range rules(t, "permission", 7) {
		t.Run(row.Get("name").String(), func(t *testing.T) {
			t.Parallel()
			got, err := json.Marshal(map[string]any{"outcome": refusal(row.Get("options"), row.Get("cancelled").Bool())})
			if err != nil || !sameJSON(string(got), row.Get("answer").Raw) {
				t.Errorf("%s, %v", got, err)
			}
		})
	}
}

func sameJSON(a, b string) bool { return cmp.Equal(gjson.Parse(a).Value(), gjson.Parse(b).Value()) }

func TestRulesStop(t *testing.T) {
	t.Parallel()
	for _, row := range rules(t, "stop", 10) {
		for _, tool := range []bool{false, true} {
			name := row.Get("result").Raw + row.Get("text").String() + row.Get("cancelled_by_us").Raw
			if tool {
				name += " tool"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					var prompt gjson.Result
					r := newRig(Devin, func(p *puppet) {
						p.on[methodPrompt] = func(m gjson.Result) {
							prompt = m
							if tool {
								p.update(`{"sessionUpdate":"tool_call","toolCallId":"c","kind":"read","status":"completed"}`)
							}
							p.says(row.Get("text").String())
							if !row.Get("cancelled_by_us").Bool() {
								p.result(m, row.Get("result").Raw)
							}
						}
						p.on[methodCancel] = func(gjson.Result) { p.result(prompt, row.Get("result").Raw) }
					})
					defer r.Close()
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					if row.Get("cancelled_by_us").Bool() {
						time.AfterFunc(time.Second, cancel)
					}
					got := r.ask(ctx, chat.Prompt{Text: "x"})
					outcome := row.Get("outcome").String()
					code := chat.Code(row.Get("code").String())
					switch {
					case outcome == "cancelled":
						code = "cancelled"
					case outcome == "tool_only_or_empty" && !tool:
						code = chat.TurnFailed
					}
					cut := row.Get("result.stopReason").String()
					want := chat.Answer{
						Text: row.Get("text").String(), Ref: "s", Sent: true, ToolOnly: outcome == "tool_only_or_empty" && tool,
						Cut: cut == "max_tokens" || cut == "max_turn_requests", Duration: got.Duration,
					}
					if diff := cmp.Diff(want, got.Answer); got.code() != code || diff != "" {
						t.Errorf("%v (-want +got):\n%s", got.err, diff)
					}
				})
			})
		}
	}
}

const (
	newOptions = `{"sessionId":"s","configOptions":[{"id":"mode","category":"mode","currentValue":"code","options":[{"value":"code"},{"value":"ask"}]},` +
		`{"id":"model","category":"model","currentValue":"a","options":[{"value":"a","name":"A"},{"value":"b","name":"B"}]}]}`
	oldOptions = `{"sessionId":"s","modes":{"currentModeId":"code","availableModes":[{"id":"code"},{"id":"ask"}]},` +
		`"models":{"currentModelId":"a","availableModels":[{"modelId":"a","name":"A"},{"modelId":"b","name":"B"}]}}`
)

func TestRulesErrors(t *testing.T) {
	t.Parallel()
	for _, row := range rules(t, "errors", 12) {
		at, fault := row.Get("at").String(), row.Get("error").Raw
		t.Run(at+" "+fault, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				wantCode := chat.Code(row.Get("code").String())
				if at == "session/load" { // is never sent
					e := &wire.Error{Code: row.Get("error.code").Int(), Data: row.Get("error.data")}
					if got := (asked{err: Devin.failure(t.Context(), &callError{at, e})}); got.code() != wantCode {
						t.Errorf("%v", got.err)
					}
					return
				}
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				r := newRig(Devin, func(p *puppet) {
					p.on[methodNew] = func(m gjson.Result) {
						if at == methodSetModel {
							p.result(m, oldOptions)
						} else {
							p.result(m, newOptions)
						}
					}
					p.on[at] = func(m gjson.Result) {
						switch {
						case row.Get("result").Exists():
							p.result(m, row.Get("result").Raw)
						case at == methodSetOption && m.Get("params.configId").String() == "mode":
							p.result(m, `{}`)
						case row.Get("cancelled_by_us").Bool():
							cancel()
							p.on[methodCancel] = func(gjson.Result) { p.fails(m, fault) }
						default:
							p.fails(m, fault)
						}
					}
				})
				defer r.Close()
				got := r.ask(ctx, chat.Prompt{Text: "x", Model: "b"})
				if wantCode == "ignored" {
					wantCode = ""
				}
				if got.code() != wantCode {
					t.Errorf("%v, want %s", got.err, wantCode)
				}
				if f, ok := got.err.(*chat.Failure); ok && f.Wait != time.Duration(row.Get("wait_s").Int())*time.Second { //nolint:errorlint // as it is returned
					t.Errorf("wait %v", f.Wait)
				}
			})
		})
	}
}

func TestRulesMode(t *testing.T) {
	t.Parallel()
	for _, row := range rules(t, "mode", 7) {
		t.Run(row.Get("agent").String()+row.Get("offered").Raw, func(t *testing.T) {
			t.Parallel()
			c := choice{current: row.Get("current").String()}
			for _, id := range row.Get("offered").Array() {
				c.values = append(c.values, value{id: id.String()})
			}
			got, ok := c.chooseMode()
			if refuse := c.current == "yolo"; got != row.Get("choose").String() || ok == refuse {
				t.Errorf("chose %q, %v", got, ok)
			}
		})
	}
}

func TestRulesCost(t *testing.T) {
	t.Parallel()
	for _, row := range rules(t, "cost", 7) {
		t.Run(row.Get("update").Raw+row.Get("result").Raw, func(t *testing.T) {
			t.Parallel()
			var got told
			if u := row.Get("update").Raw; u != "" {
				got.usage(gjson.Parse(`{"sessionUpdate":"usage_update",` + u[1:]))
			}
			got.ended(row.Get("result"))
			var want told
			figure := func(name string) *float64 {
				if v := row.Get("cost." + name); v.Exists() {
					return &v.Num
				}
				return nil
			}
			want.cost = chat.Cost{Credits: figure("credits"), ACU: figure("acu")}
			if n := figure("list_price"); n != nil {
				want.cost.ListPrice = &chat.Price{Amount: *n, Currency: row.Get("cost.currency").String()}
			}
			if tokens := row.Get("tokens"); tokens.Exists() {
				want.tokens = &chat.Tokens{Input: tokens.Get("input").Int(), Output: tokens.Get("output").Int()}
			}
			if diff := cmp.Diff(want.cost, got.cost); diff != "" {
				t.Errorf("cost (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(want.tokens, got.tokens); diff != "" {
				t.Errorf("tokens (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRulesUpdate(t *testing.T) {
	t.Parallel()
	for _, row := range rules(t, "update", 10) {
		t.Run(row.Get("update").Raw, func(t *testing.T) {
			t.Parallel()
			var got []chat.Event
			u := turn{agent: &agent{}, tell: func(e chat.Event) { got = append(got, e) }}
			u.told.message = row.Get("after.messageId").String()
			u.told.text.WriteString(row.Get("after.text").String())
			session := row.Get("sessionId").String()
			if session == "" {
				session = "s"
			}
			tool, acts := u.fence.update(row.Get("update"), time.Now())
			if err := u.update(&session0, session, row.Get("update"), tool); err != nil {
				t.Fatal(err)
			}
			var want []chat.Event
			if text := row.Get("event.grows"); text.Exists() {
				want = []chat.Event{{Kind: chat.Grows, Text: text.String()}}
			}
			if kind := row.Get("event.works"); kind.Exists() {
				want = []chat.Event{{Kind: chat.Works, Text: kind.String() + "…"}}
			}
			if diff := cmp.Diff(want, got); diff != "" || (acts != "") != row.Get("acts").Bool() {
				t.Errorf("acts %q (-want +got):\n%s", acts, diff)
			}
		})
	}
}

var session0 = session{id: "s"}
