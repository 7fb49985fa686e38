// Package window serves the window's page. Package browser opens what shows it.
//
// The server listens on a random port of loopback, and only while it is needed: from
// [Window.Show] on, until the last page's stream of events has been gone for a while, or
// no browser has come in. What keeps all others out, from the outside in:
//
//   - each run has a new, unpredictable name below localhost. Browsers keep workers,
//     scripts and cookies by origin: those of a previous server could be left under
//     127.0.0.1 and the same port;
//   - the port is held on both addresses that such a name resolves to;
//   - the Host has to be that name and port, which stops DNS rebinding;
//   - on Linux, the connection has to be this account's (package loopback);
//   - a browser has to report that its page is ours, or that a person typed the address;
//   - a cookie has a random name and value. A browser gets it for a ticket, which is in
//     the fragment of its address, and valid once, for 30 seconds. If a ticket is used
//     again, another program has read it: the session ends, and that is logged.
//
// There is one session at a time for any number of pages: they share a cookie.
//
// Prompts and answers are in memory only, and vanish with the server.
package window

import (
	"context"
	"io/fs"
	"log/slog"
	"sync"
	"time"

	"windsock/chat"
	"windsock/chat/clean"
	"windsock/chat/touched"
	"windsock/tray/shortcut"
	"windsock/usage"
	"windsock/usage/alert"
	"windsock/usage/history"
	"windsock/usage/pace"
	"windsock/usage/poll"
	"windsock/usage/words"
)

// View is one of the page's views.
type View string

// The views.
const (
	Prompt   View = "prompt"
	Usage    View = "usage"
	Cascades View = "cascades"
	Settings View = "settings"
	// Consent is the part of the settings about figures without an editor.
	Consent View = "settings#cloud"
)

// UsageOf is the usage view with the chart of a plan, by its name.
func UsageOf(plan string) View { return Usage + "#" + View(plan) }

// ParseView returns the view of a name; a part of a view has none.
func ParseView(name string) (View, bool) {
	switch v := View(name); v {
	case Prompt, Usage, Cascades, Settings:
		return v, true
	default:
		return "", false
	}
}

// Config has the parts of a Window. All are required unless their comment says
// otherwise.
type Config struct {
	// Version is the program's. Demo says that all figures are invented.
	Version string
	Demo    bool
	// Page has index.html and boot.html, and the files that are served below /assets/.
	Page fs.FS
	// Open shows an address to the person and returns when that is under way. The address
	// contains the ticket, and must not be logged. clearAway is called when the ticket is
	// no longer valid.
	Open func(ctx context.Context, address string) (clearAway func(), err error)
	// ByName reports whether the browser resolves a name below localhost to this
	// computer by itself.
	ByName func() bool
	// Plan delivers the figures, and Words the person's way to read them.
	Plan  Plan
	Words func() words.Words
	// Pace returns the person's habits.
	Pace func() pace.Options
	// History has the past figures.
	History History
	Spend   Spend
	Chat    Chat
	// Clean finds the editor for cleaning; Touched is the record of the runs, and Now
	// the clock of the cascades' times.
	Clean   func(context.Context) (clean.Target, error)
	Touched *touched.Table
	Now     func() time.Time
	// Cleaned is called after a run or an undo; it may be nil.
	Cleaned     func()
	Preferences Preferences
	// Cloud is what may be asked over the internet; nil if nothing may.
	Cloud Cloud
	// Places are paths for people; never nil.
	Places []Place
	// Autostart is the entry that starts the app at login; it may be nil.
	Autostart Autostart
	// Shortcut says what has become of the key for the prompt; nil if none is bound here.
	Shortcut func() shortcut.State
	// Notify shows a notification.
	Notify func(title, text string) error
	// Mutes are the meters whose warnings can be muted; nil if nothing warns.
	Mutes Mutes
	Log   *slog.Logger
}

// Plan is the part of a [usage.Poller] that the window uses.
type Plan interface {
	Subscribe() (plans <-chan poll.Plans, cancel func())
}

// History is the part of a [history.Store] that the window uses.
type History interface {
	Samples(ctx context.Context, since time.Time, plans ...usage.Plan) ([]history.Sample, error)
	SamplesOf(ctx context.Context, plan usage.Plan, meter usage.MeterID, since time.Time) ([]history.Sample, error)
	Days(ctx context.Context, since time.Time, plans ...usage.Plan) ([]history.Day, error)
}

