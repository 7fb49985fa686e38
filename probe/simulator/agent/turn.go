package agent

import (
	"context"
	"encoding/base64"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// turn is one prompt under way.
type turn struct {
	*server

	ctx     context.Context //nolint:containedctx // the turn's own, which a cancel ends
	session *session
	text    string // of the prompt
	calls   int
	said    int // words
}

// ends is how a turn ends: with a reason, or with an error.
type ends struct {
	reason  string
	failure *rpcError
	silent  bool // the request is never answered
}

var endTurn = ends{reason: "end_turn"}

var courseWord = regexp.MustCompile(`\bturn:([a-z_]+)`)

// course is the kind of turn that the prompt or the behaviour names.
func (t *turn) course() course {
	name := t.behaviour.Turn
	if found := courseWord.FindStringSubmatch(t.text); found != nil {
		name = found[1]
	}
	if c := turnNamed(name); c != nil {
		return *c
	}
	return turns[0]
}

// prompt begins a turn.
func (s *server) prompt(m received) {
	params := gjson.ParseBytes(m.Params)
	of := s.sessions[params.Get("sessionId").String()]
	text := params.Get("prompt.0.text")
	if of == nil || params.Get("prompt.0.type").String() != "text" || text.Type != gjson.String {
		s.wrong("session/prompt without a session or a text")
		s.respond(m, nil, &rpcError{Code: invalidParams, Message: "Invalid params"})
		return
	}
	s.countImages(params.Get("prompt"))
	s.prompted = true
	ctx, cancel := context.WithCancel(context.Background())
	s.mu.Lock()
	_, busy := s.running[of.id]
	s.running[of.id] = cancel
	s.mu.Unlock()
	if busy {
		s.wrong("two prompts at once in a session")
	}
	s.turns.Go(func() {
		defer cancel()
		t := turn{server: s, ctx: ctx, session: of, text: text.Str}
		end := t.run()
		s.mu.Lock()
		delete(s.running, of.id)
		s.mu.Unlock()
		if ctx.Err() != nil {
			end = ends{reason: "cancelled"}
		}
		if end.silent {
			return
		}
		s.respond(m, fields{"stopReason": end.reason}, end.failure)
	})
}

// countImages notes a prompt's images.
func (s *server) countImages(blocks gjson.Result) {
	n := 0
	for _, block := range blocks.Array() {
		if block.Get("type").String() != "image" {
			continue
		}
		n++
		file, err := base64.StdEncoding.DecodeString(block.Get("data").String())
		if err != nil || len(file) == 0 || http.DetectContentType(file) != block.Get("mimeType").String() {
			s.wrong("an image that is not of its kind")
		}
	}
	if n > 0 {
		_ = s.note(entry{Images: n})
	}
}

// cancel ends a turn, whose prompt is then answered.
func (s *server) cancel(m received) {
	if len(m.ID) > 0 {
		s.wrong("session/cancel as a request")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if cancel := s.running[gjson.GetBytes(m.Params, "sessionId").String()]; cancel != nil {
		cancel()
	}
}

func (t *turn) run() ends {
	if t.has(SignedOut) {
		return ends{failure: &rpcError{Code: authRequired, Message: "Authentication required"}}
	}
	if !t.session.told {
		if err := t.keep(t.session.id, t.text); err != nil {
			return ends{failure: &rpcError{Code: internalError, Message: "the session cannot be kept"}}
		}
		t.session.told = true
	}
	t.tell(fields{"sessionUpdate": "session_info_update", "title": "Simulated"})
	end := t.course().play(t)
	if end.failure == nil && !end.silent && t.ctx.Err() == nil {
		t.usage()
	}
	return end
}

func (t *turn) tell(update fields) { t.update(t.session, update) }

// wait returns false if the turn is cancelled meanwhile.
func (t *turn) wait(d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-t.ctx.Done():
		return false
	}
}

// tick is a pause between two updates.
func (t *turn) tick() bool {
	d := t.behaviour.Tick
	if d == 0 {
		d = 40 * time.Millisecond
	}
	return t.wait(d)
}

// think tells of a thought, which is no part of the answer.
func (t *turn) think(text string) {
	t.tell(fields{"sessionUpdate": "agent_thought_chunk", "content": fields{"type": "text", "text": text}})
}

// say adds words to the answer, one an update.
func (t *turn) say(text string) { t.sayIn("", text) }

// sayIn is say for a message that has an id.
func (t *turn) sayIn(message, text string) {
	for _, word := range strings.SplitAfter(text, " ") {
		if !t.tick() {
			return
		}
		update := fields{"sessionUpdate": "agent_message_chunk", "content": fields{"type": "text", "text": word}}
		if message != "" {
			update["messageId"] = message
		}
		t.tell(update)
		t.said++
	}
}

// call tells of a tool call and returns its id.
func (t *turn) call(kind, status string) string {
	t.calls++
	id := "call-" + strconv.Itoa(t.calls)
	t.tell(fields{"sessionUpdate": "tool_call", "toolCallId": id, "title": "Simulated " + kind, "kind": kind, "status": status})
	return id
}

func (t *turn) called(id, status string) {
	t.tell(fields{"sessionUpdate": "tool_call_update", "toolCallId": id, "status": status})
}

// permission asks for a call, as Devin does: with its id alone. It returns whether the
// client allows it.
func (t *turn) permission(id string) bool {
	answer, err := t.request(t.ctx, "session/request_permission", fields{
		"sessionId": t.session.id, "toolCall": fields{"toolCallId": id},
		"options": []fields{
			{"optionId": "always", "name": "Always", "kind": "allow_always"},
			{"optionId": "yes", "name": "Yes", "kind": "allow_once"},
			{"optionId": "never", "name": "Never", "kind": "reject_always"},
			{"optionId": "no", "name": "No", "kind": "reject_once"},
		},
	})
	if err != nil {
		return false
	}
	outcome := gjson.GetBytes(answer.Result, "outcome.outcome").String()
	if answer.Error != nil || outcome == "" {
		t.wrong("a request for permission without an outcome")
		return false
	}
	option := gjson.GetBytes(answer.Result, "outcome.optionId").String()
	_ = t.note(entry{Refusal: "session/request_permission: " + strings.TrimSpace(outcome+" "+option)})
	return outcome == "selected" && (option == "yes" || option == "always")
}

// act does what a tool does that nobody has allowed.
func (t *turn) act() { _ = os.WriteFile("acted", []byte("simulated\n"), 0o600) }

// usage tells what the session has cost so far. Cursor tells nothing.
func (t *turn) usage() {
	if !t.maker.usage {
		return
	}
	const own = 13_600 // what the agent itself adds to a prompt
	in, out := own+len(strings.Fields(t.text)), t.said
	for _, m := range t.maker.models {
		if m.id == t.session.model {
			t.session.credits += m.credits
		}
	}
	t.tell(fields{"sessionUpdate": "usage_update", "used": in + out, "size": 200_000, "_meta": fields{
		"cognition.ai/inputTokens": in, "cognition.ai/outputTokens": out, "cognition.ai/cachedReadTokens": 32,
		"cognition.ai/totalCreditCost": t.session.credits,
	}})
}
