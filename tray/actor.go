package tray

import (
	"context"
	"log/slog"
	"time"

	"windsock/chat/api"
	"windsock/usage/alert"
)

// actor owns the State, the View and the host. Its methods run in the goroutine
// of run, but for those that say otherwise.
type actor struct {
	app  App
	host host
	log  journal

	state State
	shown View

	// posts bring the ends of what runs beside the actor. Whoever sends also
	// waits for the actor's end; nobody closes.
	posts chan func()
	// asking says that the true state of starting at login is being looked up,
	// and askAgain that it may have changed since.
	asking, askAgain bool
	// opened are the rows that have opened something a moment ago.
	opened map[RowID]bool
}

// newActor is an actor whose first View is on the host already. Any goroutine
// may call it, before run.
func (a App) newActor(h host) *actor {
	act := &actor{
		app: a, host: h, log: journal{log: a.Log}, posts: make(chan func()),
		opened: map[RowID]bool{},
		state: State{
			Version: a.Version, Demo: a.Demo,
			ManagePlan: a.Open != nil, Diagnostics: a.Diagnose != nil, Settings: a.Settings != nil,
			Window:  a.Window != nil,
			Options: a.Options,
		},
	}
	act.draw()
	return act
}

// settle is how long a host may take until it takes everything in.
const settle = 2 * time.Second

// run is the actor's life. It ends with ctx, with the poller, and when the
// person quits.
func (a *actor) run(ctx context.Context, clicks <-chan RowID) {
	states, unsubscribe := a.app.Poller.Subscribe()
	defer unsubscribe()
	// On Linux an icon, title or tooltip that is set while systray connects is
	// lost (systray v1.12.2, #122), so they are pushed again a little later.
	settled := time.NewTimer(settle)
	defer settled.Stop()
	changes := a.app.Changes
	var mutes <-chan []alert.Mute
	if a.app.Warner != nil {
		mutes = a.app.Warner.Mutes()
	}
	var apiStates <-chan api.State
	if a.app.API != nil {
		apiStates = a.app.API.States()
	}
	a.lookUpLogin(ctx)
	a.log.noteProblem(ctx, a.state.Options.Problem)
	for {
		select {
		case <-ctx.Done():
			return
		case state, open := <-states:
			if !open {
				return
			}
			a.state.Poll = state
			if a.app.Notice != nil {
				a.state.Notice = a.app.Notice()
			}
			a.log.note(ctx, state)
			a.lookUpLogin(ctx)
		case o, open := <-changes:
			if !open {
				changes = nil
				continue
			}
			a.state.Options = o
			a.log.noteProblem(ctx, o.Problem)
		case a.state.Mutes = <-mutes:
		case a.state.Cascades = <-a.app.Cascades:
		case s := <-apiStates:
			a.state.API = &s
		case post := <-a.posts:
			post()
		case <-settled.C:
			a.host.SetIcon(a.shown.Icon)
			a.host.SetTitle(a.shown.Title)
			a.host.SetTooltip(a.shown.Tooltip)
		case row := <-clicks:
			if row == RowQuit {
				return
			}
			a.click(ctx, row)
		}
		a.draw()
	}
}

// draw brings the host up to date.
func (a *actor) draw() {
	next := render(a.state)
	apply(a.host, a.shown, next)
	a.shown = next
}

// click does what a row is for.
func (a *actor) click(ctx context.Context, row RowID) {
	a.app.Log.DebugContext(ctx, "row clicked", slog.String("row", a.shown.Rows[row].Label))
	a.state.Failure = ""
	switch row {
	case RowPrompt:
		a.window(ctx, row, WindowPrompt)
	case RowHistory:
		a.window(ctx, row, WindowUsage)
	case RowClean:
		a.window(ctx, row, WindowCascades)
	case RowRefresh:
		a.refresh(ctx)
	case RowManage:
		page := a.state.Poll.Snapshot.PlanPage()
		a.open(ctx, row, func() error { return a.app.Open(ctx, page) },
			"The page could not be opened. It is "+page+".")
	case RowDiagnostics:
		a.open(ctx, row, func() error { return a.app.Diagnose(ctx) },
			"The diagnostics could not be saved. `windsock doctor` shows them.")
	case RowSettings:
		a.open(ctx, row, func() error { return a.app.Settings(ctx) },
			"The settings could not be opened. `windsock config` says where they are.")
	case RowAPI:
		on := !a.state.API.On
		a.beside(ctx, func() error { return a.app.API.Switch(on) }, "The local API could not be switched.")
	case RowLogin:
		a.toggleLogin(ctx)
	default:
		a.mute(row)
	}
}

