package cascade

import (
	"context"
	"errors"
	"slices"
	"time"

	"windsock/chat"
	"windsock/probe"
	pb "windsock/probe/languageserver"
	"windsock/probe/terminal"
)

const (
	// pollQuick is the pause after something was new, pollSlow the longest one.
	pollQuick = 50 * time.Millisecond
	pollSlow  = 500 * time.Millisecond
	// pollFirst is the longest pause while the first text is awaited, for the first
	// eager seconds: that is when a person looks at an empty screen.
	pollFirst = 80 * time.Millisecond
	eager     = 15 * time.Second
	// quiet is how long nothing is new before the run status is asked for, which
	// comes with all steps.
	quiet = 400 * time.Millisecond
	// settle is how long an ended turn is watched for text that is written anew.
	settle = 150 * time.Millisecond
	// coldStart is how long a turn may be idle before it begins: 600 ms were seen
	// (PROTOCOL.md 7.4).
	coldStart = 15 * time.Second
	// settleSteps is how long steps without text say nothing of a beginning: a server
	// may look up memories before the turn runs.
	settleSteps = 5 * time.Second
	// patience is how long a turn may wait for a person: the editor may answer for
	// itself.
	patience = 5 * time.Second
	// maxCuts is how many transcripts may end in the middle: an answer may pause in
	// what looks like the beginning of a header.
	maxCuts = 4
	// blips is how many reads in a row may fail before the turn does.
	blips = 3
)

// watch is the state of following one turn.
type watch struct {
	follower *follower
	sent     time.Time
	changed  time.Time // when something was new last
	checked  time.Time // when the run status was asked for last
	pause    time.Duration
	ran      bool // the server said that it runs
	idle     int  // how often in a row it said that it does not
	failures int  // reads in a row that failed
	cuts     int  // transcripts in a row that seemed to lack their end
	noSteps  bool // the steps are not to be had
	bySteps  bool // the transcript is not to be had, or not to be trusted
	blind    bool // the run status is not to be had
	known    trajectory
	waiting  time.Time // since when the turn waits for a person; zero if it does not
}

