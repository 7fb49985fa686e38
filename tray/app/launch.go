package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"golang.org/x/sync/errgroup"

	"windsock/probe/say"
	"windsock/tray"
	"windsock/tray/instance"
	"windsock/tray/window"
)

// process runs the app as a process: the only instance, with a log, and with what runs
// beside the icon.
type process struct {
	parts

	// headless omits the icon.
	headless       bool
	stdout, stderr io.Writer
	// assemble builds the app, once this is the only instance and the log is open.
	assemble func(*slog.Logger, *slog.LevelVar) assembly
}

// assembly is the app, ready to run.
type assembly struct {
	app tray.App
	// beside runs beside the icon; each function ends soon after its context. An error
	// of one ends the app.
	beside []func(context.Context) error
	// request handles another process's request, such as a second start.
	request func(context.Context, instance.Request)
	// close is called after everything has ended.
	close func()
}

// gcPercent has the heap collected at 2 MB and not at 4: 1 MB of it is live, and the app
// holds all day what it once took.
const gcPercent = 50

// run runs the app until ctx ends or the person quits, and returns nil then, and also
// if another instance is running. It has to be called once, on the process's first
// goroutine. It makes the app's logger the process's default logger.
func (p process) run(ctx context.Context) error {
	signal.Ignore(syscall.SIGPIPE) // the reader of stderr may end before the app
	lock, err := p.lock()
	if errors.Is(err, instance.ErrRunning) {
		if !p.headless { // a service that starts beside an icon has nobody who wants a window
			raise(ctx, window.Prompt, p.lockDir)
		}
		_, err = fmt.Fprintln(p.stdout, say.Sentence(err, ""))
		return err
	}
	if lock != nil {
		defer func() { _ = lock.Release() }() // the end of the process does it as well
	}
	debug.SetGCPercent(gcPercent)
	var level slog.LevelVar
	level.Set(max(p.leastLevel, slog.LevelInfo))
	logger, closeLog := p.openLog(&level)
	defer closeLog()
	// The output of systray and D-Bus in the log package goes here as well.
	slog.SetLogLoggerLevel(slog.LevelWarn)
	slog.SetDefault(logger)
	logger.Info("started", slog.String("version", version()), slog.Bool("headless", p.headless))
	defer logger.Info("ended")
	if os.Geteuid() == 0 && p.lockDir != "" {
		logger.Info("run by root")
		p.tell("This is root's Windsock, and it sees root's editors only. Start it as the user who runs the editor.")
	}

	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	a := p.assemble(logger, &level)
	defer a.close()
	a.app.Log, a.app.Tell = logger, p.tell
	beside, ctx := errgroup.WithContext(ctx)
	for _, run := range a.beside {
		beside.Go(func() error { return run(ctx) })
	}
	if lock != nil {
		beside.Go(func() error {
			// The app works without them, too.
			if err := lock.Requests(ctx, func(r instance.Request) { a.request(ctx, r) }); err != nil {
				logger.Warn("a second start is not heard", slog.Any("err", err))
			}
			return nil
		})
	}
	run := a.app.Run
	if p.headless {
		run = a.app.RunHeadless
	}
	err = run(ctx)
	cancel()
	err = errors.Join(err, beside.Wait())
	if err != nil && p.logDir != "" { // with the log on stderr, the command reports it there
		logger.Error("ended by an error", slog.Any("err", err))
	}
	return err
}

// tell writes to the person who started the app from a terminal.
func (p process) tell(sentence string) {
	_, _ = fmt.Fprintln(p.stderr, "windsock:", sentence) // stderr may be closed
}

// lock prevents a second instance; it is nil if it could not be taken at all. The
// error says that another instance has it.
func (p process) lock() (*instance.Lock, error) {
	if p.lockDir == "" {
		return nil, nil //nolint:nilnil // see above
	}
	lock, err := instance.Acquire(p.lockDir)
	if err != nil && !errors.Is(err, instance.ErrRunning) { // a second icon is better than none
		p.tell(say.Sentence(err, "Windsock cannot tell whether it is already running."))
		return nil, nil //nolint:nilnil // see above
	}
	return lock, err
}
