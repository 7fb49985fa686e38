package agent

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/tidwall/gjson"
)

// The errors' codes (PROTOCOL.md 11.4).
const (
	invalidParams  = -32602
	methodNotFound = -32601
	internalError  = -32603
	authRequired   = -32000
	notFound       = -32002
	exhausted      = -32011
	noSession      = -32016
)

// server is a program that serves a client.
type server struct {
	*program
	*conn

	sessions map[string]*session // of the reading goroutine
	prompted bool                // likewise

	mu      sync.Mutex                    // guards running
	running map[string]context.CancelFunc // turns by session
	turns   sync.WaitGroup
}

// serve answers until the input ends, and returns the exit code.
func (p *program) serve(in io.Reader, out io.Writer) int {
	if p.has(Deaf) {
		deafen()
	}
	s := &server{program: p, conn: newConn(in, out, p), sessions: map[string]*session{}, running: map[string]context.CancelFunc{}}
	if p.has(Noise) {
		s.raw("Devin (simulated)\n\x1b[33mA newer version is available.\x1b[0m\n[debug] {not json}\n\n")
	}
	for _, leave := range []Fault{LeavesChild, LeavesStray} {
		if !p.has(leave) {
			continue
		}
		if err := s.leave(leave == LeavesStray); err != nil {
			return fail(err)
		}
	}
	for {
		m, err := s.next()
		if errors.Is(err, errNotJSON) {
			s.wrong(err.Error())
			continue
		}
		if err != nil {
			break
		}
		s.take(m)
		if s.has(StopsReading) && strings.HasPrefix(m.Method, "session/set_") {
			time.Sleep(lingerTime)
		}
	}
	if s.has(Deaf) || s.maker.stays && s.prompted {
		time.Sleep(lingerTime)
	}
	s.mu.Lock()
	for _, cancel := range s.running {
		cancel()
	}
	s.mu.Unlock()
	s.turns.Wait()
	return 0
}

// leave starts a program that outlives this one.
func (s *server) leave(stray bool) error {
	child := exec.CommandContext(context.Background(), s.binary, lingerArg)
	child.Stdout = os.Stdout // which the client then sees no end of
	if stray {
		leaveGroup(child)
	}
	if err := child.Start(); err != nil {
		return err
	}
	return s.note(entry{Child: child.Process.Pid})
}

func (s *server) wrong(what string) { _ = s.note(entry{Wrong: what}) }

// take answers a request, or begins to.
func (s *server) take(m received) {
	_ = s.note(entry{Method: m.Method})
	switch m.Method {
	case "session/prompt":
		s.prompt(m)
		return
	case "session/cancel":
		s.cancel(m)
		return
	}
	result, failure := s.answer(m)
	switch {
	case len(m.ID) == 0:
		s.wrong(m.Method + " as a notification")
	case m.Method == "initialize" && s.has(HangsInitialize), m.Method == "session/new" && s.has(HangsSession):
	default:
		if s.has(Noise) {
			s.raw("[info] " + m.Method + "\n")
		}
		s.respond(m, result, failure)
		if m.Method == "initialize" && s.maker.name == Devin {
			s.notify("_cognition.ai/mcp/serversChanged", fields{})
		}
	}
}

// answer is the answer to a request that needs no time.
func (s *server) answer(m received) (any, *rpcError) {
	switch m.Method {
	case "initialize":
		return s.initialize(m)
	case "session/new":
		return s.create(m)
	case "session/set_config_option", "session/set_mode", "session/set_model":
		return s.set(m)
	case "session/delete":
		return s.remove(m)
	case "session/list":
		if s.maker.name != Devin {
			break
		}
		ids, err := Sessions(s.binary)
		if err != nil {
			return nil, &rpcError{Code: internalError, Message: "the sessions cannot be read"}
		}
		list := []fields{}
		for _, id := range ids {
			list = append(list, fields{"sessionId": id})
		}
		return fields{"sessions": list}, nil
	}
	return nil, &rpcError{Code: methodNotFound, Message: "Method not found"}
}

