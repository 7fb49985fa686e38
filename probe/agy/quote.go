package agy

import (
	"regexp"
	"strings"

	"windsock/probe/say"
)

// arguments is what stands behind the program in the command of the status line.
const arguments = " antigravity status-line"

var (
	// plainPath needs no quotes in any shell.
	plainPath = regexp.MustCompile(`^[\w@%+=:,./-]+$`)
	// builtToRun matches the directories of executables of go run.
	builtToRun = regexp.MustCompile(`/go-build[0-9]*/`)
)

// commandOf is the command of the status line that runs a program, by its absolute
// path. agy passes it to sh, on Windows too. Source: issues 207 and 344 of
// google-antigravity/antigravity-cli. The form for Windows is one that cmd reads as
// well. The error is a say.Teller.
func commandOf(program, goos string) (string, error) {
	if program == "" || goos != "windows" && !strings.HasPrefix(program, "/") {
		return "", &say.Error{
			What: "Windsock does not know where its own program file lies, so agy could not run it.",
			Cure: "Start it by its full path and try again.",
		}
	}
	if goos == "windows" {
		program = strings.ReplaceAll(program, `\`, "/") // to sh a backslash is an escape
	}
	switch {
	case builtToRun.MatchString(program):
		return "", &say.Error{
			What: "This Windsock was built by go run and is gone when it ends, so agy could not run it.",
			Cure: "Install it with `go install .`, start that one and try again.",
		}
	case plainPath.MatchString(program):
		return program + arguments, nil
	case goos != "windows":
		return `'` + strings.ReplaceAll(program, `'`, `'\''`) + `'` + arguments, nil
	case strings.ContainsAny(program, "$`\"%"):
		return "", &say.Error{
			What: "The path of Windsock's program file has a character that agy's shell would read as its own.",
			Cure: "Move it to a directory without $, ` and %, and try again.",
		}
	default:
		return `"` + program + `"` + arguments, nil
	}
}
