package acp

import (
	"bufio"
	"context"
	"errors"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tidwall/gjson"

	"windsock/chat"
	"windsock/chat/acp/wire"
	"windsock/chat/touched"
)

// puppet is an agent over pipes. What it does with a request is in on; for what is not
// there it has a plain answer.
type puppet struct {
	on map[string]func(gjson.Result)

	in     *bufio.Scanner
	out    io.WriteCloser
	pipes  []io.Closer
	ended  chan struct{}
	finish func()

	mu       sync.Mutex // guards what is below
	received []string   // the lines of the client
	killed   bool
}

// newPuppet returns a puppet that has not begun to read, and the agent that it plays.
func newPuppet(p Profile) (*puppet, *agent) {
	in, toPuppet := io.Pipe()
	out, fromPuppet := io.Pipe()
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 2<<20)
	made := &puppet{
		on: map[string]func(gjson.Result){}, in: lines, out: fromPuppet, pipes: []io.Closer{in, fromPuppet}, ended: make(chan struct{}),
	}
	made.finish = sync.OnceFunc(func() {
		for _, c := range made.pipes {
			_ = c.Close()
		}
		close(made.ended)
	})
	return made, &agent{profile: p, program: made, conn: wire.New(toPuppet, out), work: "/empty/directory", alone: func(context.Context) bool { return true }}
}

func (p *puppet) Ended() <-chan struct{} { return p.ended }
func (p *puppet) End()                   { p.finish() }

func (p *puppet) Kill() {
	p.mu.Lock()
	p.killed = true
	p.mu.Unlock()
	p.finish()
}

// next returns the client's next message.
func (p *puppet) next() (gjson.Result, bool) {
	if !p.in.Scan() {
		return gjson.Result{}, false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.received = append(p.received, p.in.Text())
	return gjson.Parse(p.in.Text()), true
}

func (p *puppet) serve() {
	for {
		m, ok := p.next()
		if !ok {
			return
		}
		p.answer(m)
	}
}

func (p *puppet) answer(m gjson.Result) {
	if do, ok := p.on[m.Get("method").String()]; ok {
		do(m)
		return
	}
	switch m.Get("method").String() {
	case methodInitialize:
		p.result(m, `{"protocolVersion":1,"agentCapabilities":{"sessionCapabilities":{"delete":{}}}}`)
	case methodNew:
		p.result(m, `{"sessionId":"s"}`)
	case methodPrompt:
		p.says("Hello")
		p.result(m, `{"stopReason":"end_turn"}`)
	case methodSetOption, methodSetMode, methodSetModel, methodDelete:
		p.result(m, `{}`)
	}
}

func (p *puppet) write(line string) { _, _ = io.WriteString(p.out, line+"\n") }

func (p *puppet) result(m gjson.Result, result string) {
	p.write(`{"jsonrpc":"2.0","id":` + m.Get("id").Raw + `,"result":` + result + `}`)
}

func (p *puppet) fails(m gjson.Result, err string) {
	p.write(`{"jsonrpc":"2.0","id":` + m.Get("id").Raw + `,"error":` + err + `}`)
}

func (p *puppet) update(update string) {
	p.write(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":` + update + `}}`)
}

func (p *puppet) says(text string) {
	p.update(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"` + text + `"}}`)
}

// methods are what the client has asked for and told, in its order.
func (p *puppet) methods() (all []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, line := range p.received {
		if m := gjson.Get(line, "method").String(); m != "" {
			all = append(all, m)
		}
	}
	return all
}

// queue is a Queue of one process.
type queue struct {
	mu   sync.Mutex // guards list
	list []touched.Waiting
	err  error // of Add
}

func (q *queue) Add(_ context.Context, engine, id string) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.err == nil {
		q.list = append(q.list, touched.Waiting{Variant: engine, ID: id, At: time.Now()})
	}
	return q.err
}

func (q *queue) Remove(_ context.Context, engine, id string) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.list = slices.DeleteFunc(q.list, func(w touched.Waiting) bool { return w.Variant == engine && w.ID == id })
	return nil
}

func (q *queue) Hold(_ context.Context, engine, id string, prompts int) error {
	q.mark(engine, id, true, prompts)
	return nil
}

func (q *queue) Release(_ context.Context, engine, id string) error {
	q.mark(engine, id, false, 0)
	return nil
}

func (q *queue) Waiting(context.Context) ([]touched.Waiting, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.Clone(q.list), nil
}

func (q *queue) mark(engine, id string, held bool, prompts int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i := range q.list {
		if q.list[i].Variant == engine && q.list[i].ID == id {
			q.list[i].Held, q.list[i].Prompts = held, max(prompts, q.list[i].Prompts)
		}
	}
}

// rig is an engine whose agents are puppets.
type rig struct {
	*Engine

	queue   *queue
	log     *strings.Builder
	puppets []*puppet
	set     func(*puppet) // before it begins; may be nil
	serve   func(*puppet)
}

func newRig(p Profile, set func(*puppet)) *rig {
	r := &rig{queue: &queue{}, log: &strings.Builder{}, set: set, serve: (*puppet).serve}
	r.Engine = New(EngineParts{
		Profile: p, Version: "1.2.3", Queue: r.queue, Log: slog.New(slog.NewTextHandler(r.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	r.start = func(ctx context.Context) (*agent, error) {
		made, a := newPuppet(p)
		r.puppets = append(r.puppets, made)
		if r.set != nil {
			r.set(made)
		}
		go r.serve(made)
		return connect(ctx, a, "1.2.3")
	}
	return r
}

// asked is the outcome of a prompt.
type asked struct {
	chat.Answer

	err    error
	events []chat.Event
}

func (r *rig) ask(ctx context.Context, p chat.Prompt) (got asked) {
	got.Answer, got.err = r.Ask(ctx, p, func(e chat.Event) { got.events = append(got.events, e) })
	return got
}

// code is the code of a failure, "cancelled", or empty.
func (a asked) code() chat.Code {
	if f, ok := errors.AsType[*chat.Failure](a.err); ok {
		return f.Code
	}
	if errors.Is(a.err, context.Canceled) {
		return "cancelled"
	}
	if a.err != nil {
		return chat.Code(a.err.Error())
	}
	return ""
}