func (s *server) initialize(m received) (any, *rpcError) {
	params := gjson.ParseBytes(m.Params)
	if params.Get("protocolVersion").Raw != "1" {
		s.wrong("initialize without version 1")
	}
	if c := params.Get("clientCapabilities"); c.Get("fs.readTextFile").Bool() || c.Get("fs.writeTextFile").Bool() || c.Get("terminal").Bool() {
		s.wrong("the client offers tools")
	}
	if params.Get("clientInfo.name").String() == "" || params.Get("clientInfo.version").String() == "" {
		s.wrong("the client does not say who it is")
	}
	version := 1
	if s.has(NewProtocol) {
		version = 2
	}
	return fields{
		"protocolVersion": version, "agentCapabilities": s.maker.capabilities, "authMethods": s.maker.authMethods, "agentInfo": s.maker.info,
	}, nil
}

func (s *server) create(m received) (any, *rpcError) {
	cwd, servers := gjson.GetBytes(m.Params, "cwd").String(), gjson.GetBytes(m.Params, "mcpServers")
	if !servers.IsArray() || !filepath.IsAbs(cwd) {
		s.wrong("session/new without an absolute cwd and a list of servers")
		return nil, &rpcError{Code: invalidParams, Message: "Invalid params"}
	}
	_ = s.note(entry{Dir: cwd})
	if len(servers.Array()) != 0 {
		s.wrong("the client brings servers")
	}
	if s.maker.name == Cursor && s.has(SignedOut) {
		return nil, &rpcError{Code: authRequired, Message: "Authentication required"}
	}
	created := &session{id: "simulated-" + strings.ToLower(rand.Text()), mode: s.modes()[0].id, model: s.maker.models[0].id}
	s.sessions[created.id] = created
	if s.maker.name == Devin || s.has(EarlyOptions) {
		s.update(created, fields{"sessionUpdate": "config_option_update", "configOptions": s.options(created)})
		s.update(created, fields{"sessionUpdate": "current_mode_update", "currentModeId": created.mode})
	}
	return s.created(created), nil
}

// set sets one choice of a session.
func (s *server) set(m received) (any, *rpcError) {
	params := gjson.ParseBytes(m.Params)
	of := s.sessions[params.Get("sessionId").String()]
	if of == nil {
		return nil, &rpcError{Code: notFound, Message: "Session not found"}
	}
	modeID, modelID := params.Get("modeId").String(), params.Get("modelId").String()
	switch params.Get("configId").String() {
	case "mode":
		modeID = params.Get("value").String()
	case "model":
		modelID = params.Get("value").String()
	}
	for _, known := range s.modes() {
		if known.id == modeID {
			of.mode = modeID
			_ = s.note(entry{Mode: modeID})
			s.update(of, fields{"sessionUpdate": "current_mode_update", "currentModeId": modeID})
			return fields{"configOptions": s.options(of)}, nil
		}
	}
	for _, known := range s.maker.models {
		if known.id == modelID {
			of.model = modelID
			_ = s.note(entry{Model: modelID})
			return fields{"configOptions": s.options(of)}, nil
		}
	}
	if modelID != "" {
		return nil, &rpcError{Code: notFound, Message: "Model not found"}
	}
	return nil, &rpcError{Code: invalidParams, Message: "Invalid params"}
}

// remove deletes a session, also one of an earlier process.
func (s *server) remove(m received) (any, *rpcError) {
	id := gjson.GetBytes(m.Params, "sessionId").String()
	switch {
	case s.maker.name != Devin:
		return nil, &rpcError{Code: methodNotFound, Message: "Method not found"}
	case s.has(KeepsSessions):
		return nil, &rpcError{Code: internalError, Message: "the session is kept (simulated)"}
	case id == "" || id != filepath.Base(id):
		return nil, &rpcError{Code: invalidParams, Message: "Invalid params"}
	}
	known := s.sessions[id]
	delete(s.sessions, id)
	if err := os.Remove(s.sessionPath(id)); err != nil && known == nil {
		return nil, &rpcError{Code: noSession, Message: fmt.Sprintf("Session %q not found", id)}
	}
	return fields{}, nil
}

func (s *server) update(of *session, update fields) {
	s.notify("session/update", fields{"sessionId": of.id, "update": update})
}
