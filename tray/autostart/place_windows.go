package autostart

import (
	"errors"
	"unicode/utf16"

	"golang.org/x/sys/windows"
	"golang.org/x/sys/windows/registry"
)

func systemPlace() place { return userRegistry{`Software\Microsoft\Windows\CurrentVersion`} }

const valueName = "Windsock"

// maxCommand is the longest command line, in UTF-16 units, that Windows guarantees to
// start from a Run key (Microsoft, Run and RunOnce Registry Keys).
const maxCommand = 260

// userRegistry is the registry of the user below a key.
type userRegistry struct{ base string }

func (r userRegistry) runKey() string      { return r.base + `\Run` }
func (r userRegistry) approvedKey() string { return r.base + `\Explorer\StartupApproved\Run` }

func (r userRegistry) where() string { return r.runKey() + " in HKEY_CURRENT_USER of the registry" }

// command also reads what Task Manager and Settings note about the entry: an odd first
// byte means off; an even or missing one means on.
func (r userRegistry) command() (string, error) {
	var line string
	err := withKey(r.runKey(), registry.QUERY_VALUE, func(key registry.Key) (err error) {
		line, _, err = key.GetStringValue(valueName)
		return err
	})
	if err != nil || line == "" {
		return "", err
	}
	var note []byte
	err = withKey(r.approvedKey(), registry.QUERY_VALUE, func(key registry.Key) (err error) {
		note, _, err = key.GetBinaryValue(valueName)
		return err
	})
	if err != nil || len(note) > 0 && note[0]&1 == 1 {
		return "", err
	}
	words, err := windows.DecomposeCommandLine(line)
	if err != nil || len(words) == 0 {
		return "", err
	}
	return words[0], nil
}

// write quotes the path: without quotes, Windows tries C:\Program first for a path in
// C:\Program Files.
func (r userRegistry) write(executable string) error {
	line := `"` + executable + `"`
	if len(utf16.Encode([]rune(line))) > maxCommand {
		return unwritable("it is longer than Windows takes there")
	}
	key, _, err := registry.CreateKey(registry.CURRENT_USER, r.runKey(), registry.SET_VALUE)
	if err != nil {
		return err
	}
	err = key.SetStringValue(valueName, line)
	return errors.Join(err, key.Close(), removeValue(r.approvedKey()))
}

// remove also removes the note about the entry: it would apply to the next entry.
func (r userRegistry) remove() error {
	return errors.Join(removeValue(r.runKey()), removeValue(r.approvedKey()))
}

func removeValue(path string) error {
	return withKey(path, registry.SET_VALUE, func(key registry.Key) error { return key.DeleteValue(valueName) })
}

// withKey opens a key of the user. A missing key or value, or one of another type, is
// no error.
func withKey(path string, access uint32, do func(registry.Key) error) error {
	key, err := registry.OpenKey(registry.CURRENT_USER, path, access)
	if err == nil {
		err = errors.Join(do(key), key.Close())
	}
	if errors.Is(err, registry.ErrNotExist) || errors.Is(err, registry.ErrUnexpectedType) {
		return nil
	}
	return err
}
