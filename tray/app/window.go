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
	"windsock/chat/clean"
	"windsock/probe/say"
	"windsock/tray"
	"windsock/tray/desktop"
	"windsock/tray/instance"
	"windsock/tray/window"
	"windsock/tray/window/browser"
	"windsock/usage/pace"
	"windsock/usage/words"
)

// window is the window, which is closed until it is shown. mutes may be nil. tell shows
// a person the address to open; it is nil if no person would read it.
func (p parts) window(c core, mutes window.Mutes, tell func(address string)) *window.Window {
	opener := browser.Opener{Dir: p.runtimeDir, Default: desktop.Open, Print: tell, Log: c.logger}
	return window.New(window.Config{
		Version: version(), Demo: p.demo, Page: assets.Window, Open: opener.Open, ByName: opener.ByName,
		Plan: c.poller, History: c.store, Spend: c.spending,
		Words: func() words.Words {
			usage, _ := p.usageConfig() // the defaults in case of an error
			return usage.Words(local(), os.LookupEnv)
		},
		Pace: func() pace.Options {
			usage, _ := p.usageConfig() // the defaults in case of an error
			return usage.Pace(local())
		},
		Chat:    windowChat{Service: c.service, agents: c.agents, consent: p.consent(c.agents), store: c.store, logger: c.logger},
		Clean:   func(ctx context.Context) (clean.Target, error) { return p.cleanTarget(ctx, "") },
		Touched: c.table, Cleaned: c.house.look, Now: p.serverNow,
		Preferences: p.settings, Cloud: windowCloud{p.choices}, Places: p.places(),
		Autostart: p.atLogin, Shortcut: c.shortcut, Mutes: mutes, Notify: notifyTest(p.notifier), Log: c.logger,
	})
}

// newPromptCommand is `windsock prompt`.
func (p parts) newPromptCommand() *cobra.Command {
	var name string
	cmd := &cobra.Command{
		Use:   "prompt",
		Short: "Open the prompt window",
		Long: `Open the window for a quick prompt. It is the window of the running app; if none runs, this
command serves it until you close it. "windsock help window" says how to bind it to a key.

The window is a page of this computer in Chromium, Chrome, Edge, Brave or Vivaldi, or in the
program that WINDSOCK_BROWSER names; else in a tab of your default browser. If there is no
browser, its address is printed, which works once.`,
		Example: `  windsock prompt
  windsock prompt --view usage
  WINDSOCK_BROWSER=vivaldi windsock prompt`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			view, ok := window.ParseView(name)
			if !ok {
				return say.Usage("--view takes prompt, usage, cascades or settings")
			}
			return p.prompt(cmd, view)
		},
	}
	cmd.Flags().StringVar(&name, "view", string(window.Prompt), "show this `VIEW`: prompt, usage, cascades or settings")
	return cmd
}

// askTime is how long a running process may take to accept a request.
const askTime = 2 * time.Second

// prompt raises the existing window, or hosts one until it is closed.
func (p parts) prompt(cmd *cobra.Command, view window.View) error {
	requests := func(context.Context, func(instance.Request)) error { return nil }
	if p.lockDir != "" {
		dir := filepath.Join(p.lockDir, "prompt") // its lock is not the app's; the app may start beside it
		if raise(cmd.Context(), view, p.lockDir, dir) {
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
	return p.host(cmd, view, requests)
}

// raise asks the processes of directories for a view, and reports whether one
// accepted.
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
func (p parts) host(cmd *cobra.Command, view window.View, requests func(context.Context, func(instance.Request)) error) error {
	logger := slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	c, unread := p.config() // the settings view shows their error
	core := p.newCore(c, logger)
	defer func() {
		core.agents.close()
		_ = core.store.Close() // what it could not write is lost either way
	}()
	p.deadline.extend(windowTime)
	w := p.window(core, nil, func(address string) { printAddress(cmd.OutOrStdout(), address) })
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	beside, ctx := errgroup.WithContext(ctx)
	beside.Go(func() error { return core.poller.Run(ctx) })
	beside.Go(func() error { return w.Run(ctx) })
	beside.Go(func() error {
		return p.watchSettings(ctx, logger, c, unread, func(changed config, err error) {
			if err == nil {
				core.poller.Configure(p.pollerSettings(changed))
			}
			w.Reread()
		})
	})
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

// windowTime is how long the window needs to end answers and conversations.
const windowTime = 8 * time.Second

func printAddress(out io.Writer, address string) {
	_, _ = fmt.Fprintf(out, "No browser could be started here. Open this address within 30 seconds; it is good once:\n%s\n", address)
}

// showRequested shows the view that another process requests.
func showRequested(ctx context.Context, w *window.Window, r instance.Request, logger *slog.Logger) {
	view, ok := window.ParseView(r.View)
	if !ok {
		view = window.Prompt
	}
	if err := w.Show(desktop.WithActivation(ctx, r.Activation, r.StartupID), view); err != nil {
		logger.WarnContext(ctx, "window not shown", slog.Any("err", err))
	}
}

// notifyTest shows a test notification.
func notifyTest(notifier tray.Notifier) func(title, text string) error {
	return func(title, text string) error {
		return notifier.Notify(desktop.Notification{Title: title, Text: text, Icon: desktop.AppIcon, Urgency: desktop.UrgencyNormal})
	}
}
