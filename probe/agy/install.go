package agy

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"windsock/probe/files"
	"windsock/probe/redact"
	"windsock/probe/say"
)

// maxSettings, in bytes, is far more than agy's settings have.
const maxSettings = 1 << 20

var errLink = errors.New("it is a link")

// readSettings returns agy's settings and the mode of their file. A missing file is
// empty.
func (d Dirs) readSettings() (text []byte, mode fs.FileMode, err error) {
	info, err := os.Lstat(d.settings())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, 0o600, nil
	case err != nil:
		return nil, 0, redact.Path(err)
	case info.Mode()&fs.ModeSymlink != 0: // files.Replace would put a file in its place
		return nil, 0, errLink
	}
	text, err = files.Read(d.settings(), maxSettings)
	return text, info.Mode().Perm(), err
}

// Line is the status line that Windsock would add to agy's settings.
type Line struct {
	Command string
	// There says that the settings have it already.
	There bool
	// Copies says that Install would keep a copy of the settings. A copy is from before
	// the first line of Windsock.
	Copies bool

	content, old []byte
	mode         fs.FileMode
}

// Plan says what Install would do with the line of a program, by its absolute path. It
// changes nothing. The error is a say.Teller; errors.Is(err, ErrOther) tells that the
// settings have the line of another program.
func (d Dirs) Plan(program string) (Line, error) {
	command, err := commandOf(program, runtime.GOOS)
	if err != nil {
		return Line{}, err
	}
	line := Line{Command: command}
	line.old, line.mode, err = d.readSettings()
	if err == nil {
		line.content, err = withLine(line.old, command)
	}
	switch {
	case errors.Is(err, errHaveLine):
		line.There = true
		return line, nil
	case err != nil:
		return line, unusable(err)
	}
	_, none := withoutLine(line.old, command)
	line.Copies = line.old != nil && errors.Is(none, errNoLine)
	return line, nil
}

// Install adds the line to agy's settings, and before that keeps a copy of them if they
// had none of Windsock. The error is a say.Teller.
func (d Dirs) Install(program string) error {
	line, err := d.Plan(program)
	if err != nil || line.There {
		return err
	}
	err = files.MakeDir(filepath.Dir(d.settings()))
	if err == nil && line.Copies {
		err = files.Replace(d.settings()+backupSuffix, line.old, 0o600)
	}
	if err == nil {
		err = files.Replace(d.settings(), line.content, line.mode)
	}
	if err != nil {
		return unwritten(err)
	}
	return nil
}

// Uninstall takes Windsock's line out of agy's settings and removes all figures of agy.
// It reports whether there was such a line. errors.Is(err, ErrOther)
// tells that the settings have the line of another program. The error is a say.Teller.
func (d Dirs) Uninstall(program string) (bool, error) {
	err := os.Remove(d.figures())
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err := errors.Join(redact.Path(err), d.runs(time.Time{}).Forget()); err != nil {
		return false, &say.Error{What: "The figures of agy cannot be removed.", Cause: fmt.Errorf("remove figures: %w", err)}
	}
	command, _ := commandOf(program, runtime.GOOS) // without one, lines of Windsock elsewhere are known still
	text, mode, err := d.readSettings()
	if err == nil {
		text, err = withoutLine(text, command)
	}
	switch {
	case errors.Is(err, errNoLine):
		return false, nil
	case err != nil:
		return false, unusable(err)
	}
	if err := files.Replace(d.settings(), text, mode); err != nil {
		return false, unwritten(err)
	}
	return true, nil
}

// ErrOther is the error for a status line of another program.
var ErrOther error = &say.Error{What: "agy's settings have a status line already; it was left as it is.", Cause: errOther}

// unusable is the error for settings that are left as they are.
func unusable(err error) error {
	const edit = "Add or remove the line by hand; windsock antigravity --help shows it."
	told := &say.Error{What: "agy's settings, " + shownSettings + ", cannot be read; they were left as they are.", Cure: edit, Cause: fmt.Errorf("read agy's settings: %w", err)}
	switch {
	case errors.Is(err, errOther):
		return ErrOther
	case errors.Is(err, errLink):
		told.What = "agy's settings, " + shownSettings + ", are a link to another file; they were left as they are."
	case errors.Is(err, errNoJSON):
		told.What = "agy's settings, " + shownSettings + ", are not plain JSON; they were left as they are."
		told.Cure = "Take out what is wrong, or comments, and try again."
	case errors.Is(err, errDoubled):
		told.What = "agy's settings, " + shownSettings + ", have a key twice; they were left as they are."
		told.Cure = "Take one out and try again."
	case errors.Is(err, files.ErrTooLarge), errors.Is(err, files.ErrNotRegular):
		told.What = "agy's settings, " + shownSettings + ", cannot be read: " + err.Error() + "."
		told.Cure = ""
	}
	return told
}

func unwritten(err error) error {
	return &say.Error{
		What: "agy's settings, " + shownSettings + ", cannot be written.", Cure: files.Cure(err, "Check that the file and its directory are yours."),
		Cause: fmt.Errorf("write agy's settings: %w", err),
	}
}