// Chat asks models.
type Chat interface {
	// Models are those of the engine. Unless start is set, no agent is started for them:
	// its models are those that it told before.
	Models(ctx context.Context, start bool) (Models, error)
	// Offer is the agent to offer in Cascade's place; nil if there is none, or the person
	// has answered before.
	Offer(ctx context.Context) *AgentOffer
	// SetEngine makes an engine the configured one.
	SetEngine(id string) error
	// Ask and End are like those of [chat.Service]; an empty model is the default.
	Ask(ctx context.Context, p chat.Prompt, tell func(chat.Event)) (chat.Answer, error)
	End(ctx context.Context, ref string) chat.Leftover
}

// Models are an engine's models.
type Models struct {
	chat.Catalogue

	// Engine is its ID, and Name an agent's name for people, such as "Devin's agent".
	Engine, Name string
	// Unlisted says that an agent has not told its models yet. A prompt then goes to the
	// model of its own choice.
	Unlisted bool

	// Default is the UID of the default model, and Last that of the last one that was
	// asked; either may be empty.
	Default, Last string
}

// Autostart is the entry that starts the app at login.
type Autostart interface {
	Enabled() (bool, error)
	Enable() error
	Disable() error
}

// Mutes mutes the warnings of meters.
type Mutes interface {
	Muted() []alert.Mute
	Mute(plan usage.Plan, meter usage.MeterID, on bool)
}

// Window is the window of one process. Its methods may be called from any
// goroutine.
type Window struct {
	config Config
	times  times

	showing sync.Mutex // one Show at a time

	mu     sync.Mutex // guards the fields below
	served *served    // nil while it is not needed
	closed bool
}

// times are durations and deadlines; tests have shorter ones.
type times struct {
	ticket time.Duration // a ticket is good for
	enter  time.Duration // a browser that has come in may take until its stream
	leave  time.Duration // the server stays without a stream, for a page that is loaded again
	body   time.Duration // a client may take for a body
	beat   time.Duration // between two signs of life on a stream
	write  time.Duration // a client may take to take something in
	raise  time.Duration // a page may take to say whether it is to be seen
	open   time.Duration // a browser may take until its page's stream, before another is started
}

var usualTimes = times{
	ticket: 30 * time.Second, enter: 20 * time.Second, leave: 10 * time.Second,
	body: 10 * time.Second, beat: 15 * time.Second, write: 10 * time.Second,
	raise: 500 * time.Millisecond, open: 10 * time.Second,
}

// New returns a window that is not open.
func New(c Config) *Window { return &Window{config: c, times: usualTimes} }

// Show shows a view: in a visible page, in a page that is on its way, or in a new one.
// It returns when a browser was started; the error is that of Config.Open, or of
// listening.
//
// A page cannot come to the front by itself; only a new window does so on every
// system. So a page that reports that it is behind others, or reports nothing, gets a
// successor. It is told to go once the successor has its state.
func (w *Window) Show(ctx context.Context, view View) error {
	w.showing.Lock()
	defer w.showing.Unlock()
	w.mu.Lock()
	if w.closed {
		w.mu.Unlock()
		return errClosed
	}
	if w.served == nil {
		s, err := w.serve(ctx)
		if err != nil {
			w.mu.Unlock()
			return err
		}
		w.served = s
	}
	s := w.served
	s.view = view
	if time.Now().Before(s.opening) {
		w.mu.Unlock()
		return nil
	}
	if s.streams > 0 {
		w.mu.Unlock()
		if s.raise(ctx, view) {
			return nil
		}
		w.mu.Lock()
	}
	now := time.Now()
	ticket := s.tickets.issue(now)
	spent := s.tickets.spending()
	s.opening = now.Add(w.times.open)
	s.wantFor(w.times.leave)
	w.mu.Unlock()
	clearAway, err := w.config.Open(ctx, "http://"+s.host+"/boot#"+ticket)
	if err != nil {
		w.mu.Lock()
		s.opening = time.Time{}
		w.mu.Unlock()
		return err
	}
	s.clearAfter(spent, clearAway)
	return nil
}

// Reread tells the page that the settings have changed.
func (w *Window) Reread() {
	w.mu.Lock()
	s := w.served
	w.mu.Unlock()
	if s != nil {
		s.hub.tell("settings", struct{}{})
	}
}

// Wait returns when the window is not open, or ctx ends.
func (w *Window) Wait(ctx context.Context) {
	for ctx.Err() == nil {
		w.mu.Lock()
		s := w.served
		w.mu.Unlock()
		if s == nil {
			return
		}
		select {
		case <-s.ended: // Show may have started another run meanwhile
		case <-ctx.Done():
		}
	}
}

// Run closes the window when ctx ends. It returns nil when everything is over: answers
// under way are cancelled, and what conversations leave behind is tidied up.
func (w *Window) Run(ctx context.Context) error {
	<-ctx.Done()
	w.mu.Lock()
	w.closed = true
	s := w.served
	w.mu.Unlock()
	if s != nil {
		s.close()
		<-s.ended
	}
	return nil
}
