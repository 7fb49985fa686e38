package cascade

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"

	"windsock/chat"
	"windsock/probe"
)

// settleTime is how long a cancelled turn has to end before its cascade is given up as
// one that further prompts could go on in. With the archiving after it, it is within
// chat.TidyTime, or little more at the end of Windsock.
const settleTime = 1500 * time.Millisecond

// cascades is what a conversation asks of a server; Client is one.
type cascades interface {
	server() probe.Server
	setUp(ctx context.Context, again bool) error
	capacity(ctx context.Context, modelUID string) error
	start(ctx context.Context) (cascadeID string, _ error)
	send(ctx context.Context, cascadeID string, prompt chat.Prompt) error
	transcript(ctx context.Context, cascadeID string) (string, error)
	trajectory(ctx context.Context, cascadeID string) (trajectory, error)
	steps(ctx context.Context, cascadeID string, from int) ([]trajectoryStep, error)
	cancel(ctx context.Context, cascadeID string) error
	Archive(ctx context.Context, cascadeID string, archived bool) error
}

// conversation is a cascade of Windsock's, from before its start until it is archived.
type conversation struct {
	cascades

	queue Queue
	log   *slog.Logger
	busy  sync.Mutex // held by its turn, and by its end

	model string       // UID, of its last prompt
	began probe.Server // the server that runs it
	id    string       // of the cascade
	noted bool         // the queue has its id
	// standIn is the queue's entry while the id is not noted.
	standIn standIn
	// prompts is how many of Windsock's the server may have taken, and answered says that
	// one has an answer.
	prompts  int
	answered bool
}

// standIn stands for a cascade that is about to be started.
type standIn struct{ variant, id string }

// open starts the cascade. The queue has the stand-in or the cascade itself from
// before the start until it is archived.
func (c *conversation) open(ctx context.Context) error {
	c.standIn = standIn{c.server().Variant, intent + uuid.NewString()}
	c.note(ctx, c.queue.Add, c.standIn.variant, c.standIn.id)
	id, err := c.start(ctx)
	c.began, c.id = c.server(), id
	if err == nil {
		c.noted = c.note(ctx, c.queue.Add, c.began.Variant, id)
	}
	if call, ok := errors.AsType[*probe.Failure](err); c.noted || ok && call.Refused() {
		c.note(ctx, c.queue.Remove, c.standIn.variant, c.standIn.id)
	}
	return err
}

// hold notes that the cascade is not to be archived by others while this process lives,
// and has had that many prompts. Only a cascade that is noted is kept.
func (c *conversation) hold(ctx context.Context, prompts int) (held bool) {
	return c.noted && c.note(ctx, func(ctx context.Context, variant, id string) error {
		return c.queue.Hold(ctx, variant, id, prompts)
	}, c.began.Variant, c.id)
}

// strike removes the cascade, or its stand-in, from the queue.
func (c *conversation) strike(ctx context.Context) {
	c.note(ctx, c.queue.Remove, c.began.Variant, c.id)
	if !c.noted {
		c.note(ctx, c.queue.Remove, c.standIn.variant, c.standIn.id)
	}
	c.noted = false
}

func (c *conversation) note(ctx context.Context, do func(ctx context.Context, variant, id string) error, variant, id string) bool {
	err := do(context.WithoutCancel(ctx), variant, id)
	if err != nil {
		c.log.WarnContext(ctx, "cascades to be archived not noted", slog.Any("err", err))
	}
	return err == nil
}

// stop cancels a turn that may still run.
func (c *conversation) stop(ctx context.Context) {
	if err := c.cancel(ctx, c.id); err != nil {
		c.log.DebugContext(ctx, "turn not cancelled", slog.Any("err", err))
	}
}

// settles reports whether nothing runs in the cascade any more.
func (c *conversation) settles(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, settleTime)
	defer cancel()
	for {
		known, err := c.trajectory(ctx, c.id)
		switch {
		case err == nil && known.idle() && c.server() == c.began:
			return true
		case err != nil || !pause(ctx, pollQuick):
			return false
		}
	}
}

// end archives a cascade that was kept open, unless the person has continued it in the
// editor: it is theirs then. Where the server does not tell, a later run looks again.
func (c *conversation) end(ctx context.Context) chat.Leftover {
	ctx, cancel := context.WithTimeout(ctx, chat.TidyTime)
	defer cancel()
	known, err := c.trajectory(ctx, c.id)
	switch {
	case err == nil && known.prompts() > c.prompts:
		c.strike(ctx)
		return chat.LeftForGood
	case err != nil && c.noted && !errors.Is(err, ErrUnsupported):
		c.log.WarnContext(ctx, "cascade not looked at", slog.Any("err", err))
		return c.leave(ctx)
	}
	return c.putAway(ctx)
}

// putAway archives the cascade. A server that is still cancelling refuses for a moment.
func (c *conversation) putAway(ctx context.Context) chat.Leftover {
	for {
		err := c.Archive(ctx, c.id, true)
		if err == nil {
			break
		}
		unsupported := errors.Is(err, ErrUnsupported)
		if unsupported { // and will be at every start
			c.strike(ctx)
		}
		if unsupported || !pause(ctx, pollSlow) {
			c.log.WarnContext(ctx, "cascade not archived", slog.Any("err", err))
			return c.leave(ctx)
		}
	}
	c.strike(ctx)
	return chat.NothingLeft
}

// leave leaves the cascade to a later run, if the queue has it.
func (c *conversation) leave(ctx context.Context) chat.Leftover {
	if !c.noted { // the server cannot archive, or the queue was not written
		return chat.LeftForGood
	}
	c.note(ctx, c.queue.Release, c.began.Variant, c.id)
	return chat.LeftForNow
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
