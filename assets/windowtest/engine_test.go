package windowtest

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"windsock/chat/acp"
)

// offered is the failure of a prompt where Cascade is off.
var offered = object{
	"sentence": "This version of Devin Desktop has no Cascade any more, so Windsock cannot send prompts through it. The figures of your plan are not affected.",
	"offer": object{
		"engine": "devin", "name": "Devin's agent",
		"words": acp.Devin.Offer(acp.About{Path: "/usr/share/devin-desktop/resources/app/extensions/windsurf/devin/bin/devin", Version: "devin 3000.11.3"}),
	},
}

// agentUnlisted and agentListed are an agent's models before and after it has told them.
var (
	agentUnlisted = object{"models": items{}, "default": "", "last": "", "engine": "devin", "name": "Devin's agent", "unlisted": true}
	agentListed   = object{
		"models": items{
			object{"uid": "swe-1-6", "label": "SWE-1.6", "price": "unknown", "default": true},
			object{"uid": "opus", "label": "Claude Opus 4.7", "price": "unknown"},
		},
		"default": "swe-1-6", "last": "", "engine": "devin", "name": "Devin's agent", "unlisted": false,
	}
	agentAnswered = object{"answer": object{
		"text": markdown, "took": "3.2 s", "left": "", "tool_only": false, "cost": "13,622 tokens in, 40 out · cost not told", "by": "devin",
	}}
)

// TestOfferOfAnAgent: nothing is chosen without a button, the choice goes to the program,
// and the prompt need not be written again.
func TestOfferOfAnAgent(t *testing.T) {
	t.Parallel()
	b, s := newBrowser(t), newStub(t)
	s.set("POST /api/engine", refusal{500, "comments", "Set chat.engine in it yourself."})
	b.open(s)
	b.write("Can you still answer?")
	b.until("document.querySelector('.turn.runs')")
	s.ask("failed", offered)
	b.shows(".turn .told", "no Cascade any more")
	b.shows(".offer", "/extensions/windsurf/devin/bin/devin (devin 3000.11.3)")
	b.shows(".offer", "That is no wall")
	s.heard(t, "POST /api/engine", "")

	b.press("Use Devin's agent")
	b.shows(".offer .told", "yourself")
	s.set("POST /api/engine", object{})
	s.set("GET /api/models", agentUnlisted)
	b.press("Use Devin's agent")
	s.heard(t, "POST /api/engine", `{"engine":"devin"}`)
	b.until("!document.querySelector('.offer') && " + box + " === 'Can you still answer?' && " + focused + " === 'prompt-text'")
	b.shows(".composer .engine", "Prompts go to Devin's agent.")

	// It is asked without a model, and has told its own with the answer.
	s.set("GET /api/models", agentListed)
	b.key(kb.Enter, chromedp.ModifierCtrl)
	s.heard(t, "POST /api/ask", `{"text":"Can you still answer?","model":""}`)
	b.shows(".turn .foot", "Asking Devin's agent")
	s.ask("done", agentAnswered)
	b.shows(".turn .foot", "Devin's agent · 3.2 s · 13,622 tokens in, 40 out · cost not told")
	b.until("document.querySelector('.picker input').value === 'SWE-1.6'")
	b.shows(".composer .engine", "Prompts go to Devin's agent.")
}

func TestOfferIsDeclined(t *testing.T) {
	t.Parallel()
	b, s := newBrowser(t), newStub(t)
	s.set("POST /api/engine", object{})
	b.open(s)
	b.write("Can you still answer?")
	b.until("document.querySelector('.turn.runs')")
	s.ask("failed", offered)
	b.press("Not now")
	s.heard(t, "POST /api/engine", `{"engine":"cascade"}`)
	b.until("!document.querySelector('.offer') && !document.querySelector('.engine')")
}

// TestAgentIsStartedForItsModels by a button alone.
func TestAgentIsStartedForItsModels(t *testing.T) {
	t.Parallel()
	b, s := newBrowser(t), newStub(t)
	s.set("GET /api/models", agentUnlisted)
	b.open(s)
	b.until("document.querySelector('.picker input').placeholder === 'The agent’s own choice' && document.querySelector('.picker input').disabled")
	s.heard(t, "GET /api/models", "")
	s.set("GET /api/models", refusal{503, "not_signed_in", "Devin is not signed in. Run `devin auth login` in a terminal, then ask again."})
	b.press("Start it and list them")
	s.heard(t, "GET /api/models", "start=1")
	b.shows(".composer .told", "devin auth login")
	s.set("GET /api/models", agentListed)
	b.press("Start it and list them")
	b.until("document.querySelector('.picker input').value === 'SWE-1.6'")
	// What is picked is kept beside what is picked for Cascade.
	b.key(kb.Tab)
	b.do(chromedp.KeyEvent("opus"))
	b.key(kb.Enter)
	b.until("localStorage.getItem('windsock.model.devin') === 'opus' && localStorage.getItem('windsock.model') === null")
}
