package app

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"sync/atomic"
	"time"

	"windsock/chat"
	"windsock/chat/openai"
	"windsock/chat/touched"
	"windsock/probe/say"
	"windsock/tray"
	"windsock/tray/desktop"
	"windsock/tray/instance"
	"windsock/tray/settings"
	"windsock/tray/shortcut"
	"windsock/tray/window"
	"windsock/usage/alert"
	"windsock/usage/history"
	"windsock/usage/poll"
)

// assemble builds the app: the menu, and what runs beside it. A demo lacks the plan's
// page, the start at login, the diagnosis and the local API.
func (p parts) assemble(logger *slog.Logger, level *slog.LevelVar) assembly {
	// The app may start at login, when no person reads an error. It then uses the
	// defaults and says so in its menu.
	c, unread := p.config()
	setLevel := func(c config) { level.Set(max(p.leastLevel, c.Log.slogLevel())) }
	setLevel(c)
	var readsBehind atomic.Bool
	readsBehind.Store(c.Spend.Background)
	core := p.newCore(c, logger)
	store, poller := core.store, core.poller
	warner := tray.NewWarner(warnerSettings(c))
	watch := newWatch(store, logger)
	var w *window.Window
	key := p.newShortcut(c, logger, func() *window.Window { return w })
	core.shortcut = key.State
	w = p.window(core, warner, nil)
	warner.Links.Usage = func(ctx context.Context, plan string) error { return w.Show(ctx, window.UsageOf(plan)) }
	changes := make(chan tray.Options, 1) // the latest wins
	app := tray.App{
		Version: shortVersion(version()), Demo: p.demo, Lapse: p.speed > 1, Poller: poller,
		Window: func(ctx context.Context, view string) error { return w.Show(ctx, window.View(view)) },
		Settings: func(ctx context.Context) error {
			err := w.Show(ctx, window.Settings)
			if err != nil && p.settingsErr == nil {
				return openSettings(ctx, p.settings)
			}
			return err
		},
		Lead:     p.setLead,
		Unasked:  func() bool { return p.choices().Wanting() },
		Cascades: core.house.stale, Warner: warner, Notice: store.Notice,
		Options: trayOptions(c, unread), Changes: changes,
	}
	beside := []func(context.Context) error{
		poller.Run,
		func(ctx context.Context) error { return warner.Run(ctx, poller, watch, p.notifier, logger) },
		func(ctx context.Context) error { return core.house.run(ctx, poller) },
		core.agents.sweep,
		func(ctx context.Context) error {
			return core.spending.run(ctx, poller, readsBehind.Load, logger)
		},
		w.Run,
	}
	configureAPI, configureKey := func(openai.Config) {}, func(shortcut.Config) {}
	if !p.demo {
		app.Open, app.Autostart = desktop.Open, p.atLogin
		warner.Links.Page = desktop.Open
		app.Diagnose = func(ctx context.Context) error { return p.showDiagnosis(ctx, store) }
		api := openai.NewService(openai.Options{
			Chat:  core.api,
			Usage: func(ctx context.Context) openai.Usage { return usageOf(known(ctx, poller, false)) },
			Dir:   p.stateDir, Config: c.API, Log: logger,
		})
		app.API, app.SwitchAPI = api.States(), p.switchAPI
		configureAPI, configureKey = api.Configure, key.Configure
		beside = append(beside, api.Run, key.Run)
	}
	beside = append(beside, func(ctx context.Context) error {
		last := c
		return p.watchSettings(ctx, logger, c, unread, func(changed config, err error) {
			if err == nil {
				if last.Chat.Engine != changed.Chat.Engine {
					core.house.look() // the menu's row for prompts depends on it
				}
				last = changed
				setLevel(last)
				readsBehind.Store(last.Spend.Background)
				poller.Configure(p.pollerSettings(last))
				warner.Configure(warnerSettings(last))
				configureAPI(last.API)
				configureKey(last.Prompt)
			}
			tray.Latest(changes, trayOptions(last, err))
			w.Reread()
		})
	})
	return assembly{
		app: app, beside: beside,
		request: func(ctx context.Context, r instance.Request) { showRequested(ctx, w, r, logger) },
		close: func() {
			core.agents.close()
			p.notifier.Close()
			if err := store.Close(); err != nil {
				logger.Warn("history not closed", slog.Any("err", err))
			}
		},
	}
}

// core has the parts that the app and the window of `windsock prompt` share.
type core struct {
	store  *history.Store
	table  *touched.Table
	poller *poll.Poller
	house  *housekeeping
	agents *agents
	// spending is also the window's.
	spending *spending
	service  *chat.Service // of the window
	api      *chat.Service // of the local API
	logger   *slog.Logger
	// shortcut says what has become of the key for the prompt; nil if none is bound here.
	shortcut func() shortcut.State
}

func (p parts) newCore(c config, logger *slog.Logger) core {
	store := p.history(logger)
	table := p.table(store)
	poller, house := poll.New(p.pollerConfig(c, store)), p.newHousekeeping(table, logger)
	agents := p.newAgents(table, logger)
	house.agent = func() bool { return p.agentAnswers(agents) }
	service, api := p.appServices(poller, house, agents, table, logger)
	return core{
		store: store, table: table, poller: poller, house: house, agents: agents, spending: p.newSpending(store, table),
		service: service, api: api, logger: logger,
	}
}

// newWatch decides which warnings are due. While the history cannot be used, warnings are
// remembered in memory.
func newWatch(store *history.Store, logger *slog.Logger) *alert.Watch {
	return &alert.Watch{ReadSalt: store.Salt, Store: store, Log: logger}
}

func warnerSettings(c config) tray.WarnerSettings {
	return tray.WarnerSettings{Alerts: c.Alerts, Words: c.Usage.Words(local(), os.LookupEnv)}
}

// trayOptions returns the settings of the tray.
func trayOptions(c config, err error) tray.Options {
	o := tray.Options{Config: c.Tray, Words: c.Usage.Words(local(), os.LookupEnv)}
	if err != nil {
		o.Problem = say.Sentence(err, err.Error())
	}
	return o
}

// local is the person's time zone.
func local() *time.Location {
	return time.Local //nolint:gosmopolitan // it is a person's program
}

// openSettings opens the configuration file, and makes a missing one.
func openSettings(ctx context.Context, file settings.File[config]) error {
	if err := file.Init(); err != nil && !errors.Is(err, settings.ErrThere) {
		return err
	}
	return desktop.Open(ctx, file.Path)
}
