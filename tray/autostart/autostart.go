// Package autostart starts this program when its user logs in. It writes, reads and
// removes one entry, its own, and leaves those of others alone.
//
//   - Linux and BSD: windsock.desktop in the user's autostart directory.
//   - macOS: a launch agent in ~/Library/LaunchAgents. launchctl is not called: to
//     unload the agent would end the Windsock that it has started, and to load it
//     would start a second one. A change takes effect at the next login. What was
//     switched off in System Settings is not known here.
//   - Windows: a value in the user's Run key, and what Task Manager notes about it.
package autostart

import (
	"os"
	"os/exec"
	"path/filepath"

	"windsock/probe/files"
	"windsock/probe/redact"
	"windsock/probe/say"
)

// Entry starts this program at login. Each call reads it anew. An Entry may be used by
// several goroutines.
type Entry struct {
	executable string
	place      place
	temporary  []string // directories that the system empties
}

// place is the system's place for the entry.
type place interface {
	// command returns the program that the entry starts, or "" if the entry is missing
	// or switched off.
	command() (string, error)
	write(executable string) error
	remove() error
	// where names the place for people, without a user's name.
	where() string
}

// New returns the entry of an executable, by its absolute path (os.Executable).
func New(executable string) *Entry {
	return &Entry{executable, systemPlace(), temporaryDirs()}
}

// Enabled reports whether the next login starts this executable. It is false for an
// entry of another executable. The error is a say.Teller.
func (e *Entry) Enabled() (bool, error) {
	command, err := e.place.command()
	if err != nil {
		return false, e.failed("Windsock cannot tell whether it starts at login", err)
	}
	return e.is(command), nil
}

// Enable makes the next login start this executable; it changes nothing if that is so
// already. It refuses an executable that would be gone by then. The error is a
// say.Teller.
func (e *Entry) Enable() error {
	if err := e.lasts(); err != nil {
		return err
	}
	if command, err := e.place.command(); err == nil && e.is(command) {
		return nil
	}
	if err := e.place.write(e.executable); err != nil {
		return e.failed("Windsock cannot be set to start at login", err)
	}
	return nil
}

// Disable removes the entry, whatever executable it names. The error is a say.Teller.
func (e *Entry) Disable() error {
	if err := e.place.remove(); err != nil {
		return e.failed("Windsock cannot be kept from starting at login", err)
	}
	return nil
}

// is reports whether a command is this executable, by this path or another.
func (e *Entry) is(command string) bool {
	path, err := exec.LookPath(command)
	if err != nil || !filepath.IsAbs(path) {
		return false
	}
	other, err := os.Stat(path)
	if err != nil {
		return false
	}
	own, err := os.Stat(e.executable)
	return err == nil && os.SameFile(own, other)
}

func (e *Entry) failed(what string, err error) error {
	if _, told := err.(say.Teller); told { //nolint:errorlint // nothing wraps it here
		return err
	}
	err = redact.Path(err)
	return &say.Error{What: what + ": " + err.Error() + ".", Cure: files.Cure(err, "Check "+e.place.where()+" and its permissions, then try again."), Cause: err}
}

// unwritable is the error for an executable whose path an entry cannot hold.
func unwritable(reason string) error {
	return &say.Error{
		What: "The path of Windsock's program file cannot stand in an entry for login: " + reason + ".",
		Cure: "Move Windsock to a directory with a plain name, start it from there and try again.",
	}
}
