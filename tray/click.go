package tray

import (
	"context"
	"log/slog"
	"time"

	"windsock/probe/say"
)

// click performs a row's action.
func (a *actor) click(ctx context.Context, row RowID) {
	a.app.Log.DebugContext(ctx, "row clicked", slog.String("row", a.shown.Rows[row].Label))
	a.state.Failure = ""
	if shown := a.shown.Rows[row]; row.checkable() && shown.Label != "" {
		a.host.SetChecked(row, shown.Checked) // some panels moved the mark by themselves
	}
	if heading, ok := row.plan(); ok {
		a.lead(ctx, heading)
		return
	}
	switch row {
	case RowPrompt:
		a.window(ctx, row, WindowPrompt)
	case RowHistory:
		a.window(ctx, row, WindowUsage)
	case RowClean:
		a.window(ctx, row, WindowCascades)
	case RowConsent:
		a.window(ctx, row, WindowConsent)
	case RowRefresh:
		a.refresh(ctx)
	case RowManage:
		page := a.state.planPage()
		a.open(ctx, row, func() error { return a.app.Open(ctx, page) },
			pageFailure(page))
	case RowDiagnostics:
		a.open(ctx, row, func() error { return a.app.Diagnose(ctx) },
			"The diagnostics could not be saved. `windsock doctor` shows them.")
	case RowSettings:
		a.open(ctx, row, func() error { return a.app.Settings(ctx) },
			"The settings could not be opened. `windsock config` says where they are.")
	case RowAPI:
		on := !a.state.API.On
		a.beside(ctx, func() error { return a.app.SwitchAPI(on) }, "The local API could not be switched.")
	case RowLogin:
		a.toggleLogin(ctx)
	case RowMute:
		a.mute()
	default: // nothing to do
	}
}

// lead makes a plan the leading one. The settings tell the poller.
func (a *actor) lead(ctx context.Context, heading int) {
	if plan := a.state.chosen(heading); plan != "" && a.app.Lead != nil {
		a.beside(ctx, func() error { return a.app.Lead(plan) }, "The leading plan could not be changed.")
	}
}

// window shows a view of the window.
func (a *actor) window(ctx context.Context, row RowID, view string) {
	if a.app.Window == nil {
		return // a click on the icon, which is there even without a window
	}
	a.open(ctx, row, func() error { return a.app.Window(ctx, view) },
		windowFailure)
}

// windowFailure and pageFailure are for people, where nothing says more.
const windowFailure = "The window could not be opened. `windsock prompt` says why."

func pageFailure(page string) string { return "The page could not be opened. It is " + page + "." }

// mute mutes the warnings of the row's meters, or unmutes them.
func (a *actor) mute() {
	for _, mute := range offered(a.state) {
		a.app.Warner.Mute(mute.Plan, mute.Meter, !mute.On)
	}
}

// refresh requests figures, or shows for a while when that is allowed.
func (a *actor) refresh(ctx context.Context) {
	wait := a.app.Poller.Refresh()
	if wait == 0 || a.state.RefreshWait > 0 {
		return
	}
	a.state.RefreshWait = wait
	a.later(ctx, wait, func() { a.state.RefreshWait = 0 })
}

// beside runs a slow function, and shows its failure. Its result may outlive the
// actor: an opened browser stays open.
func (a *actor) beside(ctx context.Context, f func() error, failure string) {
	go func() {
		err := f()
		if err == nil {
			return
		}
		a.app.Log.WarnContext(ctx, "action failed", slog.Any("err", err))
		a.post(ctx, func() {
			text := say.Sentence(err, failure)
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
