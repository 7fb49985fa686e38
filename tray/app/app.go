package app

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net/http/httptrace"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/adrg/xdg"
	"github.com/spf13/cobra"

	"windsock/chat"
	"windsock/probe/system"
	"windsock/tray"
	"windsock/tray/autostart"
	"windsock/tray/desktop"
	"windsock/tray/instance"
	"windsock/tray/settings"
	"windsock/tray/window"
	"windsock/usage/alert"
	"windsock/usage/history"
	"windsock/usage/poll"
	"windsock/usage/status"
)

// launch is the app as it is started: the person's own, or the demo's.
func (s surroundings) launch() (tray.Launch, error) {
	if s.demo != nil {
		return tray.Launch{
			Version: version(), Level: slog.LevelWarn,
			Assemble: func(ctx context.Context, logger *slog.Logger) tray.Parts {
				c := defaultConfig()
				a := s.assemble(ctx, logger, c, tray.App{Demo: true})
				a.parts.Beside = append(a.parts.Beside, func(ctx context.Context) error {
					return s.watchSettings(ctx, logger, c, nil, func(c config, err error) {
						if err == nil {
							a.configure(c)
						}
						a.reread()
					})
				})
				return a.parts
			},
		}, nil
	}
	file, err := configFile()
	if err != nil {
		return tray.Launch{}, err
	}
	executable, err := os.Executable()
	if err != nil {
		return tray.Launch{}, fmt.Errorf("find own executable: %w", err)
	}
	var level slog.LevelVar
	return tray.Launch{
		Version: version(), Level: &level, RuntimeDir: runtimeDir(), StateDir: stateDir(),
		Second: func(ctx context.Context) { raise(ctx, window.Prompt, runtimeDir()) },
		Assemble: func(ctx context.Context, logger *slog.Logger) tray.Parts {
			// An app that starts at login has nobody to read an error, so it goes on with
			// the defaults and says so in its menu.
			c, err := file.Load()
			level.Set(c.Log.slogLevel())
			changes := make(chan tray.Options, 1) // the latest wins; nobody closes
			a := s.assemble(ctx, logger, c, tray.App{
				Autostart: autostart.New(executable),
				Open:      desktop.Open,
				Options:   trayOptions(c, err), Changes: changes,
			})
			local := s.newLocalAPI(logger, c, file, a)
			a.parts.App.API = local
			follow := func(changed config, err error) {
				if err == nil {
					c = changed
					level.Set(c.Log.slogLevel())
					a.configure(c)
					local.Configure(c.API)
				}
				tray.Latest(changes, trayOptions(c, err))
				a.reread()
			}
			// What is saved until the watch begins is told as well: it knows what was read.
			known := c
			a.parts.Beside = append(a.parts.Beside, local.Run, func(ctx context.Context) error { return file.Watch(ctx, logger, known, err, follow) })
			return a.parts
		},
	}, nil
}

// assembly is the app, put together, and what of it follows the configuration.
type assembly struct {
	parts     tray.Parts
	poller    *poll.Poller
	service   *chat.Service
	configure func(config)
	// reread tells the window that the settings have changed.
	reread func()
}

