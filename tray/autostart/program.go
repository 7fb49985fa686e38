package autostart

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// program is what is to be started.
type program struct {
	executable string
	args       []string
}

// words is the command line.
func (p program) words() []string { return append([]string{p.executable}, p.args...) }

// runBy tells whether a command line runs the program: what it starts exists, and
// is the executable or is handed it, as env is, followed by the arguments and
// perhaps more. Another path to the same file is the same executable.
func (p program) runBy(words []string) bool {
	if len(words) == 0 || !startable(words[0]) {
		return false
	}
	for i, word := range words {
		rest := words[i+1:]
		if p.is(word) && len(rest) >= len(p.args) && slices.Equal(rest[:len(p.args)], p.args) {
			return true
		}
	}
	return false
}

func (p program) is(word string) bool {
	own, err := os.Stat(p.executable)
	if err != nil {
		return false
	}
	path, ok := lookUp(word)
	if !ok {
		return false
	}
	other, err := os.Stat(path)
	return err == nil && os.SameFile(own, other)
}

// startable tells whether there is an executable of that path, or of that name
// where the system looks for programs.
func startable(word string) bool {
	_, ok := lookUp(word)
	return ok
}

func lookUp(word string) (string, bool) {
	path, err := exec.LookPath(word)
	return path, err == nil && filepath.IsAbs(path)
}

// lasts refuses an executable that the next login would not find.
func (p program) lasts(passing []string) error {
	if !filepath.IsAbs(p.executable) {
		return refusal("executable is not an absolute path",
			"Windsock does not know where its own program file lies, so it cannot be set to start at login",
			"Start it by its full path and try again.")
	}
	if !startable(p.executable) {
		return refusal("executable is gone",
			"The program file of this Windsock was moved or deleted, so it would not start at the next login",
			"Start Windsock from where it lies now and try again.")
	}
	if p.passes(passing) {
		return refusal("executable is temporary",
			"This Windsock runs from a temporary directory, which may be empty at the next login",
			"Move it to a lasting place, start it from there and try again.")
	}
	return nil
}

// builtToRun is what a directory is called in which go run leaves an executable, and
// translocated where macOS runs an app that was not moved since its download.
var (
	builtToRun   = regexp.MustCompile(`^go-build[0-9]*$`)
	translocated = "AppTranslocation"
)

// passes tells whether the executable, or what it is a link to, lies below one of
// the passing directories or is the work of go run.
func (p program) passes(passing []string) bool {
	for _, path := range paths(p.executable) {
		for part := range strings.SplitSeq(filepath.ToSlash(path), "/") {
			if builtToRun.MatchString(part) || part == translocated {
				return true
			}
		}
		for _, dir := range passing {
			if slices.ContainsFunc(paths(dir), func(dir string) bool { return below(dir, path) }) {
				return true
			}
		}
	}
	return false
}

// paths is a path as it stands and, where that differs, free of links.
func paths(path string) []string {
	clean := filepath.Clean(path)
	if target, err := filepath.EvalSymlinks(path); err == nil && target != clean {
		return []string{clean, target}
	}
	return []string{clean}
}

func below(dir, path string) bool {
	rel, err := filepath.Rel(dir, path) // ignores case on Windows
	return err == nil && filepath.IsLocal(rel)
}

// unwritable is a command line that a place has no way to hold.
func unwritable(reason string) error {
	return refusal(reason,
		"The path of Windsock's program file cannot stand in an entry for login: "+reason,
		"Move Windsock to a directory with a plain name, start it from there and try again.")
}

// isText tells whether words can be written in a text file: UTF-8, no NUL.
func isText(words []string) bool {
	return !slices.ContainsFunc(words, func(w string) bool {
		return !utf8.ValidString(w) || strings.ContainsRune(w, 0)
	})
}
