package autostart

import (
	"errors"
	"path/filepath"
	"strings"
)

const desktopFileName = "windsock.desktop"

var errNoHome = errors.New("the home directory is not known")

// xdgPlace is the autostart directories of Linux and BSD.
type xdgPlace struct {
	config   string   // the user's, without autostart; "" where none is known
	system   []string // the same of the whole system, the most important first
	desktops []string // the names of the running desktop
}

// newXDGPlace reads the environment at once. The xdg library has done so when the
// program started, and would tell a test the directory of the developer.
func newXDGPlace(getenv func(string) string) xdgPlace {
	x := xdgPlace{config: getenv("XDG_CONFIG_HOME")}
	if home := getenv("HOME"); !filepath.IsAbs(x.config) { // a relative one is to be ignored
		x.config = ""
		if filepath.IsAbs(home) {
			x.config = filepath.Join(home, ".config")
		}
	}
	dirs := getenv("XDG_CONFIG_DIRS")
	if dirs == "" {
		dirs = "/etc/xdg"
	}
	for _, dir := range filepath.SplitList(dirs) {
		if filepath.IsAbs(dir) {
			x.system = append(x.system, dir)
		}
	}
	for name := range strings.SplitSeq(getenv("XDG_CURRENT_DESKTOP"), ":") {
		if name != "" {
			x.desktops = append(x.desktops, name)
		}
	}
	return x
}

func (xdgPlace) where() string {
	return "the directory autostart in ~/.config (or XDG_CONFIG_HOME)"
}

func (x xdgPlace) users() (entryFile, error) {
	if x.config == "" {
		return entryFile{}, errNoHome
	}
	return readEntry(filepath.Join(x.config, "autostart", desktopFileName))
}

// systems returns the entry of the whole system that counts. One that cannot be
// read is there, and starts nothing: the desktop cannot read it either.
func (x xdgPlace) systems() (d *desktopFile, found bool) {
	for _, dir := range x.system {
		e, err := readEntry(filepath.Join(dir, "autostart", desktopFileName))
		if err != nil {
			return &desktopFile{}, true
		}
		if e.found {
			return parseDesktopFile(e.content), true
		}
	}
	return &desktopFile{}, false
}

// enabled takes an entry of the whole system for one of Windsock whatever copy of
// it is started: that was the administrator's choice.
func (x xdgPlace) enabled(p program) (bool, error) {
	own, err := x.users()
	if err != nil {
		return false, err
	}
	if own.found {
		return p.runBy(parseDesktopFile(own.content).command(x.desktops)), nil
	}
	system, _ := x.systems()
	words := system.command(x.desktops)
	return len(words) > 0 && startable(words[0]), nil
}

// enable lets an entry of the whole system show through where that does it.
func (x xdgPlace) enable(p program) error {
	own, err := x.users()
	if err != nil {
		return err
	}
	d := parseDesktopFile(own.content)
	if d.isEntry() && !d.plain(p) {
		err = d.switchOn(p, x.desktops)
	} else {
		if system, _ := x.systems(); d.isEntry() && !own.linked && p.runBy(system.command(x.desktops)) {
			return own.remove()
		}
		d, err = newDesktopFile(p)
	}
	if err != nil {
		return err
	}
	return own.write(d.bytes())
}

func (x xdgPlace) disable(p program) error {
	own, err := x.users()
	if err != nil {
		return err
	}
	_, masks := x.systems()
	d := parseDesktopFile(own.content)
	switch {
	case !own.found && !masks:
		return nil
	case !own.found:
		d = newMask()
	case !d.isEntry() || d.is(keyHidden, true):
		return nil // starts nothing, and overrides what would
	case !own.linked && d.plain(p) && !masks:
		return own.remove()
	default:
		d.set(keyHidden, "true")
	}
	return own.write(d.bytes())
}
