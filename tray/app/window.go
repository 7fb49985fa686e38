package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"windsock/assets"
	"windsock/chat"
	"windsock/chat/clean"
	"windsock/tray"
	"windsock/tray/autostart"
	"windsock/tray/desktop"
	"windsock/tray/instance"
	"windsock/tray/settings"
	"windsock/tray/window"
	"windsock/usage/history"
	"windsock/usage/poll"
	"windsock/usage/status"
	"windsock/usage/words"
)

// windowParts are what the window shares with what runs beside it.
type windowParts struct {
	poller    *poll.Poller
	service   *chat.Service
	store     *history.Store
	autostart window.Autostart // nil for none
	mutes     window.Mutes     // nil for none
	notifier  tray.Notifier
	// housekeeping is told what the window does to the cascades; nil for none.
	housekeeping *housekeeping
	// print tells an address to a person who has to open it; nil where none reads it.
	print  func(address string)
	logger *slog.Logger
}

// window is the window, which is closed until it is shown.
func (s surroundings) window(p windowParts) *window.Window {
	file, _ := s.settingsFile() // an error is told where the settings are read
	opener := window.Opener{Dir: s.sessionDir(), Default: desktop.Open, Print: p.print, Log: p.logger}
	config := window.Config{
		Version: version(), Demo: s.demo != nil, Page: assets.Window, Open: opener.Open, ByName: opener.ByName,
		Plan: p.poller, History: p.store,
		Words: func() words.Words {
			c, err := s.usageConfig()
			if err != nil {
				c = status.DefaultConfig()
			}
			return c.Words(local(), os.LookupEnv)
		},
		Chat:     windowChat{Service: p.service, store: p.store, logger: p.logger},
		Clean:    func(ctx context.Context) (clean.Target, error) { return s.cleanTarget(ctx, "") },
		StateDir: s.keepDir(), Now: s.now,
		Preferences: file, Places: append([]window.Place{{What: "Settings", Path: file.Path}}, s.places()...),
		Autostart: p.autostart, Mutes: p.mutes, Notify: notifyTest(p.notifier), Log: p.logger,
	}
	if p.housekeeping != nil {
		config.Cleaned = p.housekeeping.look
	}
	return window.New(config)
}

// settingsFile is what has the settings; a demo has some of its own, which go
// with it.
func (s surroundings) settingsFile() (settings.File[config], error) {
	if s.demo != nil {
		return configAt(filepath.Join(s.demo.Home, ".config", "windsock", settings.Name)), nil
	}
	return configFile()
}

// places are where else things lie, for the person whose they are.
func (s surroundings) places() []window.Place {
	places := []window.Place{{What: "History", Path: filepath.Join(s.keepDir(), historyName)}}
	if s.demo == nil {
		places = append(places, window.Place{What: "Log", Path: filepath.Join(stateDir(), tray.LogName)})
	}
	return places
}

// newPromptCommand is `windsock prompt`.
func (s surroundings) newPromptCommand() *cobra.Command {
	var name string
	cmd := &cobra.Command{
		Use:   "prompt",
		Short: "Open the prompt window",
		Long: `Open the window for a quick prompt; bind it to a key. It is the running app's
window, or, where none runs, this command's own until it is closed.

The window is a page of this computer in a browser's own window: Chromium, Chrome,
Edge, Brave or Vivaldi, or whatever WINDSOCK_BROWSER names; else it is a tab of the
default browser. Where there is none, its address is printed, which is good once.`,
		Example: `  windsock prompt
  windsock prompt --view usage
  WINDSOCK_BROWSER=vivaldi windsock prompt`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			view, ok := window.ParseView(name)
			if !ok {
				return &usageError{errors.New("--view takes prompt, usage, cascades or settings")}
			}
			return s.prompt(cmd, view)
		},
	}
	cmd.Flags().StringVar(&name, "view", string(window.Prompt), "show this `VIEW`: prompt, usage, cascades or settings")
	return cmd
}

// askTime is how long a process that runs may take to take a request.
const askTime = 2 * time.Second

