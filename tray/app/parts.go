package app

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/adrg/xdg"

	"windsock/probe"
	"windsock/probe/say"
	"windsock/probe/signin"
	"windsock/probe/simulator/demo"
	"windsock/tray/autostart"
	"windsock/tray/desktop"
	"windsock/tray/instance"
	"windsock/tray/settings"
	"windsock/tray/window"
	"windsock/usage/history"
)

// parts are the parts of the commands and the app. A demo differs from a person's
// program in them alone. Tests change some.
type parts struct {
	newFinder func(...probe.Option) *probe.Finder
	// signIns are where sign-ins lie.
	signIns func() signin.Dirs
	// settings is the settings file. Its Path is empty if settingsErr says why there is
	// none.
	settings    settings.File[config]
	settingsErr error
	// stateDir has the database and the local API's key. runtimeDir has files that are
	// useless after the session.
	stateDir, runtimeDir string
	// lockDir has the lock that prevents a second app, logDir the log. Both are empty
	// in a demo, which may run beside the app and leaves nothing behind.
	lockDir, logDir string
	// leastLevel is the lowest level that is logged, whatever the settings say.
	leastLevel slog.Level
	// interval is the app's poll interval; zero leaves it to the settings.
	interval time.Duration
	// serverNow is the clock of the server's dates. It runs speed times faster than
	// clock. Outside a demo, serverNow is clock, and speed is 1.
	serverNow, clock func() time.Time
	speed            float64
	notifier         *desktop.Notifier
	// cloud is the way to the makers' own services in a demo, which reaches nothing else;
	// nil is the real one.
	cloud http.RoundTripper
	// atLogin is the entry that starts the app at login; nil for none.
	atLogin window.Autostart
	// demo says that all figures are invented.
	demo bool
	// deadline is told how long a command needs after an interrupt; it may be nil.
	deadline *deadline
}

// personal are the parts of the person who runs the program.
func personal() parts {
	p := parts{
		newFinder: probe.NewFinder, signIns: signin.UserDirs, clock: time.Now, serverNow: time.Now, speed: 1,
		stateDir: filepath.Join(xdg.StateHome, "windsock"), leastLevel: slog.LevelDebug,
		notifier: new(desktop.Notifier), deadline: new(deadline),
	}
	path, err := settings.Path()
	p.settings, p.settingsErr = configAt(path), err
	p.runtimeDir = p.stateDir
	if instance.Owned(xdg.RuntimeDir) {
		p.runtimeDir = filepath.Join(xdg.RuntimeDir, "windsock")
	}
	p.lockDir, p.logDir = p.runtimeDir, p.stateDir
	if executable, err := os.Executable(); err == nil { // without it there is no path to start
		p.atLogin = autostart.New(executable)
	}
	return p
}

// within returns the parts of a demo. It stores everything in its own directory, which
// is removed at its end.
func (p parts) within(d demo.Demo) parts {
	return parts{
		newFinder: func(options ...probe.Option) *probe.Finder {
			return p.newFinder(append(options, probe.WithDirs(signin.Below(d.Home)), probe.WithProcesses(d.Owns))...)
		},
		signIns:  func() signin.Dirs { return signin.Below(d.Home) },
		settings: configAt(filepath.Join(d.Home, ".config", "windsock", settings.Name)),
		stateDir: d.Home, runtimeDir: d.Home, leastLevel: slog.LevelWarn,
		interval: time.Second, clock: p.clock, serverNow: d.Now, speed: d.Speed,
		notifier: &desktop.Notifier{Prefix: "Demo: "}, cloud: d.Transport, demo: true, deadline: p.deadline,
	}
}

// config reads the settings; beside an error it returns the defaults.
func (p parts) config() (config, error) {
	if p.settingsErr != nil {
		return defaultConfig(), p.settingsErr
	}
	return p.settings.Load()
}

// set changes a setting, which the app follows. yourself is what a person can do in the
// file where comments would be lost.
func (p parts) set(apply func(*config), yourself string) error {
	if p.settingsErr != nil {
		return p.settingsErr
	}
	err := p.settings.Save(apply, false)
	if errors.Is(err, settings.ErrComments) {
		return &say.Error{
			What:  settings.Name + " would have to be written anew. " + yourself + " in it yourself; `windsock config --check` says what is wrong with it.",
			Cause: err,
		}
	}
	return err
}

// setLead makes a plan the leading one.
func (p parts) setLead(plan string) error {
	return p.set(func(c *config) { c.Tray.Plan = plan }, "Set tray.plan to "+plan)
}

// watchSettings follows the settings. known and knownErr were read at the start.
func (p parts) watchSettings(ctx context.Context, logger *slog.Logger, known config, knownErr error, changed func(config, error)) error {
	if p.settingsErr != nil {
		return nil //nolint:nilerr // what is not there does not change
	}
	return p.settings.Watch(ctx, logger, known, knownErr, changed)
}

// historyName is the history's file name.
const historyName = "history.db"

// history is the store of the figures. A process has one: it would lose a file's locks
// if it opened the file twice.
func (p parts) history(logger *slog.Logger) *history.Store {
	return history.New(history.Config{Path: filepath.Join(p.stateDir, historyName), Log: logger})
}

// places are the paths of a person's files, for the settings view.
func (p parts) places() []window.Place {
	places := []window.Place{
		{What: "Settings", Path: p.settings.Path},
		{What: "History", Path: filepath.Join(p.stateDir, historyName)},
	}
	if p.logDir != "" {
		places = append(places, window.Place{What: "Log", Path: filepath.Join(p.logDir, logName)})
	}
	return places
}
