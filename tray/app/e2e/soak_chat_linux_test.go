package e2e

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"windsock/probe/simulator/agent"
)

// A soakPrompt is one that was sent, or would have been if nothing had failed.
type soakPrompt struct {
	text     string
	answered bool
}

// prompt makes a prompt of its own, whose answer is known.
func (w *soak) prompt(course string) string {
	return fmt.Sprintf("turn:%s soak %d", course, w.prompted.Add(1))
}

func (w *soak) sent(text string, answered bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.prompts = append(w.prompts, soakPrompt{text, answered})
}

// happened counts what became of something.
func (w *soak) happened(what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.outcomes[what]++
}

func (w *soak) promptStep(t *testing.T, s step) (end func()) {
	t.Helper()
	session := w.sessions[s.session]
	switch s.kind {
	case asked:
		text := w.prompt("echo")
		out, code := session.run(t, "ask", "--variant", "windsurf", text)
		if code == 0 && !strings.Contains(out, text) {
			t.Errorf("%q is answered by %q", text, out)
		}
		w.sent(text, code == 0)
		w.happened(fmt.Sprint("ask: ", code))
	case askKilled, askEnded:
		text := w.prompt("never_ends")
		w.sent(text, false)
		p := session.begin(t, "ask", text)
		return func() {
			p.Signal(t, map[string]os.Signal{askKilled: syscall.SIGKILL, askEnded: syscall.SIGINT}[s.kind])
			p.Wait(t)
			w.happened(s.kind)
		}
	case apiAsked, apiLeft:
		path, pieces := strings.CutSuffix(s.what, streamed)
		request := apiPrompt{path: "/" + path, prompt: w.prompt("echo"), stream: pieces, alone: true}
		if s.kind == apiLeft {
			request.prompt, request.stream, request.leaves = w.prompt("never_ends"), true, true
		}
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		outcome := session.api.sends(ctx, request)
		w.sent(request.prompt, outcome == "answer")
		if code := apiError.FindStringSubmatch(outcome); code != nil {
			outcome = code[1]
		} else if !slices.Contains([]string{"answer", "gone", "busy"}, outcome) {
			t.Errorf("%s: %s", s, outcome)
		}
		w.happened("local API: " + outcome)
	default:
		w.windowStep(t, s)
	}
	return func() {}
}

// apiError finds why a request was refused, or an answer is not whole.
var apiError = regexp.MustCompile(`"code":"([a-z_]+)"`)

// windowStep asks in the window, as the page does.
func (w *soak) windowStep(t *testing.T, s step) {
	t.Helper()
	session := w.sessions[0] // the one with a desktop
	if out, code := session.run(t, "prompt"); code != 0 {
		t.Errorf("prompt: %d, %s", code, out)
		return
	}
	w.pages++
	p := newPage(t, w.browser.shown(t, w.pages))
	defer p.leave()
	if s.kind == windowLeft {
		text := w.prompt("never_ends")
		w.sent(text, false)
		_, failure := p.sends(text, "")
		w.happened("window left: " + failure)
		return
	}
	text := w.prompt("echo")
	card, failure := p.sends(text, "")
	var answer string
	if failure == "" {
		answer, failure = p.answer(card)
	}
	w.sent(text, failure == "")
	if failure == "" && answer != text {
		t.Errorf("%q is answered by %q", text, answer)
	}
	w.happened("window: " + failure)
}

func (w *soak) agentStep(t *testing.T, s step) (end func()) {
	t.Helper()
	session, behaviour := w.sessions[s.session], agent.Behaviour{Turn: "echo", Tick: time.Millisecond}
	switch s.kind {
	case agentAsked:
		behaviour.Turn = s.what
	case agentBroken:
		behaviour.Faults = []agent.Fault{agent.Fault(s.what)}
	default: // agentKilled
		behaviour.Turn, behaviour.Faults = "hangs", []agent.Fault{agent.Deaf, agent.LeavesChild, agent.LeavesStray}
	}
	if err := agent.Behave(w.agent, behaviour); err != nil {
		t.Fatal(err)
	}
	p := session.begin(t, "ask", "--engine", "devin", "--yes", "--timeout", "3s", fmt.Sprintf("soak %d", w.prompted.Add(1)))
	return func() {
		if s.kind == agentKilled {
			p.Signal(t, syscall.SIGKILL)
		}
		code := p.Wait(t)
		w.happened(fmt.Sprintf("%s: %d", s, code))
		if s.what == "echo" && code == 0 && !strings.Contains(p.Output(), "soak ") {
			t.Errorf("an echo is %q", p.Output())
		}
		for _, id := range w.unknownSessions(t) {
			t.Errorf("after %s nobody will delete the conversation %s: exit code %d, %s", s, id, code, p.Output())
		}
	}
}

// unknownSessions are the agent's conversations that are not noted as to be deleted.
func (w *soak) unknownSessions(t *testing.T) []string {
	t.Helper()
	sessions := func() []string {
		ids, err := agent.Sessions(w.agent)
		if err != nil {
			t.Fatal(err)
		}
		return slices.DeleteFunc(ids, func(id string) bool { return w.unknown[id] })
	}
	before := sessions()
	for _, s := range w.sessions {
		queue, err := waiting(t.Context(), s.state())
		if err != nil {
			t.Fatal(err)
		}
		for _, noted := range queue {
			before = slices.DeleteFunc(before, func(id string) bool { return id == noted.ID })
		}
	}
	after := sessions() // one may have been deleted meanwhile
	unknown := slices.DeleteFunc(before, func(id string) bool { return !slices.Contains(after, id) })
	for _, id := range unknown {
		w.unknown[id] = true // told once
	}
	return unknown
}