// prompt raises the window that there is, or hosts one until it is closed.
func (s surroundings) prompt(cmd *cobra.Command, view window.View) error {
	requests := func(context.Context, func(instance.Request)) error { return nil }
	if s.demo == nil {
		dir := filepath.Join(runtimeDir(), "prompt") // its lock is not the app's, which may start beside it
		if raise(cmd.Context(), view, runtimeDir(), dir) {
			return nil
		}
		lock, err := instance.Acquire(dir)
		switch {
		case errors.Is(err, instance.ErrRunning) && raise(cmd.Context(), view, dir): // it has just begun
			return nil
		case err == nil:
			defer func() { _ = lock.Release() }() // the end of the process does it as well
			requests = lock.Requests
		}
	}
	return s.host(cmd, view, requests)
}

// raise asks the processes of directories for a view, and reports whether one
// took it.
func raise(ctx context.Context, view window.View, dirs ...string) bool {
	request := instance.Request{View: string(view), Activation: os.Getenv("XDG_ACTIVATION_TOKEN"), StartupID: os.Getenv("DESKTOP_STARTUP_ID")}
	for _, dir := range dirs {
		limited, cancel := context.WithTimeout(ctx, askTime)
		err := instance.Ask(limited, dir, request)
		cancel()
		if err == nil {
			return true
		}
	}
	return false
}

// host shows the window and serves it until it is closed.
func (s surroundings) host(cmd *cobra.Command, view window.View, requests func(context.Context, func(instance.Request)) error) error {
	logger := slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	c, unread := defaultConfig(), error(nil)
	if file, err := s.settingsFile(); err == nil {
		c, unread = file.Load() // the settings view says what is wrong with it
	}
	store := s.history(logger)
	defer func() { _ = store.Close() }() // what it could not write is lost either way
	poller := poll.New(s.pollerConfig(c, store.Record))
	s.putAway.allow(windowGrace)
	w := s.window(windowParts{
		poller: poller, service: s.appService(poller, nil, logger), store: store, notifier: s.notifier(), logger: logger, autostart: s.atLogin(),
		print: func(address string) { printAddress(cmd.OutOrStdout(), address) },
	})
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	beside, ctx := errgroup.WithContext(ctx)
	beside.Go(func() error { return poller.Run(ctx) })
	beside.Go(func() error { return w.Run(ctx) })
	beside.Go(func() error { return s.watchSettings(ctx, logger, c, unread, func(config, error) { w.Reread() }) })
	beside.Go(func() error {
		return requests(ctx, func(r instance.Request) { showRequested(ctx, w, r, logger) })
	})
	err := w.Show(ctx, view)
	if err == nil {
		w.Wait(ctx)
	}
	cancel()
	return errors.Join(err, beside.Wait())
}

// windowGrace is how long the window needs to put cascades away.
const windowGrace = 7 * time.Second

func printAddress(out io.Writer, address string) {
	_, _ = fmt.Fprintf(out, "No browser could be started here. Open this address within 30 seconds; it is good once:\n%s\n", address)
}

// showRequested shows the view that another process asks for.
func showRequested(ctx context.Context, w *window.Window, r instance.Request, logger *slog.Logger) {
	view, ok := window.ParseView(r.View)
	if !ok {
		view = window.Prompt
	}
	if err := w.Show(window.WithActivation(ctx, r.Activation, r.StartupID), view); err != nil {
		logger.WarnContext(ctx, "window not shown", slog.Any("err", err))
	}
}

// watchSettings follows the settings, a demo's own in a demo, of which known and
// knownErr are what was read at the start.
func (s surroundings) watchSettings(ctx context.Context, logger *slog.Logger, known config, knownErr error, changed func(config, error)) error {
	file, err := s.settingsFile()
	if err != nil {
		return nil //nolint:nilerr // what is not there does not change
	}
	return file.Watch(ctx, logger, known, knownErr, changed)
}

// atLogin is the entry that starts the app at login; nil in a demo, and where nobody
// knows what to start.
func (s surroundings) atLogin() window.Autostart {
	executable, err := os.Executable()
	if s.demo != nil || err != nil {
		return nil
	}
	return autostart.New(executable)
}

// notifyTest shows a notification that is about no figures.
func notifyTest(notifier tray.Notifier) func(title, text string) error {
	return func(title, text string) error {
		return notifier.Notify(desktop.Notification{Title: title, Text: text, Icon: desktop.AppIcon, Urgency: desktop.UrgencyNormal})
	}
}

// notifier shows notifications.
func (s surroundings) notifier() desktop.Notifier {
	if s.demo != nil {
		return desktop.Notifier{Prefix: "Demo: "}
	}
	return desktop.Notifier{}
}
