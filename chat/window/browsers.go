package window

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// BrowserVariable is the environment's word for the browser: a program, by its
// name or its path.
const BrowserVariable = "WINDSOCK_BROWSER"

const (
	// windowSize has room for the prompt and an answer, and for a chart.
	windowSize = "760,700"
	// windowClass is what window managers on X11 call the window.
	windowClass = "windsock"
)

// browser is a program with what it is started with.
type browser struct {
	name string // for logs
	argv []string
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
