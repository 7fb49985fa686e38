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

// Engine asks models through the editor's Cascade. It is a [chat.Engine].
type Engine struct {
	parts EngineParts

	mu       sync.Mutex // guards what is below, held during the search for a server
	session  *probe.Session
	client   *Client
	variants []probe.Variant // the search for the session covered these
}

// New returns an Engine. It looks for a server at the first question, and then keeps
// it.
func New(p EngineParts) *Engine { return &Engine{parts: p} }

// ID returns "cascade".
func (*Engine) ID() string { return "cascade" }

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

// Ask sends a prompt in a new cascade, and archives that cascade however the turn ends.
// Until then the cascade is queued, so that the next process archives it if this one is
// killed. The error is a *chat.Failure, an error of package probe, or ctx's.
func (e *Engine) Ask(ctx context.Context, p chat.Prompt, tell func(chat.Event)) (chat.Answer, error) {
	if p.Further != "" { // no cascade is kept
		return chat.Answer{}, &chat.Failure{Code: chat.ConversationGone}
	}
	client, err := e.open(ctx)
	if err != nil {
		return chat.Answer{}, err
	}
	t := turn{cascades: client, queue: e.parts.Queue, tell: tell, log: e.parts.Log}
	return t.run(ctx, p)
}

// End does nothing: each cascade is archived with its prompt.
func (*Engine) End(context.Context, string) chat.Leftover { return chat.NothingLeft }

// Close releases the server. The next question looks for one again.
func (e *Engine) Close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.drop()
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
