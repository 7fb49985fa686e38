// Package autostart starts this program when its user logs in.
//
// Each system keeps that in its own place, and in each the state is the true one:
// not that an entry is there, but that the next login will start this executable.
//
//   - Linux and BSD: windsock.desktop in an autostart directory, by the Desktop
//     Application Autostart and Desktop Entry specifications. An entry of the whole
//     system counts as long as the user's own does not override it.
//   - macOS: a launch agent in ~/Library/LaunchAgents. launchctl is not called:
//     to unload the agent would end the Windsock that it has started, and to load it
//     would start a second one. A change takes effect at the next login. What
//     was switched off in System Settings is kept out of sight of programs and
//     is not known here.
//   - Windows: a value in the registry's Run key of the user, and what Task Manager
//     and Settings note about it.
//
// What is written there is made, read and judged by pure functions that run on
// every system; only the place_*.go differ.
package autostart

import (
	"os"
	"slices"
)

// Entry is how this program is started at login. It holds no state but what New
// was given and the environment said then: each call looks anew, and an Entry may
// be used by several goroutines.
type Entry struct {
	program program
	place   place
	passing []string
}

// place is where a system keeps what it starts at login.
type place interface {
	enabled(p program) (bool, error)
	enable(p program) error
	disable(p program) error
	// where names the place to people, without a user's name.
	where() string
}

// New returns the entry of an executable, by its absolute path (os.Executable), and
// the arguments that it is to be started with.
func New(executable string, args ...string) *Entry {
	return &Entry{
		program: program{executable, slices.Clone(args)},
		place:   systemPlace(os.Getenv),
		passing: passingDirs(os.Getenv),
	}
}

// Enabled tells whether the next login starts this executable with these arguments
// (the user may have added more). It is false for an entry that starts another
// executable, or one that was moved or deleted. An error has a Sentence for people.
func (e *Entry) Enabled() (bool, error) {
	on, err := e.place.enabled(e.program)
	if err != nil {
		return false, e.failed(looking, err)
	}
	return on, nil
}

// Enable makes the next login start this executable, and changes nothing where that
// is so already. It refuses an executable that would not be there by then: one that
// is gone or lies in a temporary directory, as what go run builds does. What the
// user has added to an entry stays, except another program to start. An error has a
// Sentence for people.
func (e *Entry) Enable() error {
	if err := e.program.lasts(e.passing); err != nil {
		return err
	}
	if on, err := e.place.enabled(e.program); err == nil && on {
		return nil
	}
	if err := e.place.enable(e.program); err != nil {
		return e.failed(switchingOn, err)
	}
	return nil
}

// Disable makes the next login start no Windsock, whatever executable the entry
// names. It removes an entry that is all ours, and marks one as off that the user
// has added to. An error has a Sentence for people.
func (e *Entry) Disable() error {
	if err := e.place.disable(e.program); err != nil {
		return e.failed(switchingOff, err)
	}
	return nil
}
