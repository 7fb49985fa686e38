package window

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"time"

	"windsock/probe/redact"
)

// usualStartTime is how long a browser is watched for a start that fails. One that
// hands over to another that runs ends within it, and well.
const usualStartTime = 2 * time.Second

// Opener shows an address in a window of its own of a browser that can do so,
// else in a tab of the default browser.
type Opener struct {
	// Default shows an address in the default browser.
	Default func(ctx context.Context, address string) error
	// Print tells the address to a person who has to open it by themselves; nil is
	// nobody there to read it.
	Print func(address string)
	Log   *slog.Logger

	startTime time.Duration // 0 is the usual one; tests have a longer one
}

// Open returns when a browser was started. The end of the browser is not the end
// of the window: one that runs already takes the address over from the one that
// was started.
func (o Opener) Open(ctx context.Context, address string) error {
	found := browsers(systemLooks(), address)
	for _, b := range found {
		err := start(ctx, b, cmp.Or(o.startTime, usualStartTime))
		if err == nil {
			o.Log.DebugContext(ctx, "browser started", slog.String("browser", b.name))
			return nil
		}
		o.Log.InfoContext(ctx, "browser not started", slog.String("browser", b.name), slog.Any("err", withoutArgs(err)))
	}
	err := errNoScreen
	if hasScreen(runtime.GOOS, os.Getenv) {
		if err = o.Default(ctx, address); err == nil {
			return nil
		}
		o.Log.InfoContext(ctx, "default browser not started", slog.Any("err", withoutArgs(err)))
	}
	if o.Print != nil {
		o.Print(address)
		return nil
	}
	return &openError{err}
}

var errNoScreen = errors.New("no screen")

// openError is that no browser shows the window.
type openError struct{ cause error }

func (e *openError) Error() string { return "open window: " + withoutArgs(e.cause).Error() }
func (e *openError) Unwrap() error { return e.cause }

// Sentence is for people.
func (*openError) Sentence() string {
	return "No browser could be started. Set " + BrowserVariable + " to one, or run `windsock prompt` in a terminal."
}

// ExitCode returns 1.
func (*openError) ExitCode() int { return 1 }

// withoutArgs is an error of a start without what was started, the address among
// it.
func withoutArgs(err error) error {
	if e, ok := errors.AsType[*exec.ExitError](err); ok {
		return errors.New(e.String())
	}
	return redact.Path(err)
}

type activationKey struct{}

// WithActivation has a browser that is started with the context come to the front:
// with what the desktop has given to the process that asks for the window, in
// $XDG_ACTIVATION_TOKEN and $DESKTOP_STARTUP_ID. Either may be empty.
func WithActivation(ctx context.Context, token, startupID string) context.Context {
	var tokens []string
	if token != "" {
		tokens = append(tokens, "XDG_ACTIVATION_TOKEN="+token)
	}
	if startupID != "" {
		tokens = append(tokens, "DESKTOP_STARTUP_ID="+startupID)
	}
	if tokens == nil {
		return ctx
	}
	return context.WithValue(ctx, activationKey{}, tokens)
}

// start starts a browser and watches it for a moment. It outlives this process,
// and knows nothing of its terminal.
func start(ctx context.Context, b browser, watched time.Duration) error {
	cmd := exec.CommandContext(context.WithoutCancel(ctx), b.argv[0], b.argv[1:]...)
	detach(cmd)
	if tokens, ok := ctx.Value(activationKey{}).([]string); ok {
		cmd.Env = append(os.Environ(), tokens...)
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)        // has room, so that nobody need wait
	go func() { ended <- cmd.Wait() }() // ends with the browser
	select {
	case err := <-ended:
		return err
	case <-time.After(watched):
		return nil
	case <-ctx.Done():
		return nil
	}
}
