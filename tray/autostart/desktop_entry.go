package autostart

import (
	"slices"
	"strings"
)

// The keys that decide over a start at login.
const (
	keyExec    = "Exec"
	keyTryExec = "TryExec"
	keyHidden  = "Hidden"
	keyOnly    = "OnlyShowIn"
	keyNot     = "NotShowIn"
	keyGNOME   = "X-GNOME-Autostart-enabled"
)

// fixedKeys are the keys of an entry that do not depend on the program.
var fixedKeys = [][2]string{
	{"Type", "Application"},
	{"Name", "Windsock"},
	{"Comment", "Shows how much of your Windsurf plan is left"},
	{"Icon", "windsock"},
	{"Terminal", "false"},
	{"StartupNotify", "false"},
}

// newDesktopFile is an entry that starts the program. TryExec is in it so that a
// desktop passes over the entry in silence once the executable is gone.
func newDesktopFile(p program) (*desktopFile, error) {
	d := &desktopFile{[]string{mainGroup, ""}}
	for _, kv := range fixedKeys {
		d.set(kv[0], kv[1])
	}
	if err := d.setProgram(p); err != nil {
		return nil, err
	}
	d.set(keyGNOME, "true")
	return d, nil
}

// newMask is an entry that overrides one of the whole system and starts nothing.
func newMask() *desktopFile {
	return &desktopFile{[]string{mainGroup, "Type=Application", "Name=Windsock", keyHidden + "=true", ""}}
}

// env starts what GLib would not find: it looks for the executable before it turns
// %% into a percent sign (seen in 2.74).
const env = "/usr/bin/env"

// desktopWords is the command line that an entry is given.
func desktopWords(p program) []string {
	if strings.Contains(p.executable, "%") {
		return append([]string{env}, p.words()...)
	}
	return p.words()
}

func (d *desktopFile) setProgram(p program) error {
	if strings.Contains(p.executable, "=") { // forbidden there, and no quoting helps
		return unwritable("it holds an equals sign")
	}
	command, err := quoteExec(desktopWords(p))
	if err != nil {
		return err
	}
	d.set(keyExec, command)
	d.set(keyTryExec, escapeString(p.executable))
	return nil
}

// command returns what the entry starts on one of the desktops, or nil where it
// starts nothing.
func (d *desktopFile) command(desktops []string) []string {
	kind, _ := d.value("Type")
	if kind != "Application" || d.is(keyHidden, true) || d.is(keyGNOME, false) || !d.shownIn(desktops) {
		return nil
	}
	if try, ok := d.value(keyTryExec); ok && !startable(unescapeString(try)) {
		return nil
	}
	value, _ := d.value(keyExec)
	words, err := splitExec(value)
	if err != nil {
		return nil
	}
	return words
}

// shownIn goes through the names of the running desktop, which are those of
// XDG_CURRENT_DESKTOP. The first that either list has decides; otherwise a list of
// desktops to be shown in excludes all others.
func (d *desktopFile) shownIn(desktops []string) bool {
	only, hasOnly := d.list(keyOnly)
	not, _ := d.list(keyNot)
	for _, desktop := range desktops {
		if slices.Contains(only, desktop) {
			return true
		}
		if slices.Contains(not, desktop) {
			return false
		}
	}
	return !hasOnly
}

func (d *desktopFile) list(key string) ([]string, bool) {
	value, ok := d.value(key)
	return splitList(value), ok
}

// switchOn changes as little as makes the entry start the program here. Its command
// stays when it is one of the program, so that what the user added to it does.
func (d *desktopFile) switchOn(p program, desktops []string) error {
	d.remove(keyHidden)
	if _, ok := d.value(keyGNOME); ok {
		d.set(keyGNOME, "true")
	}
	d.show(desktops)
	d.set("Type", "Application")
	if name, _ := d.value("Name"); name == "" {
		d.set("Name", "Windsock")
	}
	if p.runBy(d.command(desktops)) {
		return nil
	}
	return d.setProgram(p)
}

// show takes the running desktop off the list of those that the entry is not shown
// in, and puts it on the list of those that alone it is shown in.
func (d *desktopFile) show(desktops []string) {
	if d.shownIn(desktops) {
		return
	}
	if not, ok := d.list(keyNot); ok {
		not = slices.DeleteFunc(not, func(name string) bool { return slices.Contains(desktops, name) })
		d.setList(keyNot, not)
	}
	if only, ok := d.list(keyOnly); ok && !d.shownIn(desktops) {
		d.setList(keyOnly, append(only, desktops[:min(1, len(desktops))]...))
	}
	if !d.shownIn(desktops) { // a desktop without a name, which is on no list
		d.remove(keyOnly)
	}
}

func (d *desktopFile) setList(key string, list []string) {
	if len(list) == 0 {
		d.remove(key)
		return
	}
	d.set(key, joinList(list))
}

// plain tells whether there is nothing in the file but what this package writes,
// for whatever executable, so that nothing is lost with it.
func (d *desktopFile) plain(p program) bool {
	for i, line := range d.lines {
		line = trim(line)
		key, value, isPair := pair(line)
		switch {
		case line == "", line == mainGroup && i == 0:
		case !isPair || !d.ours(key, value, p):
			return false
		}
	}
	return true
}

func (*desktopFile) ours(key, value string, p program) bool {
	switch key {
	case keyTryExec, keyHidden, keyGNOME:
		return true
	case keyExec:
		words, err := splitExec(value)
		if err != nil || len(words) == 0 {
			return false
		}
		of := program{words[0], p.args}
		if words[0] == env && len(words) > 1 {
			of.executable = words[1]
		}
		return slices.Equal(words, desktopWords(of))
	default:
		return slices.Contains(fixedKeys, [2]string{key, value})
	}
}
