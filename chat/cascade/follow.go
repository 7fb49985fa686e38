package cascade

import (
	"context"
	"errors"
	"time"

	"windsock/chat"
	"windsock/probe"
	"windsock/probe/terminal"
)

const (
	// pollQuick is the pause after news, pollSlow the longest pause.
	pollQuick = 50 * time.Millisecond
	pollSlow  = 500 * time.Millisecond
	// pollFirst is the longest pause before the first text, for the first eager
	// seconds: a person is looking at an empty screen then.
	pollFirst = 80 * time.Millisecond
	eager     = 15 * time.Second
	// quiet is how long nothing must be new before the run status is requested, which
	// comes with all steps.
	quiet = 400 * time.Millisecond
	// settle is how long an ended turn is watched for rewritten text.
	settle = 150 * time.Millisecond
	// coldStart is how long a turn may be idle before it begins: up to 600 ms were
	// observed (PROTOCOL.md 7.4).
	coldStart = 15 * time.Second
	// settleSteps is how long steps without text do not count as a beginning: a server
	// may look up memories before the turn runs.
	settleSteps = 5 * time.Second
	// patience is how long a turn may wait for a person: the editor may give the answer
	// by itself.
	patience = 5 * time.Second
	// blips is how many consecutive failed reads fail the turn.
	blips = 3
)

// watch is the state of following one turn.
type watch struct {
	prompt   string
	sent     time.Time
	changed  time.Time // when something was new last
	checked  time.Time // when the run status was requested last
	pause    time.Duration
	ran      bool      // the server reported a running turn
	idle     int       // consecutive reports of an idle turn
	failures int       // consecutive failed reads
	waiting  time.Time // since when the turn waits for a person; zero if it does not

	// byTranscript: the server has no call for steps, so the answer is read from the
	// transcript.
	byTranscript bool
	known        trajectory // from the turn's base on
	progress     progress
}

// follow polls until the turn has ended.
func (t *turn) follow(ctx context.Context, prompt string, answer *chat.Answer) error {
	now := time.Now()
	w := watch{prompt: prompt, sent: now, changed: now, checked: now, pause: pollQuick}
	for {
		ended, err := t.poll(ctx, &w)
		answer.Text, answer.Cost, answer.Tokens = w.progress.answer, w.known.cost(), w.known.tokens()
		switch {
		case ctx.Err() != nil:
			return t.cut(ctx)
		case err != nil:
			return err
		case ended:
			return t.conclude(&w, answer)
		}
		if !pause(ctx, w.next()) {
			return t.cut(ctx)
		}
	}
}

// cut is the error of a turn that ran out of time.
func (t *turn) cut(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return &chat.Failure{Code: chat.TimedOut, App: t.began.App, Cause: ctx.Err()}
	}
	return ctx.Err()
}

// conclude returns how the turn ended.
func (t *turn) conclude(w *watch, answer *chat.Answer) error {
	if words, failed := w.known.failed(); failed {
		return &chat.Failure{Code: meaning(words), App: t.began.App, Words: terminal.Short(words)}
	}
	answer.ToolOnly = answer.Text == "" && w.progress.tools()
	return nil
}

// poll reads once, reports what is new, and returns whether the turn has ended.
func (t *turn) poll(ctx context.Context, w *watch) (ended bool, _ error) {
	if err := t.read(ctx, w); err != nil {
		return false, t.tolerate(w, err)
	}
	if !w.due() {
		return false, nil
	}
	w.checked = time.Now()
	known, err := t.trajectory(ctx, t.id)
	if err != nil {
		return false, t.tolerate(w, err)
	}
	w.known, w.failures = known.behind(t.base), 0
	if !w.byTranscript { // a finished step may have been rewritten
		t.deliver(w, known.afterPrompt())
	}
	return t.judge(w)
}

