package tray

import (
	"context"
	"log/slog"
)

// toggleLogin inverts the start at login that the menu shows.
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

// lookUpLogin finds out whether the app starts at login; other programs can change
// that, too.
func (a *actor) lookUpLogin(ctx context.Context) {
	if a.app.Autostart == nil {
		return
	}
	a.look(ctx, &a.login, func() func() {
		on, err := a.app.Autostart.Enabled()
		return func() {
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
		}
	})
}