// window shows a view of the window.
func (a *actor) window(ctx context.Context, row RowID, view string) {
	a.open(ctx, row, func() error { return a.app.Window(ctx, view) },
		"The window could not be opened. `windsock prompt` says why.")
}

// mute keeps the warnings of the row's meter back, or takes that back.
func (a *actor) mute(row RowID) {
	mutes := offered(a.state)
	if i := int(row - RowMute); i >= 0 && i < len(mutes) {
		a.app.Warner.Mute(mutes[i].Meter, !mutes[i].On)
	}
}

// refresh asks for figures, or says for a while when that may be done.
func (a *actor) refresh(ctx context.Context) {
	wait := a.app.Poller.Refresh()
	if wait == 0 || a.state.RefreshWait > 0 {
		return
	}
	a.state.RefreshWait = wait
	a.later(ctx, wait, func() { a.state.RefreshWait = 0 })
}

// beside runs something that may take its time, and says so if it fails. What
// it runs may outlive the actor: a browser that was opened stays open.
func (a *actor) beside(ctx context.Context, f func() error, failure string) {
	go func() {
		err := f()
		if err == nil {
			return
		}
		a.app.Log.WarnContext(ctx, "action failed", slog.Any("err", err))
		a.post(ctx, func() {
			text := sentence(err, failure)
			a.state.Failure = text
			a.later(ctx, failureStays, func() {
				if a.state.Failure == text {
					a.state.Failure = ""
				}
			})
		})
	}()
}

// open opens what a row is for. An impatient second click opens nothing.
func (a *actor) open(ctx context.Context, row RowID, f func() error, failure string) {
	if a.opened[row] {
		return
	}
	a.opened[row] = true
	a.later(ctx, openPause, func() { delete(a.opened, row) })
	a.beside(ctx, f, failure)
}

const (
	openPause = 2 * time.Second
	// failureStays is how long a person may take to open the menu again.
	failureStays = 2 * time.Minute
)

// later has f run by the actor after a while.
func (a *actor) later(ctx context.Context, after time.Duration, f func()) {
	go func() { // ends then, or with the actor
		select {
		case <-time.After(after):
			a.post(ctx, f)
		case <-ctx.Done():
		}
	}()
}

// toggleLogin turns starting at login into the opposite of what the menu shows.
func (a *actor) toggleLogin(ctx context.Context) {
	change := a.app.Autostart.Enable
	if a.state.Login == LoginOn {
		change = a.app.Autostart.Disable
	}
	a.beside(ctx, func() error {
		err := change()
		a.post(ctx, func() { a.lookUpLogin(ctx) })
		return err
	}, "Starting at login could not be changed.")
}

// lookUpLogin finds out whether the app starts at login; others can change that
// as well.
func (a *actor) lookUpLogin(ctx context.Context) {
	if a.app.Autostart == nil {
		return
	}
	if a.asking {
		a.askAgain = true
		return
	}
	a.asking, a.askAgain = true, false
	go func() { // ends when the entry has been read, or with the actor
		on, err := a.app.Autostart.Enabled()
		a.post(ctx, func() {
			a.asking = false
			if a.askAgain {
				a.lookUpLogin(ctx)
				return
			}
			switch {
			case err != nil:
				if a.state.Login != LoginUnknown {
					a.app.Log.WarnContext(ctx, "start at login unknown", slog.Any("err", err))
				}
				a.state.Login = LoginUnknown
			case on:
				a.state.Login = LoginOn
			default:
				a.state.Login = LoginOff
			}
		})
	}()
}

// post has f run by the actor, unless that has ended. Any other goroutine may
// call it.
func (a *actor) post(ctx context.Context, f func()) {
	select {
	case a.posts <- f:
	case <-ctx.Done():
	}
}
