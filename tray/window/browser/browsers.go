package browser

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Variable is the environment variable for the browser: a program, by its name or its
// path.
const Variable = "WINDSOCK_BROWSER"

const (
	// windowSize fits the prompt with an answer, and a chart.
	windowSize = "760,700"
	// windowClass is the window's class for window managers on X11.
	windowClass = "windsock"
)

// program is a browser that shows an address.
type program struct {
	name string // for logs
	path string
	argv func(address string) []string
}

// system has the functions of a system that finding a browser uses.
type system struct {
	goos string
	env  func(string) string
	// find returns the path of a program, "" if there is none.
	find func(name string) string
	// there reports whether a file or a directory exists.
	there func(path string) bool
	// real returns the path behind all links, "" for nothing.
	real func(path string) string
	// appPath returns the path that Windows has registered for a program, "" for
	// nothing.
	appPath func(program string) string
	// entry returns the name of the default browser's desktop entry, "" for nothing.
	entry func(ctx context.Context) string
	home  string
}

func thisSystem() system {
	home, _ := os.UserHomeDir()
	return system{
		goos: runtime.GOOS, env: os.Getenv, home: home, appPath: appPath, entry: defaultEntry,
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
		real: func(path string) string {
			path, _ = filepath.EvalSymlinks(path)
			return path
		},
	}
}

// browsers are those that can open a separate window, in the order of trying. A
// browser that the person has named is the only one before the default one, whatever
// it is.
func browsers(s system) []program {
	if named := s.env(Variable); named != "" {
		switch {
		case s.goos == "darwin" && strings.HasSuffix(named, ".app"):
			return []program{macBrowser(named)}
		case hasAppMode(named):
			return []program{appBrowser(s, filepath.Base(named), named)}
		}
		return []program{{filepath.Base(named), named, func(address string) []string { return []string{named, address} }}}
	}
	if !hasScreen(s.goos, s.env) {
		return nil
	}
	switch s.goos {
	case "darwin":
		return macBrowsers(s)
	case "windows":
		return windowsBrowsers(s)
	default:
		return unixBrowsers(s)
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

// appModes are parts of the names of programs that support --app.
var appModes = []string{"chromium", "chrome", "edge", "brave", "vivaldi"}

func hasAppMode(program string) bool {
	name := strings.ToLower(filepath.Base(strings.ReplaceAll(program, `\`, "/")))
	return slices.ContainsFunc(appModes, func(part string) bool { return strings.Contains(name, part) })
}

// byName reports whether the browser resolves a name below localhost to this computer
// by itself. All do except Safari, which may be the default browser of macOS.
func byName(s system) bool {
	if s.goos != "darwin" {
		return true
	}
	found := browsers(s)
	return len(found) > 0 && (hasAppMode(found[0].name) || strings.Contains(strings.ToLower(found[0].name), "firefox"))
}

func appBrowser(s system, name, path string) program {
	return program{name, path, func(address string) []string { return append([]string{path}, appArgs(s.goos, address)...) }}
}

// appArgs request a separate window in the person's usual profile: another profile
// would show its welcome page, and be a second browser.
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
		"chromium", "/snap/bin/chromium", // Ubuntu's chromium-browser is a script for it
		"chromium-browser", "google-chrome", "google-chrome-stable",
		"microsoft-edge", "microsoft-edge-stable", "brave-browser", "brave-browser-stable", "brave",
		"vivaldi", "vivaldi-stable", "/snap/bin/brave",
	}
	flatpaks = []string{"org.chromium.Chromium", "com.google.Chrome", "com.microsoft.Edge", "com.brave.Browser", "com.vivaldi.Vivaldi"}
)

func unixBrowsers(s system) []program {
	var found []program
	for _, name := range unixPrograms {
		if path := s.find(name); path != "" {
			found = append(found, appBrowser(s, name, path))
		}
	}
	for _, id := range flatpaks {
		for _, dir := range []string{filepath.Join(s.home, ".local/share"), "/var/lib"} {
			if path := filepath.Join(dir, "flatpak/exports/bin", id); s.there(path) {
				found = append(found, appBrowser(s, id, path))
				break
			}
		}
	}
	return found
}

var macApps = []string{"Google Chrome", "Chromium", "Microsoft Edge", "Brave Browser", "Vivaldi"}

func macBrowsers(s system) []program {
	var found []program
	for _, name := range macApps {
		for _, dir := range []string{"/Applications", filepath.Join(s.home, "Applications")} {
			if path := filepath.Join(dir, name+".app"); s.there(path) {
				found = append(found, macBrowser(path))
				break
			}
		}
	}
	return found
}

// macBrowser lets the system start an application, which otherwise would lack its
// place in the Dock. With -n, the application accepts arguments even while it runs.
func macBrowser(app string) program {
	return program{filepath.Base(app), app, func(address string) []string {
		return append([]string{"open", "-na", app, "--args"}, appArgs("darwin", address)...)
	}}
}

var windowsPrograms = []string{"chrome.exe", "msedge.exe", "brave.exe", "vivaldi.exe"}

func windowsBrowsers(s system) []program {
	var found []program
	for _, name := range windowsPrograms {
		if path := s.appPath(name); path != "" {
			found = append(found, appBrowser(s, name, path))
		}
	}
	return found
}
