package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
)

// newConfigCommand is `windsock config`.
func newConfigCommand() *cobra.Command {
	var create, check bool
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Tell where the configuration file is",
		Long: `Tell where the configuration file is, or has to be: there is none until you
make one. Without it, and for every key that is not in it, the defaults hold.

With --init, the file is made, with every key in it and each behind a #. With
--check, everything that is wrong with it is told.`,
		Example: `  windsock config
  windsock config --check
  "$EDITOR" "$(windsock config --init)"`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if create && check {
				return &usageError{errors.New("--init makes the file, and --check looks it over; give one of them")}
			}
			path, err := configPath()
			if err != nil {
				return err
			}
			said := path
			switch {
			case create:
				err = initConfig(path)
			case check:
				said, err = checkConfig(path)
			}
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), said)
			return err
		},
	}
	cmd.Flags().BoolVar(&create, "init", false, "make the file, unless it is there")
	cmd.Flags().BoolVar(&check, "check", false, "tell what is wrong with the file")
	return cmd
}

// checkConfig returns what there is to say of a file that can be used, or of
// none.
func checkConfig(path string) (string, error) {
	if _, err := loadConfig(path); err != nil {
		if problems, ok := errors.AsType[*configError](err); ok {
			return "", &checkError{problems}
		}
		return "", err
	}
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return "There is no " + configName + "; the defaults hold.", nil
	}
	return configName + " is fine.", nil
}

// checkError is a configError that tells all there is.
type checkError struct{ *configError }

// Sentence says every problem on a line of its own.
func (e *checkError) Sentence() string { return sentences(e.Problems) }

// initConfig makes the file that has every key commented out, and the
// directories above it, for nobody but the user. The file is there as a whole
// or not at all. One that is there, be it a broken link, is left as it is; the
// error is fs.ErrExist then, and only then.
func initConfig(path string) error {
	text, err := configText()
	if err != nil {
		return err
	}
	err = createWhole(path, text)
	if err == nil {
		return nil
	}
	if errors.Is(err, fs.ErrExist) {
		if _, there := os.Lstat(path); there == nil {
			return &initError{configName + " is there already; it was left as it is.", fs.ErrExist}
		}
	}
	cause := withoutPath(err)
	if errors.Is(cause, fs.ErrExist) { // what is there is in the way of its directory
		cause = errors.New(cause.Error())
	}
	return &initError{configName + " cannot be made: " + cause.Error() + ".", cause}
}

// createWhole writes a file under another name, takes the name that it shall
// have, which fails where there is a file, and moves it there. What can be seen
// at any time is nothing, an empty file, which means the same, or the whole one.
func createWhole(path, text string) error {
	if _, err := os.Lstat(path); err == nil {
		return fs.ErrExist
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	whole, err := os.CreateTemp(dir, ".config-*") // mode 0600
	if err != nil {
		return err
	}
	_, err = whole.WriteString(text)
	err = errors.Join(err, whole.Sync(), whole.Close())
	if err == nil {
		var taken *os.File
		if taken, err = os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600); err == nil {
			err = errors.Join(taken.Close(), os.Rename(whole.Name(), path))
		}
	}
	if err != nil {
		_ = os.Remove(whole.Name()) // err says enough
	}
	return err
}

// initError is a file that could not be made.
type initError struct {
	sentence string
	cause    error
}

func (e *initError) Error() string    { return "make config: " + e.cause.Error() }
func (e *initError) Unwrap() error    { return e.cause }
func (e *initError) Sentence() string { return e.sentence }

// ExitCode returns 1.
func (*initError) ExitCode() int { return exitFailure }
