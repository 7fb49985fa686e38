package traytest

import (
	_ "embed"
	"image"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

var (
	//go:embed settings/xfce4-panel.xml
	panelXML string
	//go:embed settings/gtk.ini
	gtkINI string
	//go:embed settings/dunstrc
	dunstRC string
)

// panelHeight is the height of the panel along the top, in pixels.
const panelHeight = 36

// look is a theme of the desktop.
type look struct {
	dark                              bool
	wallpaper                         string
	background, foreground, frameLine string // of notifications
}

var (
	darkLook  = look{true, "#33475b", "#2d2d2d", "#eeeeec", "#505050"}
	lightLook = look{false, "#a9bccb", "#f6f5f4", "#2e3436", "#b6b2ad"}
)

// Option changes the desktop from the usual one, which is dark.
type Option func(*look)

// Light makes the panel, menus and notifications light.
func Light() Option { return func(l *look) { *l = lightLook } }

// Desktop is a bus with a screen, 1024 by 600 pixels of 24 bits: openbox, a dunst
// that shows notifications at the bottom right, and along the top an xfce4-panel
// whose only plugin is a tray at the right end.
type Desktop struct {
	*Bus

	framebuffer string
	panel       *Process // nil while it is stopped

	// menu is where OpenMenu has opened one, below the panel, and covered what was
	// there; nil once CloseMenu has looked for it.
	menu    image.Rectangle
	covered *image.NRGBA
}

// StartDesktop starts a desktop that lives as long as the test. It is ready for
// icons and notifications when it returns. It needs Xvfb, dbus-daemon, openbox,
// xfce4-panel, dunst and xdotool; with xsetroot it has a wallpaper.
func StartDesktop(tb testing.TB, opts ...Option) *Desktop {
	tb.Helper()
	Need(tb, "Xvfb", "dbus-daemon", "openbox", "xfce4-panel", "dunst", "xdotool")
	l := darkLook
	for _, opt := range opts {
		opt(&l)
	}
	d := &Desktop{Bus: &Bus{session: newSession(tb)}}
	d.writeSettings(tb, l)
	for name, value := range map[string]string{
		"GIO_USE_VFS":         "local", // else GTK looks for daemons that are not there
		"GSETTINGS_BACKEND":   "memory",
		"GTK_A11Y":            "none",
		"NO_AT_BRIDGE":        "1",
		"XDG_CURRENT_DESKTOP": "XFCE",
		"XDG_SESSION_TYPE":    "x11",
	} {
		d.session.setenv(name, value)
	}
	screen := d.startScreen(tb)
	bus := d.startDaemon(tb)
	d.session.setenv("DISPLAY", ":"+screen())
	d.session.daemon(tb, command(tb, "openbox"))
	d.paint(tb, l.wallpaper)
	bus()
	d.session.daemon(tb, command(tb, xfconfd(tb)))
	d.session.daemon(tb, command(tb, "dunst"))
	d.waitName(tb, "org.xfce.Xfconf")
	d.StartPanel(tb)
	d.waitName(tb, notifierName)
	return d
}

// xfconfd is the program that keeps the panel's settings. It has no place in
// PATH; the file that lets a bus start it says where it is.
func xfconfd(tb testing.TB) string {
	tb.Helper()
	const file = "/usr/share/dbus-1/services/org.xfce.Xfconf.service"
	data, err := os.ReadFile(file)
	if err != nil {
		tb.Fatalf("find xfconfd: %v", err)
	}
	for line := range strings.Lines(string(data)) {
		if path, ok := strings.CutPrefix(strings.TrimSpace(line), "Exec="); ok {
			return path
		}
	}
	tb.Fatalf("find xfconfd: no Exec in %s", file)
	return ""
}

// StartPanel starts the panel and waits until it is drawn and takes icons.
func (d *Desktop) StartPanel(tb testing.TB) {
	tb.Helper()
	if d.panel != nil {
		tb.Fatal("the panel is there already")
	}
	d.panel = d.session.daemon(tb, command(tb, "xfce4-panel", "--disable-wm-check"))
	watcher := d.conn.Object(watcherName, watcherPath)
	wait(tb, "see the panel take icons", func() (bool, string) {
		var host bool
		err := watcher.StoreProperty(watcherName+".IsStatusNotifierHostRegistered", &host)
		return err == nil && host && d.panelDrawn(tb), d.session.told()
	})
}

// StopPanel ends the panel, and with it the watcher and the tray.
func (d *Desktop) StopPanel(tb testing.TB) {
	tb.Helper()
	if d.panel == nil {
		tb.Fatal("there is no panel")
	}
	d.panel.Stop()
	d.panel = nil
	wait(tb, "see the watcher go", func() (bool, string) { return !d.owned(watcherName), d.session.told() })
}

// startScreen starts an X server on a free display. Its screen is a file, so a
// picture of it is one read. What it returns waits for the display's number.
func (d *Desktop) startScreen(tb testing.TB) (display func() string) {
	tb.Helper()
	cmd := command(tb, "Xvfb", "-displayfd", "3", "-screen", "0", "1024x600x24", "-dpi", "96",
		"-fbdir", d.session.dir, "-nocursor", "-noreset", "-nolisten", "tcp")
	line := lineFrom(tb, cmd)
	d.session.daemon(tb, cmd)
	d.framebuffer = filepath.Join(d.session.dir, "Xvfb_screen0")
	return line
}

// writeSettings writes what the desktop's programs read when they start.
func (d *Desktop) writeSettings(tb testing.TB, l look) {
	tb.Helper()
	config := filepath.Join(d.session.dir, "home", ".config")
	words := []string{
		"@DARK@", strconv.FormatBool(l.dark), "@HEIGHT@", strconv.Itoa(panelHeight),
		"@BACKGROUND@", l.background, "@FOREGROUND@", l.foreground, "@FRAME@", l.frameLine,
	}
	writeFile(tb, filepath.Join(config, "xfce4/xfconf/xfce-perchannel-xml/xfce4-panel.xml"), panelXML, words...)
	writeFile(tb, filepath.Join(config, "gtk-3.0/settings.ini"), gtkINI, words...)
	writeFile(tb, filepath.Join(config, "dunst/dunstrc"), dunstRC, words...)
}

// paint gives the root window a colour. Without xsetroot it stays black.
func (d *Desktop) paint(tb testing.TB, colour string) {
	tb.Helper()
	if _, err := exec.LookPath("xsetroot"); err == nil {
		d.tool(tb, "xsetroot", "-solid", colour)
	}
}

// tool runs a program of the desktop to its end.
func (d *Desktop) tool(tb testing.TB, name string, args ...string) {
	tb.Helper()
	cmd := command(tb, name, args...)
	cmd.Env = d.session.environ
	if out, err := cmd.CombinedOutput(); err != nil {
		tb.Fatalf("%s %s: %v: %s", name, strings.Join(args, " "), err, out)
	}
}

func (d *Desktop) waitName(tb testing.TB, name string) {
	tb.Helper()
	wait(tb, "see "+name+" on the bus", func() (bool, string) { return d.owned(name), d.session.told() })
}
