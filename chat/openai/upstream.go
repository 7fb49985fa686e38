package openai

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"windsock/chat"
	"windsock/chat/cascade"
	"windsock/chat/models"
)

// Asker sends prompts; *chat.Client is one.
type Asker interface {
	Ask(ctx context.Context, prompt chat.Prompt, queue *cascade.Queue, tell func(chat.Event), logger *slog.Logger) (chat.Answer, error)
}

// Connection is a language server that prompts can be sent to. Its parts may be
// used from several goroutines at once, also after Close.
type Connection struct {
	Client Asker
	// Status is the server's GetUserStatus answer, which has the models, and Refresh
	// asks for it anew.
	Status  []byte
	Refresh func(context.Context) ([]byte, error)
	// Close lets go of it.
	Close func()
}

// upstream is the server that is asked, found when there is a question and kept
// from one to the next.
type upstream struct {
	connect func(context.Context) (Connection, error)
	turn    chan struct{} // holds one; whoever takes it has what is below
	at      time.Time
	current *Connection
	models  chat.Catalogue
}

func newUpstream(connect func(context.Context) (Connection, error)) *upstream {
	u := &upstream{connect: connect, turn: make(chan struct{}, 1)}
	u.turn <- struct{}{}
	return u
}

// get returns a client and the models of the plan, which were asked for at most
// so long ago.
func (u *upstream) get(ctx context.Context, age time.Duration) (Asker, chat.Catalogue, error) {
	select {
	case <-u.turn:
	case <-ctx.Done():
		return nil, chat.Catalogue{}, ctx.Err()
	}
	defer func() { u.turn <- struct{}{} }()
	if u.current != nil && time.Since(u.at) < age {
		return u.current.Client, u.models, nil
	}
	if err := u.renew(ctx); err != nil {
		return nil, chat.Catalogue{}, err
	}
	models, err := models.Decode(u.current.Status)
	if err != nil {
		return nil, chat.Catalogue{}, err
	}
	u.models, u.at = models, time.Now()
	return u.current.Client, models, nil
}

// renew asks the server that there is, and looks for another one where it does
// not answer.
func (u *upstream) renew(ctx context.Context) error {
	if u.current != nil {
		status, err := u.current.Refresh(ctx)
		if err == nil {
			u.current.Status = status
			return nil
		}
		u.drop()
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	found, err := u.connect(ctx)
	if err != nil {
		return err
	}
	u.current = &found
	return nil
}

func (u *upstream) drop() {
	if u.current != nil {
		u.current.Close()
		u.current = nil
	}
}

// distrust has the next question look at the server first, where an answer's
// error may be one of the server and not of the question.
func (u *upstream) distrust(err error) {
	if err == nil || errors.Is(err, context.Canceled) {
		return
	}
	<-u.turn
	u.at = time.Time{}
	u.turn <- struct{}{}
}

func (u *upstream) close() {
	<-u.turn
	u.drop()
	u.turn <- struct{}{}
}
