package cascade

import (
	"context"
	"log/slog"
	"slices"
	"sync"

	"windsock/chat"
	"windsock/chat/models"
	"windsock/probe"
)

// EngineParts are the parts of an Engine.
type EngineParts struct {
	Finder *probe.Finder
	// Variants returns the editors that may be asked. The person may change them
	// meanwhile.
	Variants func() ([]probe.Variant, error)
	// Queue holds the cascades that are still to be archived.
	Queue Queue
	Log   *slog.Logger
}

// errNotKept says that no such conversation is open.
var errNotKept = &chat.Failure{Code: chat.ConversationGone}

// Engine asks models through the editor's Cascade. It is a [chat.Engine].
type Engine struct {
	parts EngineParts

	mu       sync.Mutex // guards what is below, held during the search for a server
	session  *probe.Session
	client   *Client
	variants []probe.Variant // the search for the session covered these

	keeping sync.Mutex               // guards kept
	kept    map[string]*conversation // that are open for further prompts, by cascade
}

// New returns an Engine. It looks for a server at the first question, and then keeps
// it.
func New(p EngineParts) *Engine { return &Engine{parts: p, kept: map[string]*conversation{}} }

// ID returns "cascade".
func (*Engine) ID() string { return chat.Cascade }

// Models asks the current server. If that does not answer, it looks for another one.
func (e *Engine) Models(ctx context.Context) (chat.Catalogue, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.forgetOther(); err != nil {
		return chat.Catalogue{}, err
	}
	if e.session != nil {
		status, err := e.session.UserStatus(ctx)
		if err == nil {
			return models.Decode(status)
		}
		e.drop()
		if ctx.Err() != nil {
			return chat.Catalogue{}, ctx.Err()
		}
	}
	status, err := e.find(ctx)
	if err != nil {
		return chat.Catalogue{}, err
	}
	return models.Decode(status)
}

// Ask sends a prompt in a new cascade, or in one that is open, and archives that cascade
// however the turn ends, unless it is to be kept. Until then the cascade is queued, so
// that the next process archives it if this one is killed. The error is a *chat.Failure,
// an error of package probe, or ctx's.
func (e *Engine) Ask(ctx context.Context, p chat.Prompt, tell func(chat.Event)) (chat.Answer, error) {
	c, err := e.conversation(ctx, p.Further)
	if err != nil {
		return chat.Answer{}, err
	}
	if !c.busy.TryLock() {
		return chat.Answer{Ref: p.Further, Left: chat.LeftOpen}, &chat.Failure{Code: chat.Busy, App: c.began.App}
	}
	defer c.busy.Unlock()
	if p.Further != "" && e.keptAs(p.Further) != c { // it has just been ended
		return chat.Answer{}, errNotKept
	}
	t := turn{conversation: c, tell: tell}
	answer, err := t.run(ctx, p)
	e.keeping.Lock()
	defer e.keeping.Unlock()
	if answer.Left == chat.LeftOpen {
		e.kept[answer.Ref] = c
	} else {
		delete(e.kept, answer.Ref)
	}
	return answer, err
}

// End archives a cascade that a prompt has kept open.
func (e *Engine) End(ctx context.Context, ref string) chat.Leftover {
	c := e.keptAs(ref)
	if c == nil {
		return chat.NothingLeft
	}
	c.busy.Lock()
	defer c.busy.Unlock()
	if e.keptAs(ref) != c { // its turn has ended it
		return chat.NothingLeft
	}
	left := c.end(context.WithoutCancel(ctx))
	e.keeping.Lock()
	defer e.keeping.Unlock()
	delete(e.kept, ref)
	return left
}

// Close releases the server. The next question looks for one again.
func (e *Engine) Close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.drop()
}

// conversation is the one of that name, or a new one for an empty name.
func (e *Engine) conversation(ctx context.Context, ref string) (*conversation, error) {
	if ref != "" {
		if c := e.keptAs(ref); c != nil {
			return c, nil
		}
		return nil, errNotKept
	}
	client, err := e.open(ctx)
	if err != nil {
		return nil, err
	}
	return &conversation{cascades: client, queue: e.parts.Queue, log: e.parts.Log}, nil
}

func (e *Engine) keptAs(ref string) *conversation {
	e.keeping.Lock()
	defer e.keeping.Unlock()
	return e.kept[ref]
}

func (e *Engine) open(ctx context.Context) (*Client, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.forgetOther(); err != nil {
		return nil, err
	}
	if e.client == nil {
		if _, err := e.find(ctx); err != nil {
			return nil, err
		}
	}
	return e.client, nil
}

// forgetOther releases the server if its editor may no longer be asked.
func (e *Engine) forgetOther() error {
	variants, err := e.parts.Variants()
	if err != nil {
		return err
	}
	if !slices.EqualFunc(variants, e.variants, func(a, b probe.Variant) bool { return a.ID == b.ID }) {
		e.drop()
		e.variants = variants
	}
	return nil
}

func (e *Engine) find(ctx context.Context) (status []byte, err error) {
	status, session, err := e.parts.Finder.UserStatus(ctx, e.variants)
	if err != nil {
		return nil, err
	}
	e.session, e.client = session, NewClient(session)
	return status, nil
}

func (e *Engine) drop() {
	if e.session != nil {
		e.session.Close()
		e.session, e.client = nil, nil
	}
}
