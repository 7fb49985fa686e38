package tray

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"windsock/tray/desktop"
	"windsock/usage"
	"windsock/usage/alert"
	"windsock/usage/poll"
	"windsock/usage/words"
)

// Notifier shows a notification. It returns when the desktop has accepted it, possibly
// after starting a program that shows it.
type Notifier interface {
	Notify(n desktop.Notification) error
	// Withdraw takes what is still shown about a subject off the screen, and does not wait
	// for that.
	Withdraw(subject any)
}

// Links are where a person can go from a warning. What is nil is not offered.
type Links struct {
	// Usage shows the usage view of a plan, by its name.
	Usage func(ctx context.Context, plan string) error
	// Page shows a web page.
	Page func(ctx context.Context, address string) error
}

// Warner shows due warnings as notifications, one at a time. If the desktop does not
// accept one, as at login before its notification program runs, Warner retries soon,
// and then less and less often. A warning of a meter that is back is taken off the
// screen. Its exported methods may be called from any goroutine.
type Warner struct {
	// Links may be set before Run.
	Links Links

	// settings has capacity one, and the latest value wins; mutes has room for more
	// clicks than a person makes while a notification is being saved.
	settings chan WarnerSettings
	mutes    chan muteChange
	// muted delivers the meters that can be muted or are muted, only the latest value;
	// last is the last value sent.
	muted chan []alert.Mute
	last  atomic.Pointer[[]alert.Mute]

	// Only Run uses the following.
	watch    *alert.Watch
	notifier Notifier
	log      *slog.Logger
	words    words.Words
	plans    poll.Plans // the last states
	// told are the warnings that were shown last about their matters, while they hold.
	told map[matter]alert.Alert

	// shown delivers the end of what the desktop is asked for, and has capacity for it; busy
	// says that it is under way, failing that the last notification was not accepted.
	shown         chan showing
	busy, failing bool
	// retry runs after a notification that was not accepted; pause is its next
	// duration. Until then the desktop is left alone: it may start a program for each
	// try, which ends at once.
	retry   *time.Timer
	pause   time.Duration
	resting bool
}

// WarnerSettings are the settings of warnings.
type WarnerSettings struct {
	Alerts alert.Config
	Words  words.Words
}

type muteChange struct {
	plan  usage.Plan
	meter usage.MeterID
	on    bool
}

// matter is what a notification is about.
type matter struct {
	plan  usage.Plan
	meter usage.MeterID
}

type showing struct {
	alert *alert.Alert // nil if there was only something to withdraw
	err   error
}

// NewWarner is a Warner that waits for Run.
func NewWarner(settings WarnerSettings) *Warner {
	w := &Warner{
		settings: make(chan WarnerSettings, 1), mutes: make(chan muteChange, 16), muted: make(chan []alert.Mute, 1),
		told: map[matter]alert.Alert{}, shown: make(chan showing, 1), pause: firstPause,
	}
	w.settings <- settings
	return w
}

// Configure changes the settings from now on.
func (w *Warner) Configure(settings WarnerSettings) { Latest(w.settings, settings) }

// Mute mutes the warnings of a plan's meter until it resets, or unmutes them.
func (w *Warner) Mute(plan usage.Plan, meter usage.MeterID, on bool) {
	select {
	case w.mutes <- muteChange{plan, meter, on}:
	default: // the row stays as it is, and can be clicked again
	}
}

// Mutes delivers the meters that can be muted or are muted, after each change.
func (w *Warner) Mutes() <-chan []alert.Mute { return w.muted }

// Muted are the meters that can be muted or are muted, as far as known.
func (w *Warner) Muted() []alert.Mute {
	if all := w.last.Load(); all != nil {
		return *all
	}
	return nil
}

