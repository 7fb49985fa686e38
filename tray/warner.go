package tray

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"windsock/tray/desktop"
	"windsock/tray/icon"
	"windsock/usage"
	"windsock/usage/alert"
	"windsock/usage/poll"
	"windsock/usage/words"
)

// Notifier shows a notification. It returns when the desktop has taken it,
// which may be when it has started a program that shows it.
type Notifier interface {
	Notify(n desktop.Notification) error
}

// Warner shows what is due as notifications, one at a time. One that the desktop does
// not take, as at login when its notification program does not run yet, is tried again
// soon and ever less often. Its exported methods may be called from any goroutine.
type Warner struct {
	// settings holds one, the latest wins; mutes holds more clicks than a person
	// makes while a notification is being saved.
	settings chan WarnerSettings
	mutes    chan muteChange
	// muted brings the meters that can be muted or are, the latest; last is what was
	// sent last.
	muted chan []alert.Mute
	last  atomic.Pointer[[]alert.Mute]

	// All that follows is Run's.
	watch    *alert.Watch
	notifier Notifier
	log      *slog.Logger
	words    words.Words
	gauge    icon.Icon // of the last figures

	// shown brings the end of a notification and has room for it; busy says that
	// one is under way, failing that the last one was not taken.
	shown         chan showing
	busy, failing bool
	// retry runs after a notification that was not taken; pause is how long the next
	// time.
	retry *time.Timer
	pause time.Duration
}

// WarnerSettings are what the settings say of warnings.
type WarnerSettings struct {
	Alerts alert.Config
	Words  words.Words
}

type muteChange struct {
	meter usage.MeterID
	on    bool
}

type showing struct {
	alert alert.Alert
	err   error
}

// NewWarner is a Warner that waits for Run.
func NewWarner(settings WarnerSettings) *Warner {
	w := &Warner{
		settings: make(chan WarnerSettings, 1), mutes: make(chan muteChange, 16), muted: make(chan []alert.Mute, 1),
		shown: make(chan showing, 1), pause: firstPause,
	}
	w.settings <- settings
	return w
}

// Configure changes the settings from now on.
func (w *Warner) Configure(settings WarnerSettings) { Latest(w.settings, settings) }

// Mute keeps a meter's warnings back until it resets, or no longer.
func (w *Warner) Mute(meter usage.MeterID, on bool) {
	select {
	case w.mutes <- muteChange{meter, on}:
	default: // the row stays as it is, and can be clicked again
	}
}

// Mutes brings the meters that can be muted or are, whenever that changes.
func (w *Warner) Mutes() <-chan []alert.Mute { return w.muted }

// Muted are the meters that can be muted or are, as far as is known.
func (w *Warner) Muted() []alert.Mute {
	if all := w.last.Load(); all != nil {
		return *all
	}
	return nil
}

// Run warns until ctx or the poller ends, and returns nil then. A notification
// that the desktop has not taken by then is given up. It is called once, and watch is
// its own from then on.
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
		case state, open := <-states:
			if !open {
				return nil
			}
			select {
			case s := <-w.settings: // what was set before a state holds for it
				w.configure(s)
			default:
			}
			w.see(ctx, state)
		case s := <-w.settings:
			w.configure(s)
		case m := <-w.mutes:
			watch.SetMute(ctx, m.meter, m.on)
			w.tellMutes()
		case s := <-w.shown:
			w.took(ctx, s)
		case <-w.retry.C:
			w.show(watch.Again(ctx))
		}
	}
}

// A notification that the desktop has not taken is tried again after firstPause, and
// then after twice as long each time, up to lastPause.
const (
	firstPause = 10 * time.Second
	lastPause  = 10 * time.Minute
)

// tellMutes tells which meters can be muted or are.
func (w *Warner) tellMutes() {
	mutes := w.watch.Mutes()
	w.last.Store(&mutes)
	Latest(w.muted, mutes)
}

func (w *Warner) configure(s WarnerSettings) { w.watch.Config, w.words = s.Alerts, s.Words }

// see takes in a state. What comes due while another notification is under way
// is due again with the next figures.
func (w *Warner) see(ctx context.Context, state poll.State) {
	w.gauge = gauge(State{Poll: state, Options: Options{Words: w.words}})
	due := w.watch.See(ctx, state)
	w.tellMutes()
	w.show(due)
}

// show shows what is due, nil for nothing.
func (w *Warner) show(due *alert.Alert) {
	if due == nil || w.busy {
		return
	}
	w.busy = true
	n := desktop.Notification{Title: due.Title(w.words), Text: due.Body(w.words), Icon: w.gauge, Urgency: urgency(due.Kind)}
	go func() { // ends when the desktop has taken it, or refused
		w.shown <- showing{*due, w.notifier.Notify(n)}
	}()
}

// urgency is critical for what stops work or costs money.
func urgency(kind alert.Kind) desktop.Urgency {
	switch kind {
	case alert.KindExhausted, alert.KindInDebt, alert.KindOnExtraUsage, alert.KindExtraUsageSpent:
		return desktop.UrgencyCritical
	case alert.KindRefilled:
		return desktop.UrgencyLow
	case alert.KindLow, alert.KindWillRunOut, alert.KindTopUp:
	}
	return desktop.UrgencyNormal
}

// lastShown is how long a desktop may take to show a notification when Windsock
// ends. What it shows after that is told once more after the next start.
const lastShown = 500 * time.Millisecond

// end remembers a notification that is just being shown.
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

// took is the end of a notification.
func (w *Warner) took(ctx context.Context, s showing) {
	w.busy = false
	if s.err != nil {
		if !w.failing { // once, not at every try
			w.failing = true
			w.log.WarnContext(ctx, "notification not shown", slog.Any("err", s.err))
		}
		w.retry.Reset(w.pause)
		w.pause = min(2*w.pause, lastPause)
		return
	}
	w.failing, w.pause = false, firstPause
	w.retry.Stop()
	w.watch.Told(ctx, s.alert)
	w.log.InfoContext(ctx, "warned", slog.String("kind", string(s.alert.Kind)), slog.String("meter", string(s.alert.Meter)))
	w.tellMutes()
}
