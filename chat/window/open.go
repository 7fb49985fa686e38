package window

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"windsock/probe/redact"
)

// BrowserVariable is the environment's word for the browser: a program, by its
// name or its path.
const BrowserVariable = "WINDSOCK_BROWSER"

const (
	// windowSize has room for the prompt and an answer, and for a chart.
	windowSize = "760,700"
	// windowClass is what window managers on X11 call the window.
	windowClass = "windsock"
	// usualStartTime is how long a browser is watched for a start that fails. One that
	// hands over to another that runs ends within it, and well.
	usualStartTime = 2 * time.Second
)

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

// browser is a program with what it is started with.
type browser struct {
	name string // for logs
	argv []string
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

// looks is what finding a browser asks of a system.
type looks struct {
	goos string
	env  func(string) string
	// find is the path of a program of that name, "" where there is none.
	find func(name string) string
	// there reports whether there is a file or a directory.
	there func(path string) bool
	// appPath is what Windows has registered for a program, "" for nothing.
	appPath func(program string) string
	home    string
}

func systemLooks() looks {
	home, _ := os.UserHomeDir()
	return looks{
		goos: runtime.GOOS, env: os.Getenv, home: home, appPath: appPath,
		find: func(name string) string {
			path, err := exec.LookPath(name)
			if err != nil {
				return ""
			}
			return path
		},
		there: func(path string) bool {
			_, err := os.Stat(path)
			return err == nil
		},
	}
}

// browsers are those that can show a window of its own, in the order in which
// they are tried. The one that the person has named is tried alone before the
// default one, whatever it is.
func browsers(l looks, address string) []browser {
	if named := l.env(BrowserVariable); named != "" {
		if l.goos == "darwin" && strings.HasSuffix(named, ".app") {
			return []browser{{filepath.Base(named), macArgv(named, address)}}
		}
		argv := []string{named, address}
		if hasAppMode(named) {
			argv = append([]string{named}, appArgs(l.goos, address)...)
		}
		return []browser{{filepath.Base(named), argv}}
	}
	if !hasScreen(l.goos, l.env) {
		return nil
	}
	switch l.goos {
	case "darwin":
		return macBrowsers(l, address)
	case "windows":
		return windowsBrowsers(l, address)
	default:
		return unixBrowsers(l, address)
	}
}

// hasScreen reports whether there is a desktop to show anything on.
func hasScreen(goos string, env func(string) string) bool {
	switch goos {
	case "windows", "darwin":
		return true
	default:
		return env("DISPLAY") != "" || env("WAYLAND_DISPLAY") != ""
	}
}

// appModes are parts of the names of programs that know --app.
var appModes = []string{"chromium", "chrome", "edge", "brave", "vivaldi"}

func hasAppMode(program string) bool {
	name := strings.ToLower(filepath.Base(strings.ReplaceAll(program, `\`, "/")))
	return slices.ContainsFunc(appModes, func(part string) bool { return strings.Contains(name, part) })
}

// appArgs ask a browser for a window of its own, in the person's usual profile:
// another would show its welcome, and be a second browser.
func appArgs(goos, address string) []string {
	args := []string{"--app=" + address, "--window-size=" + windowSize}
	if goos != "windows" && goos != "darwin" {
		args = append(args, "--class="+windowClass)
	}
	return args
}

// Names of programs on Linux, and of the applications that Flatpak installs.
var (
	unixPrograms = []string{
		"chromium", "chromium-browser", "google-chrome", "google-chrome-stable",
		"microsoft-edge", "microsoft-edge-stable", "brave-browser", "brave-browser-stable", "brave",
		"vivaldi", "vivaldi-stable", "/snap/bin/chromium", "/snap/bin/brave",
	}
	flatpaks = []string{"org.chromium.Chromium", "com.google.Chrome", "com.microsoft.Edge", "com.brave.Browser", "com.vivaldi.Vivaldi"}
)

func unixBrowsers(l looks, address string) []browser {
	var found []browser
	add := func(name, path string) {
		found = append(found, browser{name, append([]string{path}, appArgs(l.goos, address)...)})
	}
	for _, name := range unixPrograms {
		if path := l.find(name); path != "" {
			add(name, path)
		}
	}
	for _, id := range flatpaks {
		for _, dir := range []string{filepath.Join(l.home, ".local/share"), "/var/lib"} {
			if path := filepath.Join(dir, "flatpak/exports/bin", id); l.there(path) {
				add(id, path)
				break
			}
		}
	}
	return found
}

var macApps = []string{"Google Chrome", "Chromium", "Microsoft Edge", "Brave Browser", "Vivaldi"}

func macBrowsers(l looks, address string) []browser {
	var found []browser
	for _, name := range macApps {
		for _, dir := range []string{"/Applications", filepath.Join(l.home, "Applications")} {
			if path := filepath.Join(dir, name+".app"); l.there(path) {
				found = append(found, browser{name, macArgv(path, address)})
				break
			}
		}
	}
	return found
}

// macArgv has the system start an application, which else would come without its
// place in the Dock. -n is what makes it take arguments while it runs.
func macArgv(app, address string) []string {
	return append([]string{"open", "-na", app, "--args"}, appArgs("darwin", address)...)
}

var windowsPrograms = []string{"chrome.exe", "msedge.exe", "brave.exe", "vivaldi.exe"}

func windowsBrowsers(l looks, address string) []browser {
	var found []browser
	for _, name := range windowsPrograms {
		if path := l.appPath(name); path != "" {
			found = append(found, browser{name, append([]string{path}, appArgs("windows", address)...)})
		}
	}
	return found
}