// read reads the answer so far: the steps from the first that may still change, or the
// transcript. The first poll finds out which of the two the server has.
func (t *turn) read(ctx context.Context, w *watch) error {
	var shown []trajectoryStep
	if !w.byTranscript {
		from := w.known.unfinished()
		steps, err := t.steps(ctx, t.id, t.base+from)
		switch {
		case errors.Is(err, ErrUnsupported) && from == 0:
			w.byTranscript = true
		case err != nil:
			return err
		default:
			w.known.steps = append(w.known.steps[:from], steps...)
			shown = w.known.afterPrompt()
		}
	}
	if w.byTranscript {
		text, err := t.transcript(ctx, t.id)
		if err != nil {
			return err
		}
		if shown, err = readTranscript(text, w.prompt, t.base); err != nil {
			return &chat.Failure{Code: chat.TurnFailed, App: t.began.App, Words: err.Error(), Cause: err}
		}
	}
	if t.server() != t.began {
		return errMoved
	}
	w.failures = 0
	if !t.deliver(w, shown) {
		w.pause = w.pause * 3 / 2
	}
	return nil
}

// errMoved says that another server now answers than the one that runs the turn.
var errMoved = errors.New("another server answers now")

// deliver reports what is new, and returns whether anything is.
func (t *turn) deliver(w *watch, steps []trajectoryStep) bool {
	events := w.progress.update(steps)
	if len(events) == 0 {
		return false
	}
	w.changed, w.pause, w.idle = time.Now(), pollQuick, 0
	for _, e := range events {
		t.tell(e)
	}
	return true
}

// next returns the pause before the next poll.
func (w *watch) next() time.Duration {
	longest := pollSlow
	switch {
	case w.mayEnd():
		longest = pollQuick
	case w.progress.answer == "" && time.Since(w.sent) < eager:
		longest = pollFirst
	}
	w.pause = min(w.pause, longest)
	return w.pause
}

// mayEnd reports whether the answer looks ended.
func (w *watch) mayEnd() bool { return w.progress.ended() || w.progress.failed() || w.idle > 0 }

// due reports whether it is time to request the run status: the answer looks ended, or
// nothing has been new for a while.
func (w *watch) due() bool {
	now := time.Now()
	return w.mayEnd() || now.Sub(w.changed) >= quiet && now.Sub(w.checked) >= pollSlow
}

// judge reports whether the turn has ended: it had begun, the server says twice in a
// row that nothing runs, and nothing was rewritten meanwhile. A checkpoint alone is no
// end: it may stand in the middle of a long turn.
func (t *turn) judge(w *watch) (ended bool, _ error) {
	now := time.Now()
	begun := w.ran || w.progress.answer != "" || w.mayEnd() ||
		len(w.known.afterPrompt()) > 0 && now.Sub(w.sent) >= settleSteps
	switch {
	case !w.known.idle():
		w.ran, w.idle = true, 0
	case begun:
		w.idle++
		ended = w.idle >= 2 && now.Sub(w.changed) >= settle
	}
	switch {
	case !w.known.waits():
		w.waiting = time.Time{}
	case w.waiting.IsZero():
		w.waiting = now
	case now.Sub(w.waiting) >= patience:
		return false, &chat.Failure{Code: chat.NeedsPerson, App: t.began.App, Cause: errors.New("a step waits")}
	}
	if !begun && now.Sub(w.sent) >= coldStart {
		return false, &chat.Failure{Code: chat.TurnFailed, App: t.began.App, Cause: errors.New("the turn did not begin")}
	}
	return ended, nil
}

// tolerate returns nil for a failed read that may be temporary, else the turn's error.
func (t *turn) tolerate(w *watch, err error) error {
	call, isCall := errors.AsType[*probe.Failure](err)
	if errors.Is(err, errMoved) || isCall && call.Gone() || t.server() != t.began {
		return &chat.Failure{Code: chat.ServerGone, App: t.began.App, Cause: err}
	}
	w.failures++
	if w.failures < blips || len(w.progress.steps) == 0 && time.Since(w.sent) < coldStart {
		return nil
	}
	return err
}