// Run warns until ctx or the poller ends, and then returns nil. It gives up a
// notification that the desktop has not accepted by then. It is called once, and owns
// watch from then on.
func (w *Warner) Run(ctx context.Context, poller Poller, watch *alert.Watch, notifier Notifier, log *slog.Logger) error {
	states, unsubscribe := poller.Subscribe()
	defer unsubscribe()
	w.watch, w.notifier, w.log = watch, notifier, log
	w.retry = time.NewTimer(w.pause)
	w.retry.Stop()
	defer w.retry.Stop()
	defer w.end(ctx)
	for {
		select {
		case <-ctx.Done():
			return nil
		case plans, open := <-states:
			if !open {
				return nil
			}
			select {
			case s := <-w.settings: // settings from before the states apply to them
				w.configure(s)
			default:
			}
			w.see(ctx, plans)
		case s := <-w.settings:
			w.configure(s)
		case m := <-w.mutes:
			watch.SetMute(ctx, m.plan, m.meter, m.on)
			w.tellMutes()
		case s := <-w.shown:
			if w.took(ctx, s) {
				w.show(watch.Again(ctx))
			}
		case <-w.retry.C:
			w.resting = false
			w.show(watch.Again(ctx))
		}
	}
}

// A notification that the desktop did not accept is retried after firstPause, and then
// after doubled pauses up to lastPause.
const (
	firstPause = 10 * time.Second
	lastPause  = 10 * time.Minute
)

// tellMutes reports which meters can be muted or are muted.
func (w *Warner) tellMutes() {
	mutes := w.watch.Mutes()
	w.last.Store(&mutes)
	Latest(w.muted, mutes)
}

func (w *Warner) configure(s WarnerSettings) { w.watch.Config, w.words = s.Alerts, s.Words }

// see takes in states. A warning that becomes due while another notification is under
// way comes after it.
func (w *Warner) see(ctx context.Context, plans poll.Plans) {
	w.plans = plans
	due := w.watch.See(ctx, plans)
	w.tellMutes()
	if w.pause > firstPause && w.watch.Again(ctx) == nil { // the pauses are not those of a later warning
		w.resting, w.pause = false, firstPause
		w.retry.Stop()
	}
	w.show(due)
}

// of is the last state of a plan.
func (w *Warner) of(plan usage.Plan) poll.State {
	return State{Plans: w.plans}.of(plan)
}

// show takes what does not hold any more off the screen, and shows a due warning; nil is
// none.
func (w *Warner) show(due *alert.Alert) {
	over := w.over()
	if w.resting {
		due = nil
	}
	if w.busy || due == nil && over == nil {
		return
	}
	for _, m := range over {
		delete(w.told, m)
	}
	var n desktop.Notification
	if due != nil {
		n = w.notification(*due)
	}
	w.busy = true
	go func() { // ends when the desktop has accepted or refused it
		for _, m := range over {
			w.notifier.Withdraw(m)
		}
		var err error
		if due != nil {
			err = w.notifier.Notify(n)
		}
		w.shown <- showing{due, err}
	}()
}

// over are the matters with a warning that does not hold any more.
func (w *Warner) over() (over []matter) {
	for m, a := range w.told {
		if !w.watch.Holds(a) {
			over = append(over, m)
		}
	}
	return over
}

// lastShown is the desktop's time limit to show a notification when Windsock ends. A
// notification that it shows later is repeated after the next start.
const lastShown = 500 * time.Millisecond

// end records a notification that is being shown right now, and shows no other: nobody
// would record that.
func (w *Warner) end(ctx context.Context) {
	if !w.busy {
		return
	}
	select {
	case s := <-w.shown:
		w.took(ctx, s)
	case <-time.After(lastShown):
	}
}

// took handles the end of a notification, and reports whether there may be another one.
func (w *Warner) took(ctx context.Context, s showing) bool {
	w.busy = false
	if s.alert == nil {
		return true
	}
	if s.err != nil {
		if !w.failing { // once, not at every retry
			w.failing = true
			w.log.WarnContext(ctx, "notification not shown", slog.Any("err", s.err))
		}
		w.resting = true
		w.retry.Reset(w.pause)
		w.pause = min(2*w.pause, lastPause)
		return false
	}
	w.failing, w.pause = false, firstPause
	w.watch.Told(ctx, *s.alert)
	w.told[about(*s.alert)] = *s.alert
	w.log.InfoContext(ctx, "warned", slog.String("kind", string(s.alert.Kind)), slog.String("meter", string(s.alert.Meter)))
	w.tellMutes()
	return true
}
