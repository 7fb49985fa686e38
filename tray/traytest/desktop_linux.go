package traytest

import (
	"bufio"
	_ "embed"
	"errors"
	"image"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"windsock/probe/probetest"
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

// Look is a theme of panel, menus and notifications.
type Look struct {
	dark                              bool
	wallpaper                         string
	background, foreground, frameLine string // of notifications
}

// The looks.
var (
	Dark  = Look{true, "#33475b", "#2d2d2d", "#eeeeec", "#505050"}
	Light = Look{false, "#a9bccb", "#f6f5f4", "#2e3436", "#b6b2ad"}
)

// Desktop is a bus with a screen, 1024 by 600 pixels of 24 bits: openbox, a dunst with
// notifications at the bottom right, and at the top an xfce4-panel with only a tray at
// the right end.
type Desktop struct {
	*Bus

	framebuffer string
	panel       *Process // nil while it is stopped

	// menu is the place of the menu that OpenMenu opened, below the panel, and covered
	// its content; nil after CloseMenu.
	menu    image.Rectangle
	covered *image.NRGBA
}

// StartDesktop starts a desktop for the duration of the test. It is ready for icons
// and notifications when it returns. It needs Xvfb, dbus-daemon, openbox, xfce4-panel,
// dunst and xdotool; with xsetroot it has a wallpaper.
func StartDesktop(tb testing.TB, l Look) *Desktop {
	tb.Helper()
	probetest.NeedTools(tb, "Xvfb", "dbus-daemon", "openbox", "xfce4-panel", "dunst", "xdotool")
	d := &Desktop{Bus: &Bus{session: newSession(tb)}}
	d.writeSettings(tb, l)
	for name, value := range map[string]string{
		"GIO_USE_VFS":         "local", // else GTK looks for missing daemons
		"GSETTINGS_BACKEND":   "memory",
		"GTK_A11Y":            "none",
		"NO_AT_BRIDGE":        "1",
		"XDG_CURRENT_DESKTOP": "XFCE",
		"XDG_SESSION_TYPE":    "x11",
	} {
		d.session.setenv(name, value)
	}
	d.startScreen(tb)
	d.startDaemon(tb)
	d.session.daemon(tb, command(tb, "openbox"))
	if _, err := exec.LookPath("xsetroot"); err == nil { // else the wallpaper is black
		d.tool(tb, "xsetroot", "-solid", l.wallpaper)
	}
	d.session.daemon(tb, command(tb, xfconfd(tb)))
	d.session.daemon(tb, command(tb, "dunst"))
	d.waitName(tb, "org.xfce.Xfconf")
	d.StartPanel(tb)
	d.waitName(tb, notifierName)
	return d
}

// xfconfd is the program that keeps the panel's settings. It is not in PATH.
func xfconfd(tb testing.TB) string {
	tb.Helper()
	found, _ := filepath.Glob("/usr/lib/*/xfce4/xfconf/xfconfd")
	if len(found) == 0 {
		tb.Fatal("find xfconfd: not below /usr/lib")
	}
	return found[0]
}

// StartPanel starts the panel and waits until it is drawn and accepts icons.
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
		return err == nil && host && d.panelDrawn(tb), d.session.output()
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
	wait(tb, "see the watcher go", func() (bool, string) { return !d.owned(watcherName), d.session.output() })
}

// startScreen starts an X server on a free display, whose number the server writes
// to its file 3. The screen is a file, so a picture of it is one read.
func (d *Desktop) startScreen(tb testing.TB) {
	tb.Helper()
	from, to, err := os.Pipe()
	if err != nil {
		tb.Fatal(err)
	}
	defer from.Close()
	cmd := command(tb, "Xvfb", "-displayfd", "3", "-screen", "0", "1024x600x24", "-dpi", "96",
		"-fbdir", d.session.dir, "-nocursor", "-noreset", "-nolisten", "tcp")
	cmd.ExtraFiles = []*os.File{to}
	d.session.daemon(tb, cmd)
	d.framebuffer = filepath.Join(d.session.dir, "Xvfb_screen0")
	if err := errors.Join(to.Close(), from.SetReadDeadline(time.Now().Add(waitTime))); err != nil {
		tb.Fatal(err)
	}
	display, err := bufio.NewReader(from).ReadString('\n')
	if err != nil {
		tb.Fatalf("Xvfb does not start: %v", err)
	}
	d.session.setenv("DISPLAY", ":"+strings.TrimSpace(display))
}

// writeSettings writes the files that the desktop's programs read at their start.
func (d *Desktop) writeSettings(tb testing.TB, l Look) {
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
	wait(tb, "see "+name+" on the bus", func() (bool, string) { return d.owned(name), d.session.output() })
}
