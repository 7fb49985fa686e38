package acp

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/tidwall/gjson"

	"windsock/chat"
	"windsock/chat/acp/wire"
)

// The methods (PROTOCOL.md 11.2).
const (
	methodInitialize = "initialize"
	methodNew        = "session/new"
	methodSetOption  = "session/set_config_option"
	methodSetMode    = "session/set_mode"
	methodSetModel   = "session/set_model"
	methodPrompt     = "session/prompt"
	methodCancel     = "session/cancel"
	methodDelete     = "session/delete"
	methodUpdate     = "session/update"
	methodPermission = "session/request_permission"
)

// The time limits of the steps.
const (
	initializeTime = 30 * time.Second
	newTime        = 45 * time.Second // its MCP servers start
	optionTime     = 10 * time.Second
	silenceTime    = 3 * time.Minute // of a turn
	deleteTime     = time.Second
	// restTime is how long what an ended program has written is waited for.
	restTime = 500 * time.Millisecond
)

// program is the process of an agent; a process.Process is one.
type program interface {
	Ended() <-chan struct{}
	End()
	Kill()
}

// agent is a running agent. One goroutine at a time uses it.
type agent struct {
	profile Profile
	program program
	conn    *wire.Conn
	work    string // its working directory
	// alone reports whether no other agent runs.
	alone   func(context.Context) bool
	fence   fence
	deletes bool // it can delete sessions
	images  bool // it takes images in a prompt
	// early has the options of a session that were told before the session's id was.
	early      gjson.Result
	cancelling bool
	acting     bool     // a tool has acted
	spare      *session // has had no prompt
}

// session is a conversation.
type session struct {
	id      string
	options options
	prompts int       // how many it has had
	totals  chat.Cost // as the agent has told them last
}

// initialize agrees on the protocol. Nothing of what a client may offer is offered.
func (a *agent) initialize(ctx context.Context, version string) error {
	result, err := a.call(ctx, methodInitialize, map[string]any{
		"protocolVersion": 1,
		"clientCapabilities": map[string]any{
			"fs": map[string]bool{"readTextFile": false, "writeTextFile": false}, "terminal": false,
		},
		"clientInfo": map[string]string{"name": "windsock", "title": "Windsock", "version": version},
	}, initializeTime)
	if err != nil {
		return err
	}
	if v := result.Get("protocolVersion"); v.Type != gjson.Number || v.Num != 1 {
		return errTooNew
	}
	a.images = result.Get("agentCapabilities.promptCapabilities.image").Bool()
	a.deletes = result.Get("agentCapabilities.sessionCapabilities.delete").IsObject()
	return nil
}

// renew begins to watch and to count anew, for another question.
func (a *agent) renew() {
	a.conn.Renew()
	a.fence.reset()
	a.cancelling = false
}

// session returns a session that has had no prompt.
func (a *agent) session(ctx context.Context) (*session, error) {
	if a.spare != nil {
		return a.spare, nil
	}
	a.early = gjson.Result{}
	// The server lists are required by Devin, empty as they are.
	result, err := a.call(ctx, methodNew, map[string]any{"cwd": a.work, "mcpServers": []any{}}, newTime)
	if err != nil {
		return nil, err
	}
	id := result.Get("sessionId")
	if id.Type != gjson.String || id.Str == "" {
		return nil, errNoID
	}
	s := &session{id: id.Str, options: readOptions(result)}
	if early := readOptions(a.early.Get("update")); a.early.Get("sessionId").String() == s.id && len(s.options.model.values) == 0 {
		s.options = early
	}
	a.spare = s
	return s, nil
}

// prepare sets the session's mode for answering, and the model unless that is the
// agent's own choice.
func (a *agent) prepare(ctx context.Context, s *session, model string) error {
	mode, ok := s.options.mode.chooseMode()
	if !ok {
		return errDaring
	}
	if err := a.choose(ctx, s, s.options.mode, mode, methodSetMode, "modeId"); err != nil {
		if call, ok := errors.AsType[*callError](err); ok {
			call.method = methodSetMode // whose errors mean nothing of a model
		}
		return err
	}
	if model == ownModel && len(s.options.model.values) == 0 {
		model = ""
	}
	err := a.choose(ctx, s, s.options.model, model, methodSetModel, "modelId")
	if call, ok := errors.AsType[*callError](err); ok && call.method == methodSetModel && call.answer.Code == wire.MethodNotFound {
		return nil // it was never in the protocol proper
	}
	return err
}