// follow polls until the turn has ended.
func (t *turn) follow(ctx context.Context, prompt string, answer *chat.Answer) error {
	now := time.Now()
	w := watch{follower: newFollower(prompt), sent: now, changed: now, checked: now, pause: pollQuick}
	for {
		ended, err := t.poll(ctx, &w)
		answer.Text, answer.Cost = w.follower.answer(), w.known.cost()
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

// cut is the error of a turn whose time is over.
func (t *turn) cut(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return &chat.Failure{Code: chat.TimedOut, App: t.began.App, Cause: ctx.Err()}
	}
	return ctx.Err()
}

// conclude says how the turn ended.
func (t *turn) conclude(w *watch, answer *chat.Answer) error {
	if words, failed := w.known.failed(); failed || w.follower.state().failed && len(w.known.steps) == 0 {
		return &chat.Failure{Code: meaning(words), App: t.began.App, Words: terminal.Short(words)}
	}
	answer.ToolOnly = answer.Text == "" && w.follower.state().tools
	return nil
}

// poll reads once, tells what is new, and reports whether the turn has ended.
func (t *turn) poll(ctx context.Context, w *watch) (ended bool, _ error) {
	if err := t.read(ctx, w); err != nil {
		return false, t.tolerate(w, err)
	}
	if !w.due() {
		return false, nil
	}
	w.checked = time.Now()
	switch known, err := t.trajectory(ctx, t.id); {
	case errors.Is(err, ErrUnsupported):
		w.blind = true
	case err != nil:
		return false, t.tolerate(w, err)
	default:
		w.known, w.failures = known, 0
	}
	return t.judge(w)
}

// read takes in what there is of the answer.
func (t *turn) read(ctx context.Context, w *watch) error {
	var events []event
	if !w.bySteps {
		text, err := t.transcript(ctx, t.id)
		switch {
		case errors.Is(err, ErrUnsupported):
			w.bySteps = true
		case err != nil:
			return err
		default:
			events = w.follower.transcript(text)
			w.cuts++
			if !w.follower.state().cut {
				w.cuts = 0
			}
			w.bySteps = w.cuts >= maxCuts && !w.noSteps
		}
	}
	if w.bySteps {
		known, err := t.steps(ctx, t.id)
		if errors.Is(err, ErrUnsupported) && w.cuts > 0 {
			w.bySteps, w.noSteps = false, true
			return nil
		}
		if err != nil {
			return err
		}
		w.known.steps = known.steps
		if messages := known.messages(); messages != nil {
			events = append(events, w.follower.update(messages)...)
		}
	}
	if t.server() != t.began {
		return errMoved
	}
	w.failures = 0
	t.deliver(w, events)
	return nil
}

// errMoved says that another server answers than the one that runs the turn.
var errMoved = errors.New("another server answers now")

// deliver tells events as what they mean for the answer as a whole.
func (t *turn) deliver(w *watch, events []event) {
	if len(events) == 0 {
		w.pause = w.pause * 3 / 2
		return
	}
	w.changed, w.pause, w.idle = time.Now(), pollQuick, 0
	rewritten := slices.ContainsFunc(events, func(e event) bool { return e.kind == eventRewrite })
	for _, e := range events {
		switch {
		case e.kind == eventTool:
			t.tell(chat.Event{Kind: chat.Works, Text: e.text})
		case e.kind == eventAppend && !rewritten:
			t.tell(chat.Event{Kind: chat.Grows, Text: e.lead + e.text})
		}
	}
	if rewritten {
		t.tell(chat.Event{Kind: chat.Changes, Text: w.follower.answer()})
	}
}

// next is how long to wait before the next poll.
func (w *watch) next() time.Duration {
	state := w.follower.state()
	longest := pollSlow
	switch {
	case state.ended || state.failed || w.idle > 0:
		longest = pollQuick
	case !state.answered && time.Since(w.sent) < eager:
		longest = pollFirst
	}
	w.pause = min(w.pause, longest)
	return w.pause
}

// due reports whether it is time to ask for the run status: where the answer
// looks ended, or when nothing is new for a while.
func (w *watch) due() bool {
	state, now := w.follower.state(), time.Now()
	if state.ended || state.failed || w.idle > 0 {
		return true
	}
	return now.Sub(w.changed) >= quiet && now.Sub(w.checked) >= pollSlow
}

// judge reports whether the turn has ended: the server says twice in a row that
// nothing runs, after something did, and nothing was written anew meanwhile. A
// checkpoint may stand in the middle of a long turn, so it is no end by itself
// where there is a run status.
func (t *turn) judge(w *watch) (ended bool, _ error) {
	state, now := w.follower.state(), time.Now()
	steps, _ := w.known.afterPrompt()
	begun := w.ran || state.answered || state.ended || state.failed || len(steps) > 0 && now.Sub(w.sent) >= settleSteps
	switch {
	case w.blind || w.known.status == pb.CascadeRunStatus_CASCADE_RUN_STATUS_UNSPECIFIED:
		still := now.Sub(w.changed)
		ended = state.ended && still >= pollSlow || begun && still >= 4*pollSlow
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
	if ended && state.doubtful && !w.bySteps {
		// Where a message begins had to be guessed; the steps know.
		w.bySteps, w.idle = true, 0
		return false, nil
	}
	return ended, nil
}

// tolerate decides what a failed read means: nothing, where it may be a matter
// of the moment.
func (t *turn) tolerate(w *watch, err error) error {
	call, isCall := errors.AsType[*probe.Failure](err)
	if errors.Is(err, errMoved) || isCall && call.Gone() || t.server() != t.began {
		return &chat.Failure{Code: chat.ServerGone, App: t.began.App, Cause: err}
	}
	w.failures++
	if w.failures < blips || !w.follower.state().seen && time.Since(w.sent) < coldStart {
		return nil
	}
	return err
}
