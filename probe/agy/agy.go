// Package agy gets the figures of agy, the command line of Antigravity, without its
// server, whose token agy keeps to itself (since 1.2.2). There are two ways:
//
//   - agy calls Windsock as its status line and hands it the figures. [Dirs.Install]
//     adds that line to agy's settings.
//   - Windsock runs agy for the answer to /usage, and keeps that. See [Dirs.Usage].
//
// Neither reads a login of agy, or connects to anything. The package knows where figures
// stand in what agy tells, and nothing of what they mean.
package agy

import (
	"os"
	"path/filepath"

	"windsock/probe/say"
)

// Dirs are where the files lie that this package reads and writes.
type Dirs struct {
	Home  string // the person's home directory, which holds agy's settings
	State string // Windsock's state directory, which holds the figures of agy
}

// UserDirs are the directories of the current user. Beside an error, which is a
// say.Teller, Home is missing.
func UserDirs(state string) (Dirs, error) {
	home, err := os.UserHomeDir()
	if err != nil { // it says that the variable is not defined
		return Dirs{State: state}, &say.Error{What: "Windsock cannot tell where agy's settings are: " + err.Error() + ".", Cure: "Set it and try again.", Cause: err}
	}
	return Dirs{Home: home, State: state}, nil
}

// settings is the path of agy's settings.
func (d Dirs) settings() string {
	return filepath.Join(d.Home, ".gemini", "antigravity-cli", "settings.json")
}

// Names of files, for people.
const (
	shownSettings = "~/.gemini/antigravity-cli/settings.json"
	backupSuffix  = ".windsock-backup"
)

// Config is the section [antigravity] of the configuration file.
type Config struct {
	// AskAgy says whether [Dirs.Usage] may be called.
	AskAgy bool `comment:"Whether Windsock runs agy, Antigravity's command line, for the figures when nothing else has them. agy then signs in with its own login, contacts Google, and may update itself; it uses no quota and leaves no conversation." toml:"ask_agy"`
}

// DefaultConfig returns the values of keys that are not in the file.
func DefaultConfig() Config { return Config{} }
