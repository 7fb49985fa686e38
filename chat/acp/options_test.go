package acp

import (
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"

	"windsock/chat"
)

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
