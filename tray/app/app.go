package app

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"os"
	"time"

	"windsock/chat"
	"windsock/probe/say"
	"windsock/tray"
	"windsock/tray/desktop"
	"windsock/tray/instance"
	"windsock/tray/settings"
	"windsock/tray/window"
	"windsock/usage/alert"
	"windsock/usage/history"
	"windsock/usage/poll"
)

// launch is the app as it is started.
func (p parts) launch() tray.Launch {
	var level slog.LevelVar
	l := tray.Launch{
		Version: version(), Level: &level, RuntimeDir: p.lockDir, StateDir: p.logDir,
		Second: func(ctx context.Context) { raise(ctx, window.Prompt, p.lockDir) },
	}
	l.Assemble = func(ctx context.Context, logger *slog.Logger) tray.Parts {
		// An app that starts at login has nobody to read an error, so it goes on with
		// the defaults and says so in its menu.
		c, err := p.config()
		known := c
		level.Set(max(p.leastLevel, c.Log.slogLevel()))
		changes := make(chan tray.Options, 1) // the latest wins; nobody closes
		a := p.assemble(ctx, logger, c, tray.App{Demo: p.demo, Options: trayOptions(c, err), Changes: changes})
		configure := a.configure
		if !p.demo {
			configure = a.addPersonal(p, logger, c)
		}
		// What is saved until the watch begins is told as well: it knows what was read.
		a.parts.Beside = append(a.parts.Beside, func(ctx context.Context) error {
			return p.watchSettings(ctx, logger, known, err, func(changed config, err error) {
				if err == nil {
					c = changed
					level.Set(max(p.leastLevel, c.Log.slogLevel()))
					configure(c)
				}
				tray.Latest(changes, trayOptions(c, err))
				a.reread()
			})
		})
		return a.parts
	}
	return l
}

// assembly is the app, put together, and what of it follows the settings.
type assembly struct {
	parts     tray.Parts
	poller    *poll.Poller
	service   *chat.Service
	store     *history.Store
	configure func(config)
	// reread tells the window that the settings have changed.
	reread func()
}

// addPersonal adds what a demo does without: the plan's page, the start at login, the
// diagnosis and the local API. It returns what configures the app with them.
func (a *assembly) addPersonal(p parts, logger *slog.Logger, c config) (configure func(config)) {
	app := &a.parts.App
	app.Open, app.Autostart = desktop.Open, p.atLogin
	app.Diagnose = func(ctx context.Context) error { return p.showDiagnosis(ctx, a.store) }
	api := p.newLocalAPI(logger, c, a)
	app.API = api
	a.parts.Beside = append(a.parts.Beside, api.Run)
	return func(c config) {
		a.configure(c)
		api.Configure(c.API)
	}
}

// assemble puts together what the person's app and the demo's have in common.
func (p parts) assemble(ctx context.Context, logger *slog.Logger, c config, app tray.App) *assembly {
	store := p.history(logger)
	poller := poll.New(p.pollerConfig(c, store.Record))
	warner := tray.NewWarner(warnerSettings(c))
	watch := &alert.Watch{Store: store, Log: logger}
	salt, err := store.Salt(ctx)
	if err != nil {
		// What cannot be kept for long can be told apart for now.
		logger.WarnContext(ctx, "warnings are remembered until the end only", slog.Any("err", err))
		salt, watch.Store = []byte(rand.Text()), nil
	}
	watch.Salt = salt
	house := p.newHousekeeping(logger)
	service := p.appService(poller, house, logger)
	w := p.window(windowParts{poller: poller, service: service, store: store, mutes: warner, housekeeping: house, logger: logger})
	app.Window = func(ctx context.Context, view string) error { return w.Show(ctx, window.View(view)) }
	app.Settings = func(ctx context.Context) error {
		err := w.Show(ctx, window.Settings)
		if err != nil && p.settingsErr == nil {
			return openSettings(ctx, p.settings)
		}
		return err
	}
	app.Cascades = house.stale
	app.Version, app.Poller, app.Warner, app.Notice = shortVersion(version()), poller, warner, store.Notice
	return &assembly{
		poller: poller, service: service, store: store,
		parts: tray.Parts{
			App: app,
			Beside: []func(context.Context) error{
				poller.Run,
				func(ctx context.Context) error { return warner.Run(ctx, poller, watch, p.notifier, logger) },
				func(ctx context.Context) error { return house.run(ctx, poller) },
				w.Run,
			},
			Request: func(ctx context.Context, r instance.Request) { showRequested(ctx, w, r, logger) },
			Close: func() { //nolint:contextcheck // the store bounds it by itself
				if err := store.Close(); err != nil {
					logger.Warn("history not closed", slog.Any("err", err))
				}
			},
		},
		configure: func(c config) {
			poller.Configure(p.pollerConfig(c, nil).Settings)
			warner.Configure(warnerSettings(c))
		},
		reread: w.Reread,
	}
}

func warnerSettings(c config) tray.WarnerSettings {
	return tray.WarnerSettings{Alerts: c.Alerts, Words: c.Usage.Words(local(), os.LookupEnv)}
}

// trayOptions are what the settings say of the tray.
func trayOptions(c config, err error) tray.Options {
	o := tray.Options{Config: c.Tray, Words: c.Usage.Words(local(), os.LookupEnv)}
	if err != nil {
		o.Problem = say.Sentence(err, err.Error())
	}
	return o
}

// local is where a person reads times and lives their days.
func local() *time.Location {
	return time.Local //nolint:gosmopolitan // it is a person's program
}

// openSettings opens the configuration file, which it makes where there is none.
func openSettings(ctx context.Context, file settings.File[config]) error {
	if err := file.Init(); err != nil && !errors.Is(err, settings.ErrThere) {
		return err
	}
	return desktop.Open(ctx, file.Path)
}
