package acp

import (
	"context"
	"encoding/base64"
	"errors"
	"log/slog"
	"time"

	"github.com/tidwall/gjson"

	"windsock/chat"
)

const (
	// cancelTime is how long an agent has to end a turn after a cancel, and stopTime
	// if it acts. tidyTime is for the cancel and the session's deletion together, so
	// that the end of the process still is within chat.TidyTime.
	cancelTime = 2 * time.Second
	stopTime   = 500 * time.Millisecond
	tidyTime   = 2500 * time.Millisecond
)

// turn is one prompt under way.
type turn struct {
	*agent

	ledger ledger
	tell   func(chat.Event)
	log    *slog.Logger
	told   told
	answer chat.Answer
	over   bool // the agent has answered the prompt, or ended
	asked  *session
	noted  bool // the ledger has the session
}

// run asks in a session of its own, and deletes that however the turn ends. It does not
// end the agent, unless a tool acts.
func (t *turn) run(ctx context.Context, p chat.Prompt) (chat.Answer, error) {
	if err := t.refuseImages(p); err != nil {
		return t.answer, err
	}
	s, err := t.session(ctx)
	if err == nil {
		err = t.prepare(ctx, s, p.Model)
	}
	if err != nil {
		return t.answer, t.stopped(ctx, nil, err)
	}
	t.spare = nil
	t.noted = !t.profile.forgets && t.ledger.add(ctx, s.id)
	return t.prompt(ctx, s, p)
}

// prompt asks in a session, and deletes that or keeps it.
func (t *turn) prompt(ctx context.Context, s *session, p chat.Prompt) (chat.Answer, error) {
	t.asked, t.answer.Ref = s, s.id
	further := s.prompts > 0
	keep := p.Keep && (t.profile.forgets || t.noted && t.ledger.hold(ctx, s.id, s.prompts+1))
	result, err := t.ask(ctx, s, p)
	t.answer.Text, t.answer.Cost = t.told.text.String(), s.since(t.told.cost)
	if err == nil {
		err = t.judge(result)
	} else {
		err = t.stopped(ctx, s, err)
	}
	if t.answer.Tokens = t.told.tokens; further {
		t.answer.Tokens = nil // they may be the whole session's
	}
	if err == nil && keep {
		t.answer.Left = chat.LeftOpen
		return t.answer, nil
	}
	t.tidy(context.WithoutCancel(ctx), s)
	return t.answer, err
}

// ask sends the prompt and follows the answer.
func (t *turn) ask(ctx context.Context, s *session, p chat.Prompt) (gjson.Result, error) {
	t.answer.Sent = true
	id, err := t.conn.Request(ctx, methodPrompt, map[string]any{
		"sessionId": s.id, "prompt": blocks(p),
	})
	if err != nil {
		return gjson.Result{}, t.gone(err)
	}
	follow := wait{id: id, method: methodPrompt, limit: silenceTime, silent: true, update: func(session string, u gjson.Result, tool string) error {
		return t.update(s, session, u, tool)
	}}
	result, err := t.await(ctx, follow)
	if _, answered := errors.AsType[*callError](err); err == nil || answered {
		t.over = true
		return result, err
	}
	t.cancel(context.WithoutCancel(ctx), s, follow, err)
	return gjson.Result{}, err
}

// refuseImages is the error for images to an agent that takes none (PROTOCOL.md 11.2).
func (a *agent) refuseImages(p chat.Prompt) error {
	if len(p.Images) == 0 || a.images {
		return nil
	}
	return &chat.ModelError{Code: chat.NoImages, Engine: a.profile.id, Name: "The agent of " + a.profile.name}
}

// blocks are a prompt's blocks of content (PROTOCOL.md 11.2).
func blocks(p chat.Prompt) []map[string]string {
	list := make([]map[string]string, 0, 1+len(p.Images))
	list = append(list, map[string]string{"type": "text", "text": p.Text})
	for _, image := range p.Images {
		list = append(list, map[string]string{
			"type": "image", "mimeType": image.Kind, "data": base64.StdEncoding.EncodeToString(image.Data),
		})
	}
	return list
}

// update takes an update of any session. Text and figures count for the prompt's own.
func (t *turn) update(s *session, session string, u gjson.Result, tool string) error {
	if tool != "" {
		t.told.tools = true
		t.tell(chat.Event{Kind: chat.Works, Text: worksWords(tool)})
	}
	if session != s.id {
		return nil
	}
	t.told.usage(u)
	text, err := t.told.chunk(u)
	if text != "" {
		t.tell(chat.Event{Kind: chat.Grows, Text: text})
	}
	return err
}

// cancel ends a turn that may still run. What the agent says of it is of no interest:
// after a cancel any end is one.
func (t *turn) cancel(ctx context.Context, s *session, follow wait, why error) {
	if _, gone := errors.AsType[*goneError](why); gone {
		t.over = true
		return
	}
	limit := cancelTime
	acts, isActs := errors.AsType[*actsError](why)
	if isActs {
		limit = stopTime
		t.log.WarnContext(ctx, "agent stopped", slog.String("tool", acts.kind))
	}
	ctx, leave := context.WithTimeout(ctx, limit)
	defer leave()
	t.cancelling = true
	if err := t.conn.Notify(ctx, methodCancel, map[string]string{"sessionId": s.id}); err != nil {
		return
	}
	follow.update, follow.limit, follow.silent = nil, limit, false
	for {
		_, err := t.await(ctx, follow)
		if _, more := errors.AsType[*actsError](err); more && !isActs {
			return // it is killed without more patience
		} else if more {
			t.fence.reset() // the tool is told of until it has ended
			continue
		}
		_, answered := errors.AsType[*callError](err)
		t.over = err == nil || answered
		return
	}
}

// judge tells an answer from a failure by the reason for the turn's end (PROTOCOL.md
// 11.3). An unknown reason is none.
func (t *turn) judge(result gjson.Result) error {
	t.told.ended(result)
	f := &chat.Failure{Code: chat.TurnFailed, App: t.profile.name}
	switch result.Get("stopReason").String() {
	case "refusal":
		f.Words = "it refused to answer"
		return f
	case "cancelled":
		f.Words = "it ended the turn by itself"
		return f
	case "max_tokens", "max_turn_requests":
		t.answer.Cut = true
	}
	if t.answer.Text != "" {
		return nil
	}
	if !t.told.tools {
		f.Words = "it gave no answer"
		return f
	}
	t.answer.ToolOnly = true
	return nil
}

// stopped is the failure for an error of the agent.
func (t *turn) stopped(ctx context.Context, s *session, err error) error {
	if s == nil {
		t.over = true // there is no turn to end
	}
	return t.profile.failure(ctx, err)
}

// tidy deletes the session, if the agent can and still listens.
func (t *turn) tidy(ctx context.Context, s *session) {
	switch {
	case t.profile.forgets:
		t.answer.Left = chat.NothingLeft // it goes with the agent's directory
		return
	case !t.deletes:
		t.answer.Left = chat.LeftForGood
		t.ledger.strike(ctx, s.id)
		return
	case t.noted:
		t.ledger.release(ctx, s.id)
		t.answer.Left = chat.LeftForNow
	default:
		t.answer.Left = chat.LeftForGood
	}
	if t.over && t.remove(ctx, s.id) {
		t.answer.Left = chat.NothingLeft
		t.ledger.strike(ctx, s.id)
	}
}
