package tray

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"

	"golang.org/x/sync/errgroup"

	"windsock/probe/say"
	"windsock/tray/instance"
)

// Launch is the app as a process: alone, with a log, and with what runs beside
// the icon.
type Launch struct {
	// Version is logged.
	Version string
	// Assemble puts the parts together, once it is clear that this is the one
	// instance and there is a log.
	Assemble func(context.Context, *slog.Logger) Parts
	// Second is called where another instance runs already, to tell it; nil for
	// nothing.
	Second func(context.Context)
	// Headless leaves the icon out.
	Headless bool
	// RuntimeDir has the lock that keeps a second instance from running, and
	// StateDir the log. A demo has neither: it may run beside the app, and
	// leaves nothing behind.
	RuntimeDir, StateDir string
	// Level is the least grave level that is logged.
	Level slog.Leveler
	// Stdout and Stderr are for those who started the app from a terminal.
	Stdout, Stderr io.Writer
}

// Parts are what the app is made of.
type Parts struct {
	App App
	// Beside runs beside the icon; each ends soon after its context does. An
	// error of one ends the app.
	Beside []func(context.Context) error
	// Request does what another process asks for, a second start among them; nil for
	// nothing.
	Request func(context.Context, instance.Request)
	// Close is called when all of it has ended; nil for nothing.
	Close func()
}

// Run runs the app until ctx ends or the person quits, both of which return
// nil, as it does where another instance runs already. It has to be called on
// the process's first goroutine, and once. The process's default logger is the
// app's from then on.
func (l Launch) Run(ctx context.Context) error {
	// Whoever reads stderr may go before the app does, which is no reason to die.
	signal.Ignore(sigpipe...)
	tell := func(sentence string) {
		_, _ = fmt.Fprintln(l.Stderr, "windsock:", sentence) // nobody need read it
	}
	lock, err := l.lock(tell)
	if errors.Is(err, instance.ErrRunning) {
		if l.Second != nil {
			l.Second(ctx)
		}
		_, err = fmt.Fprintln(l.Stdout, say.Sentence(err, ""))
		return err
	}
	if lock != nil {
		defer func() { _ = lock.Release() }() // the end of the process does it as well
	}
	logger, closeLog := l.openLog()
	defer closeLog()
	// systray and D-Bus write to the log package, which ends up here as well.
	slog.SetLogLoggerLevel(slog.LevelWarn)
	slog.SetDefault(logger)
	logger.Info("started", slog.String("version", l.Version), slog.Bool("headless", l.Headless))
	defer logger.Info("ended")
	if os.Geteuid() == 0 && l.RuntimeDir != "" {
		logger.Info("run by root")
		tell("This is root's Windsock, and it sees root's editors only. Start it as the user who runs the editor.")
	}

	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	parts := l.Assemble(ctx, logger)
	if parts.Close != nil {
		defer parts.Close()
	}
	app := parts.App
	app.Log, app.Tell = logger, tell
	beside, ctx := errgroup.WithContext(ctx)
	for _, run := range parts.Beside {
		beside.Go(func() error { return run(ctx) })
	}
	if lock != nil && parts.Request != nil {
		beside.Go(func() error {
			// Without them, the app is as good as before.
			if err := lock.Requests(ctx, func(r instance.Request) { parts.Request(ctx, r) }); err != nil {
				logger.Warn("a second start is not heard", slog.Any("err", err))
			}
			return nil
		})
	}
	run := app.Run
	if l.Headless {
		run = app.RunHeadless
	}
	err = run(ctx)
	cancel()
	err = errors.Join(err, beside.Wait())
	if err != nil && l.StateDir != "" { // where the log is on stderr, the command tells it there
		logger.Error("ended by an error", slog.Any("err", err))
	}
	return err
}

// lock is what keeps a second instance from running; nil where there is none. The
// error is that another instance has it.
func (l Launch) lock(tell func(string)) (*instance.Lock, error) {
	if l.RuntimeDir == "" {
		return nil, nil //nolint:nilnil // see above
	}
	lock, err := instance.Acquire(l.RuntimeDir)
	if err != nil && !errors.Is(err, instance.ErrRunning) { // a second icon is not as bad as none
		tell(say.Sentence(err, "Windsock cannot tell whether it is already running."))
		return nil, nil //nolint:nilnil // see above
	}
	return lock, err
}
