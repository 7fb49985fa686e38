package autostart

import (
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/windows/registry"
)

func systemPlace(func(string) string) place {
	return runPlace{userRegistry{`Software\Microsoft\Windows\CurrentVersion`}}
}

// passingDirs are the temporary directories of the user and of the system. What is
// started from within a ZIP file lies there too.
func passingDirs(getenv func(string) string) []string {
	dirs := []string{os.TempDir()}
	if root := getenv("SystemRoot"); root != "" {
		dirs = append(dirs, filepath.Join(root, "Temp"))
	}
	return dirs
}

const valueName = "Windsock"

// userRegistry is the registry of the user below a key.
type userRegistry struct{ base string }

func (r userRegistry) runKey() string      { return r.base + `\Run` }
func (r userRegistry) approvedKey() string { return r.base + `\Explorer\StartupApproved\Run` }

// command expands the variables of a value of that type, as Windows does. A value
// of a type that is not run is none.
func (r userRegistry) command() (string, error) {
	key, err := registry.OpenKey(registry.CURRENT_USER, r.runKey(), registry.QUERY_VALUE)
	if err != nil {
		return "", orNothing(err)
	}
	defer func() { _ = key.Close() }()
	line, kind, err := key.GetStringValue(valueName)
	if err != nil {
		return "", orNothing(err)
	}
	if kind == registry.EXPAND_SZ {
		return registry.ExpandString(line)
	}
	return line, nil
}

func (r userRegistry) setCommand(line string) error {
	key, _, err := registry.CreateKey(registry.CURRENT_USER, r.runKey(), registry.SET_VALUE)
	if err != nil {
		return err
	}
	defer func() { _ = key.Close() }()
	return key.SetStringValue(valueName, line)
}

func (r userRegistry) approval() ([]byte, error) {
	key, err := registry.OpenKey(registry.CURRENT_USER, r.approvedKey(), registry.QUERY_VALUE)
	if err != nil {
		return nil, orNothing(err)
	}
	defer func() { _ = key.Close() }()
	value, _, err := key.GetBinaryValue(valueName)
	return value, orNothing(err)
}

func (r userRegistry) removeCommand() error  { return remove(r.runKey()) }
func (r userRegistry) removeApproval() error { return remove(r.approvedKey()) }

func remove(path string) error {
	key, err := registry.OpenKey(registry.CURRENT_USER, path, registry.SET_VALUE)
	if err != nil {
		return orNothing(err)
	}
	defer func() { _ = key.Close() }()
	return orNothing(key.DeleteValue(valueName))
}

// orNothing passes over what says that there is no such key or value.
func orNothing(err error) error {
	if errors.Is(err, registry.ErrNotExist) || errors.Is(err, registry.ErrUnexpectedType) {
		return nil
	}
	return err
}
