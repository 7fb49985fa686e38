package cascade

import (
	"cmp"
	"context"
	"errors"
	"time"

	"windsock/chat"
	"windsock/probe"
)

// turn is one prompt under way.
type turn struct {
	*conversation

	tell func(chat.Event)
	// base is how many steps the cascade had before the prompt. The turn's own begin
	// behind them: a step keeps its index (PROTOCOL.md 7.4).
	base int
	// further says that the cascade was open before.
	further bool
}

func (t *turn) run(ctx context.Context, prompt chat.Prompt) (answer chat.Answer, err error) {
	started := time.Now()
	t.model = cmp.Or(prompt.Model, t.model)
	prompt.Model = t.model
	if t.id == "" {
		err = t.prepare(ctx, prompt)
	} else {
		answer.Ref, t.further = t.id, true
		err = t.resume(ctx, prompt)
	}
	if err != nil {
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			err = &chat.Failure{Code: chat.TimedOut, App: t.server().App, Cause: err}
		}
		if answer.Ref != "" {
			answer.Left = t.unsent(context.WithoutCancel(ctx), prompt, err)
		}
		return answer, err
	}
	held := (prompt.Keep || t.further) && t.hold(ctx, t.prompts+1)
	t.prompts++
	answer.Ref = t.id
	defer func() {
		answer.Duration = time.Since(started)
		answer.Left = t.tidy(context.WithoutCancel(ctx), prompt.Keep && held, answer, err)
	}()
	answer.Sent = true
	if err := t.begin(ctx, prompt); err != nil {
		if call, ok := errors.AsType[*probe.Failure](err); ok && call.Refused() {
			t.prompts--
			if held {
				t.hold(ctx, t.prompts)
			}
		}
		return answer, err
	}
	err = t.follow(ctx, prompt.Text, &answer)
	return answer, err
}

// prepare does everything before the first message.
func (t *turn) prepare(ctx context.Context, prompt chat.Prompt) error {
	if err := t.capacity(ctx, prompt.Model); err != nil {
		return err
	}
	if err := t.setUp(ctx, false); err != nil {
		return err
	}
	return t.open(ctx)
}

// resume does everything before a further message. The conversation is gone with the
// server that it began in.
func (t *turn) resume(ctx context.Context, prompt chat.Prompt) error {
	known, err := t.trajectory(ctx, t.id)
	call, isCall := errors.AsType[*probe.Failure](err)
	switch {
	case isUnknown(err) || isCall && call.Gone() || t.server() != t.began:
		return &chat.Failure{Code: chat.ConversationGone, App: t.began.App, Cause: err}
	case err != nil:
		return err
	case !known.idle():
		return &chat.Failure{Code: chat.Busy, App: t.began.App, Cause: errRuns}
	}
	t.base = len(known.steps)
	return t.capacity(ctx, prompt.Model)
}

// begin sends the message. It sends it once more if the server rejects it for want of
// the panel's state.
func (t *turn) begin(ctx context.Context, prompt chat.Prompt) error {
	err := t.send(ctx, t.id, prompt)
	if !errors.Is(err, errPanel) {
		return err
	}
	if err := t.setUp(ctx, true); err != nil {
		return err
	}
	return t.send(ctx, t.id, prompt)
}

// unsent is what is left after a further prompt that was not sent: the conversation
// itself, unless it is gone. A later run archives that one, should a server know it.
func (t *turn) unsent(ctx context.Context, prompt chat.Prompt, why error) chat.Leftover {
	failure, ok := errors.AsType[*chat.Failure](why)
	switch {
	case ok && failure.Code == chat.ConversationGone:
		return t.leave(ctx)
	case prompt.Keep:
		return chat.LeftOpen
	default:
		return t.end(ctx)
	}
}

// tidy ends a turn that may still run, and archives the cascade or leaves it open.
func (t *turn) tidy(ctx context.Context, keep bool, answer chat.Answer, failed error) chat.Leftover {
	ctx, cancel := context.WithTimeout(ctx, chat.TidyTime)
	defer cancel()
	t.answered = t.answered || failed == nil || answer.Text != ""
	if failed != nil {
		t.stop(ctx)
	}
	if keep && t.answered && t.server() == t.began && (failed == nil || t.settles(ctx)) {
		return chat.LeftOpen
	}
	if t.further {
		return t.end(ctx)
	}
	return t.putAway(ctx)
}
