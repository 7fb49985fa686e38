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

// Warner shows what is due as notifications, one at a time. One that the desktop
// does not take, as at login when nobody is there yet to show it, is tried again soon
// and ever less often. Its methods may be called from any goroutine.
type Warner struct {
	// settings holds one, the latest wins; mutes holds more clicks than a person
	// makes while a notification is being saved. Nobody closes them.
	settings chan WarnerSettings
	mutes    chan muteChange
	// muted tells which meters can be muted or are; it holds one, the latest
	// wins. Only Run sends, nobody closes.
	muted chan []alert.Mute
	// last is what was sent last.
	last atomic.Pointer[[]alert.Mute]
	// pause is firstPause, but in tests.
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

// NewWarner is a Warner that waits for Run.
func NewWarner(settings WarnerSettings) *Warner {
	w := &Warner{
		settings: make(chan WarnerSettings, 1), mutes: make(chan muteChange, 16), muted: make(chan []alert.Mute, 1),
		pause: firstPause,
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
// that the desktop has not taken by then is given up. watch is Run's from then
// on.
func (w *Warner) Run(ctx context.Context, poller Poller, watch *alert.Watch, notifier Notifier, log *slog.Logger) error {
	states, unsubscribe := poller.Subscribe()
	defer unsubscribe()
	r := warning{
		Warner: w, watch: watch, notifier: notifier, log: log, shown: make(chan showing, 1),
		next: w.pause, again: time.NewTimer(w.pause),
	}
	r.again.Stop()
	defer r.again.Stop()
	for {
		select {
		case <-ctx.Done():
			r.end(ctx)
			return nil
		case state, open := <-states:
			if !open {
				r.end(ctx)
				return nil
			}
			// Settings that were there before a state hold for it.
			r.takeSettings()
			r.see(ctx, state)
		case s := <-w.settings:
			r.configure(s)
		case m := <-w.mutes:
			watch.SetMute(ctx, m.meter, m.on)
			w.tell(watch.Mutes())
		case s := <-r.shown:
			r.took(ctx, s)
		case <-r.again.C:
			r.show(watch.Again(ctx))
		}
	}
}

// A notification that the desktop has not taken is tried again after firstPause, and
// then after twice as long each time, up to lastPause.
const (
	firstPause = 10 * time.Second
	lastPause  = 10 * time.Minute
)

// tell tells which meters can be muted or are.
func (w *Warner) tell(mutes []alert.Mute) {
	w.last.Store(&mutes)
	Latest(w.muted, mutes)
}

// warning is a Warner at work; all of it is Run's goroutine's.
type warning struct {
	*Warner

	watch    *alert.Watch
	notifier Notifier
	log      *slog.Logger
	words    words.Words

	// shown brings the end of a notification and has room for it; busy says that
	// one is under way.
	shown   chan showing
	busy    bool
	failing bool
	// again runs after a notification that was not taken; next is how long the next
	// time.
	again *time.Timer
	next  time.Duration
	// gauge is the icon of the last figures.
	gauge icon.Icon
}

type showing struct {
	alert alert.Alert
	err   error
}

func (r *warning) takeSettings() {
	select {
	case s := <-r.settings:
		r.configure(s)
	default:
	}
}

func (r *warning) configure(s WarnerSettings) { r.watch.Config, r.words = s.Alerts, s.Words }

// see takes in a state. What comes due while another notification is under way
// is due again with the next figures.
func (r *warning) see(ctx context.Context, state poll.State) {
	r.gauge = gauge(State{Poll: state, Options: Options{Words: r.words}})
	due := r.watch.See(ctx, state)
	r.tell(r.watch.Mutes())
	r.show(due)
}

// show shows what is due, nil for nothing.
func (r *warning) show(due *alert.Alert) {
	if due == nil || r.busy {
		return
	}
	r.busy = true
	n := desktop.Notification{Title: due.Title(r.words), Text: due.Body(r.words), Icon: r.gauge, Urgency: urgency(due.Kind)}
	go func() { // ends when the desktop has taken it, or refused
		r.shown <- showing{*due, r.notifier.Notify(n)}
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
func (r *warning) end(ctx context.Context) {
	if !r.busy {
		return
	}
	select {
	case s := <-r.shown:
		r.took(ctx, s)
	case <-time.After(lastShown):
	}
}

// took is the end of a notification.
func (r *warning) took(ctx context.Context, s showing) {
	r.busy = false
	if s.err != nil {
		if !r.failing { // once, not at every try
			r.failing = true
			r.log.WarnContext(ctx, "notification not shown", slog.Any("err", s.err))
		}
		r.again.Reset(r.next)
		r.next = min(2*r.next, lastPause)
		return
	}
	r.failing, r.next = false, r.pause
	r.again.Stop()
	r.watch.Told(ctx, s.alert)
	r.log.InfoContext(ctx, "warned", slog.String("kind", string(s.alert.Kind)), slog.String("meter", string(s.alert.Meter)))
	r.tell(r.watch.Mutes())
}
