package acp

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/tidwall/gjson"

	"windsock/chat"
)

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
