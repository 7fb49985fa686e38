// Package browser shows the window's address in a browser: in a separate window if the
// browser can open one, else in a tab of the default browser. The address contains a
// ticket, and is passed in a file. The package knows nothing of the served content.
package browser

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"time"

	"windsock/probe/redact"
	"windsock/probe/say"
	"windsock/tray/desktop"
)

// usualStartTime is how long a browser's start is watched for a failure. A browser
// that hands over to a running one ends within it, with success.
const usualStartTime = 2 * time.Second

// Opener shows an address in a separate browser window if possible, else in a tab of
// the default browser.
type Opener struct {
	// Dir is a directory for the browser's start files, for this account only.
	Dir string
	// Default shows an address in the default browser.
	Default func(ctx context.Context, address string) error
	// Print shows the address to a person who has to open it; it is nil without a
	// terminal.
	Print func(address string)
	Log   *slog.Logger

	startTime time.Duration // 0 is the usual one; tests have a longer one
}

// ByName reports whether the browser that would be started resolves a name below
// localhost to this computer by itself.
func (Opener) ByName() bool { return byName(thisSystem()) }

// Open returns when a browser was started. The window may outlive that process: a
// running browser takes the address over from it. The browser gets the address in a
// file, if it can read one; clearAway removes the file, and has to be called when the
// address is no longer valid.
func (o Opener) Open(ctx context.Context, address string) (clearAway func(), err error) {
	s := thisSystem()
	files := &files{address: address, log: o.Log}
	for _, b := range browsers(s) {
		argv := b.argv(files.shown(ctx, s.fileDir(b.path, o.Dir)))
		err := o.watch(ctx, func(ctx context.Context) error { return start(ctx, argv) })
		if err == nil {
			o.Log.DebugContext(ctx, "browser started", slog.String("browser", b.name))
			return files.clear, nil
		}
		o.Log.InfoContext(ctx, "browser not started", slog.String("browser", b.name), slog.Any("err", withoutArgs(err)))
	}
	err = errNoScreen
	if hasScreen(runtime.GOOS, os.Getenv) {
		shown := files.shown(ctx, s.defaultFileDir(ctx, o.Dir))
		if err = o.watch(ctx, func(ctx context.Context) error { return o.Default(ctx, shown) }); err == nil {
			return files.clear, nil
		}
		o.Log.InfoContext(ctx, "default browser not started", slog.Any("err", withoutArgs(err)))
	}
	files.clear()
	if o.Print != nil {
		o.Print(address)
		return files.clear, nil
	}
	return nil, &say.Error{
		What:  "No browser could be started. Set " + Variable + " to one, or run `windsock prompt` in a terminal.",
		Cause: fmt.Errorf("open window: %w", withoutArgs(err)),
	}
}

// files are the redirects to an address, by directory.
type files struct {
	address string
	paths   map[string]string
	log     *slog.Logger
}

// shown is the browser's start argument: the address of a file, or the address itself
// if the browser could not read a file.
func (f *files) shown(ctx context.Context, dir string) string {
	if dir == "" {
		return f.address
	}
	if f.paths[dir] == "" {
		path, err := writeRedirect(dir, f.address)
		if err != nil {
			f.log.WarnContext(ctx, "the window's address goes by the command line", slog.Any("err", err))
			return f.address
		}
		if f.paths == nil {
			f.paths = map[string]string{}
		}
		f.paths[dir] = path
	}
	return fileAddress(f.paths[dir])
}

func (f *files) clear() {
	for _, path := range f.paths {
		_ = os.Remove(path) // it may be gone already
	}
}

var errNoScreen = errors.New("no screen")

// withoutArgs removes the command line, with the address, from an error of a start.
func withoutArgs(err error) error {
	if e, ok := errors.AsType[*exec.ExitError](err); ok {
		return errors.New(e.String())
	}
	return redact.Path(err)
}

// watch calls run, which ends with a browser or after its start, and watches it for a
// moment: without a failure by then, the browser counts as started.
func (o Opener) watch(ctx context.Context, run func(context.Context) error) error {
	ended := make(chan error, 1)      // has room, so that run never waits
	go func() { ended <- run(ctx) }() // ends with the browser
	select {
	case err := <-ended:
		return err
	case <-time.After(cmp.Or(o.startTime, usualStartTime)):
		return nil
	case <-ctx.Done():
		return nil
	}
}

// start runs a browser. The browser outlives this process, and has no access to its
// terminal.
func start(ctx context.Context, argv []string) error {
	cmd := exec.CommandContext(context.WithoutCancel(ctx), argv[0], argv[1:]...)
	desktop.Detach(cmd)
	cmd.Env = desktop.Environ(ctx)
	return cmd.Run()
}
