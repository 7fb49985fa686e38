package cascade

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"windsock/chat"
	"windsock/probe"
)

// cascades is what a turn asks of a server; Client is one.
type cascades interface {
	server() probe.Server
	setUp(ctx context.Context, again bool) error
	capacity(ctx context.Context, modelUID string) error
	start(ctx context.Context) (cascadeID string, _ error)
	send(ctx context.Context, cascadeID, text, modelUID string) error
	transcript(ctx context.Context, cascadeID string) (string, error)
	trajectory(ctx context.Context, cascadeID string) (trajectory, error)
	steps(ctx context.Context, cascadeID string, from int) ([]trajectoryStep, error)
	cancel(ctx context.Context, cascadeID string) error
	Archive(ctx context.Context, cascadeID string, archived bool) error
}

// turn is one prompt under way.
type turn struct {
	cascades

	queue Queue
	tell  func(chat.Event)
	log   *slog.Logger
	began probe.Server // the server that runs the turn
	id    string       // of the cascade
	noted bool         // the queue has its id
	// standIn is the queue's entry while the id is not noted.
	standIn standIn
}

// standIn stands for a cascade that is about to be started.
type standIn struct{ variant, id string }

func (t *turn) run(ctx context.Context, prompt chat.Prompt) (answer chat.Answer, err error) {
	started := time.Now()
	id, err := t.prepare(ctx, prompt)
	if err != nil {
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			err = &chat.Failure{Code: chat.TimedOut, App: t.server().App, Cause: err}
		}
		return chat.Answer{}, err
	}
	t.id, answer.Ref = id, id
	defer func() {
		answer.Duration = time.Since(started)
		switch archived := t.putAway(context.WithoutCancel(ctx), err != nil); {
		case archived:
		case t.noted:
			answer.Left = chat.LeftForNow
		default: // the server cannot archive, or the queue was not written
			answer.Left = chat.LeftForGood
		}
	}()
	answer.Sent = true
	if err := t.begin(ctx, prompt); err != nil {
		return answer, err
	}
	err = t.follow(ctx, prompt.Text, &answer)
	return answer, err
}

// prepare does everything before the message.
func (t *turn) prepare(ctx context.Context, prompt chat.Prompt) (id string, _ error) {
	if err := t.capacity(ctx, prompt.Model); err != nil {
		return "", err
	}
	if err := t.setUp(ctx, false); err != nil {
		return "", err
	}
	return t.open(ctx)
}

// open starts the cascade. The queue has the stand-in or the cascade itself from
// before the start until it is archived.
func (t *turn) open(ctx context.Context) (id string, _ error) {
	t.standIn = standIn{t.server().Variant, intent + uuid.NewString()}
	t.note(ctx, t.queue.Add, t.standIn.variant, t.standIn.id)
	id, err := t.start(ctx)
	t.began = t.server()
	if err == nil {
		t.noted = t.note(ctx, t.queue.Add, t.began.Variant, id)
	}
	if call, ok := errors.AsType[*probe.Failure](err); t.noted || ok && call.Refused() {
		t.note(ctx, t.queue.Remove, t.standIn.variant, t.standIn.id)
	}
	return id, err
}

// strike removes the cascade, or its stand-in, from the queue.
func (t *turn) strike(ctx context.Context) {
	t.note(ctx, t.queue.Remove, t.began.Variant, t.id)
	if !t.noted {
		t.note(ctx, t.queue.Remove, t.standIn.variant, t.standIn.id)
	}
	t.noted = false
}

func (t *turn) note(ctx context.Context, do func(ctx context.Context, variant, id string) error, variant, id string) bool {
	err := do(context.WithoutCancel(ctx), variant, id)
	if err != nil {
		t.log.WarnContext(ctx, "cascades to be archived not noted", slog.Any("err", err))
	}
	return err == nil
}

// begin sends the message. It sends it once more if the server rejects it for want of
// the panel's state.
func (t *turn) begin(ctx context.Context, prompt chat.Prompt) error {
	err := t.send(ctx, t.id, prompt.Text, prompt.Model)
	if !errors.Is(err, errPanel) {
		return err
	}
	if err := t.setUp(ctx, true); err != nil {
		return err
	}
	return t.send(ctx, t.id, prompt.Text, prompt.Model)
}

// putAway archives the cascade, and first cancels a turn that may still run. A server
// that is still cancelling refuses for a moment.
func (t *turn) putAway(ctx context.Context, running bool) (archived bool) {
	ctx, cancel := context.WithTimeout(ctx, chat.TidyTime)
	defer cancel()
	if running {
		if err := t.cancel(ctx, t.id); err != nil {
			t.log.DebugContext(ctx, "turn not cancelled", slog.Any("err", err))
		}
	}
	for {
		err := t.Archive(ctx, t.id, true)
		if err == nil {
			break
		}
		unsupported := errors.Is(err, ErrUnsupported)
		if unsupported { // and will be at every start
			t.strike(ctx)
		}
		if unsupported || !pause(ctx, pollSlow) {
			t.log.WarnContext(ctx, "cascade not archived", slog.Any("err", err))
			return false
		}
	}
	t.strike(ctx)
	return true
}

// pause reports whether the time passed before the end of ctx.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