// assemble puts together what the person's app and the demo's have in common.
func (s surroundings) assemble(ctx context.Context, logger *slog.Logger, c config, app tray.App) assembly {
	store := s.history(logger)
	poller := poll.New(s.pollerConfig(c, store.Record))
	warner := tray.NewWarner(warnerSettings(c))
	watch := &alert.Watch{Store: store, Log: logger}
	salt, err := store.Salt(ctx)
	if err != nil {
		// What cannot be kept for long can be told apart for now.
		logger.WarnContext(ctx, "warnings are remembered until the end only", slog.Any("err", err))
		salt, watch.Store = []byte(rand.Text()), nil
	}
	watch.Salt = salt
	notifier := s.notifier()
	if app.Demo {
		app.Options = trayOptions(c, nil)
	}
	if !app.Demo {
		app.Diagnose = func(ctx context.Context) error { return s.showDiagnosis(ctx, store) }
	}
	house := s.newHousekeeping(logger)
	service := s.appService(poller, house, logger)
	w := s.window(windowParts{
		poller: poller, service: service, store: store, autostart: app.Autostart, mutes: warner, notifier: notifier, housekeeping: house, logger: logger,
	})
	app.Window = func(ctx context.Context, view string) error { return w.Show(ctx, window.View(view)) }
	app.Settings = func(ctx context.Context) error {
		err := w.Show(ctx, window.Settings)
		if file, fileErr := s.settingsFile(); err != nil && fileErr == nil {
			return openSettings(ctx, file)
		}
		return err
	}
	app.Cascades = house.stale
	app.Version, app.Poller, app.Warner, app.Notice = shortVersion(version()), poller, warner, store.Notice
	return assembly{
		poller: poller, service: service,
		parts: tray.Parts{
			App: app,
			Beside: []func(context.Context) error{
				poller.Run,
				func(ctx context.Context) error { return warner.Run(ctx, poller, watch, notifier, logger) },
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
			poller.Configure(s.pollerConfig(c, nil).Settings)
			warner.Configure(warnerSettings(c))
		},
		reread: w.Reread,
	}
}

// historyName is what the history is called.
const historyName = "history.db"

// history is the store of the figures.
func (s surroundings) history(logger *slog.Logger) *history.Store {
	return history.New(history.Config{Path: filepath.Join(s.keepDir(), historyName), Log: logger})
}

// keepDir is where things are kept; a demo has a directory of its own for that,
// which goes with it.
func (s surroundings) keepDir() string {
	if s.demo != nil {
		return s.demo.Home
	}
	return stateDir()
}

// sessionDir is where that lies which is of no use after the session.
func (s surroundings) sessionDir() string {
	if s.demo != nil {
		return s.demo.Home
	}
	return runtimeDir()
}

// newStatusCommand is `windsock status`.
func (s surroundings) newStatusCommand() *cobra.Command {
	store := s.history(slog.New(slog.DiscardHandler)) // a command has nobody to tell
	config := status.Parts{Recall: s.recall, Config: s.usageConfig, Record: store.Record, Runs: system.Runs}
	config.Fetch = func(ctx context.Context, variant string) (poll.Reading, error) {
		// The history is opened while the server thinks, when there is nothing else to
		// do: nobody waits for it then. A connection that is used again has brought the
		// handshake, and takes the question for the plan.
		asked, answered := make(chan struct{}), make(chan struct{})
		ask := sync.OnceFunc(func() { close(asked) })
		var opening sync.WaitGroup // ends with the fetch
		defer opening.Wait()
		defer close(answered)
		opening.Go(func() {
			select {
			case <-asked:
				_, _ = store.Load(ctx, "") // what is amiss with it is amiss in Record, too
			case <-answered:
			}
		})
		return s.fetch(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
			GotConn: func(c httptrace.GotConnInfo) {
				if c.Reused {
					ask()
				}
			},
		}), variant)
	}
	if s.demo != nil {
		config.Now, config.Speed = s.demo.Now, s.demo.Speed
	}
	cmd := status.NewCommand(config)
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		defer func() { _ = store.Close() }()
		return run(cmd, args)
	}
	return cmd
}

func (s surroundings) pollerConfig(c config, record poll.Record) poll.Config {
	p := poll.Config{Fetch: s.fetch, Recall: s.recall, Record: record, Runs: system.Runs, Settings: poll.Settings{
		Interval: cmp.Or(s.interval, c.Usage.Interval), Variant: c.Usage.Variant, Pace: c.Usage.Pace(local()),
	}}
	if s.demo != nil {
		p.Interval, p.Now, p.Speed = time.Second, s.demo.Now, s.demo.Speed
	}
	return p
}

func warnerSettings(c config) tray.WarnerSettings {
	return tray.WarnerSettings{Alerts: c.Alerts, Words: c.Usage.Words(local(), os.LookupEnv)}
}

// trayOptions are what the settings say of the tray.
func trayOptions(c config, err error) tray.Options {
	o := tray.Options{Config: c.Tray, Words: c.Usage.Words(local(), os.LookupEnv)}
	if err != nil {
		o.Problem = sentence(err)
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

// stateDir is where the log and the history lie.
func stateDir() string { return filepath.Join(xdg.StateHome, "windsock") }

// runtimeDir is where the lock lies: the session's own directory where there is
// one.
func runtimeDir() string {
	if instance.Owned(xdg.RuntimeDir) {
		return filepath.Join(xdg.RuntimeDir, "windsock")
	}
	return stateDir()
}