// choose sets one choice of a session, unless it is so already.
func (a *agent) choose(ctx context.Context, s *session, c choice, id, oldMethod, oldKey string) error {
	if id == "" || id == c.current {
		return nil
	}
	method, params := methodSetOption, map[string]string{"sessionId": s.id, "configId": c.option, "value": id}
	if c.option == "" {
		method, params = oldMethod, map[string]string{"sessionId": s.id, oldKey: id}
	}
	_, err := a.call(ctx, method, params, optionTime)
	return err
}

// remove deletes a session. It returns false if the agent did not.
func (a *agent) remove(ctx context.Context, id string) bool {
	_, err := a.call(ctx, methodDelete, map[string]string{"sessionId": id}, deleteTime)
	call, ok := errors.AsType[*callError](err)
	return err == nil || ok && (call.answer.Code == wire.NotFound || call.answer.Code == wire.NoSession)
}

// call sends a request and returns the result.
func (a *agent) call(ctx context.Context, method string, params any, limit time.Duration) (gjson.Result, error) {
	id, err := a.conn.Request(ctx, method, params)
	if err != nil {
		return gjson.Result{}, a.gone(err)
	}
	return a.await(ctx, wait{id: id, method: method, limit: limit})
}

// wait is what await waits for.
type wait struct {
	id     int64 // of a request; 0 is none
	method string
	limit  time.Duration
	silent bool // the limit is for silence, not for the whole
	// update takes the updates of a session, with the kind of a tool that is mentioned
	// for the first time; it may be nil.
	update func(session string, update gjson.Result, tool string) error
}

// await takes messages until the response comes. It refuses what the agent asks for, and
// ends with an actsError when a tool acts, whatever session that is in: the program
// works for this prompt alone.
func (a *agent) await(ctx context.Context, w wait) (gjson.Result, error) {
	limit := time.NewTimer(w.limit)
	defer limit.Stop()
	ended := a.program.Ended()
	var rest <-chan time.Time
	for ctx.Err() == nil {
		var due <-chan time.Time
		at, kind := a.fence.due()
		if !at.IsZero() {
			due = time.After(time.Until(at))
		}
		select {
		case <-ctx.Done():
		case <-limit.C:
			return gjson.Result{}, &slowError{w.method, w.limit}
		case <-due:
			a.acting = true
			return gjson.Result{}, &actsError{kind}
		case <-ended: // another process may hold its output open
			ended, rest = nil, time.After(restTime)
		case <-rest:
			return gjson.Result{}, &goneError{io.EOF}
		case m, ok := <-a.conn.Messages():
			switch {
			case !ok:
				return gjson.Result{}, &goneError{a.conn.Err()}
			case m.Answers(w.id) && m.Err != nil:
				return gjson.Result{}, &callError{w.method, m.Err}
			case m.Answers(w.id):
				return m.Result, nil
			}
			if w.silent {
				limit.Reset(w.limit)
			}
			if err := a.take(ctx, m, w); err != nil {
				return gjson.Result{}, err
			}
		}
	}
	return gjson.Result{}, ctx.Err()
}

// take handles a message that is not the awaited one.
func (a *agent) take(ctx context.Context, m wire.Message, w wait) error {
	switch {
	case m.Kind == wire.Request && m.Method == methodPermission:
		a.fence.ask(m.Params, time.Now())
		return a.gone(a.conn.Reply(ctx, m, map[string]any{"outcome": refusal(m.Params.Get("options"), a.cancelling)}))
	case m.Kind == wire.Request:
		return a.gone(a.conn.Refuse(ctx, m))
	case m.Kind != wire.Notification || m.Method != methodUpdate:
		return nil
	}
	update := m.Params.Get("update")
	if update.Get("sessionUpdate").String() == "config_option_update" {
		a.early = m.Params
	}
	tool, acts := a.fence.update(update, time.Now())
	if w.update != nil {
		if err := w.update(m.Params.Get("sessionId").String(), update, tool); err != nil {
			return err
		}
	}
	if acts != "" {
		a.acting = true
		return &actsError{acts}
	}
	return nil
}

// gone names the reason for a message that could not be sent: what was read last says
// more than that nothing can be written.
func (a *agent) gone(err error) error {
	if !errors.Is(err, io.EOF) {
		return err
	}
	for {
		select {
		case _, ok := <-a.conn.Messages():
			if !ok {
				return &goneError{a.conn.Err()}
			}
		case <-time.After(restTime):
			return &goneError{io.EOF}
		}
	}
}

// end ends the agent and removes its place, without patience if a tool has acted. A
// spare session goes with it: it is on no disk before its first prompt.
func (a *agent) end() {
	if a.acting {
		a.program.Kill()
	} else {
		a.program.End()
	}
	a.conn.Close()
}
