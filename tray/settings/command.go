package settings

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"
)

// NewCommand is `windsock config`, on the file that file returns once it is run.
func NewCommand[T any](file func() (File[T], error)) *cobra.Command {
	var create, check bool
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Tell where the configuration file is",
		Long: `Tell where the configuration file is, or has to be: there is none until you
make one. Without it, and for every key that is not in it, the defaults hold.

With --init, the file is made, with every key in it and each behind a #; one that
is there is left as it is. With --check, everything that is wrong with it is told.`,
		Example: `  windsock config
  windsock config --check
  "$EDITOR" "$(windsock config --init)"`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if create && check {
				return usageError{}
			}
			f, err := file()
			if err != nil {
				return err
			}
			said := f.Path
			switch {
			case create:
				err = f.Init()
				if errors.Is(err, fs.ErrExist) { // the path of which is as good to an editor
					_, err = fmt.Fprintln(cmd.ErrOrStderr(), "windsock:", isThere)
				}
			case check:
				said, err = f.check()
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

// check returns what there is to say of a file that can be used, or of none.
func (f File[T]) check() (string, error) {
	if _, err := f.Load(); err != nil {
		if problems, ok := errors.AsType[*BrokenError](err); ok {
			return "", &checkError{problems}
		}
		return "", err
	}
	if !f.Exists() {
		return "There is no " + Name + "; the defaults hold.", nil
	}
	return Name + " is fine.", nil
}

// checkError is a BrokenError that tells all there is.
type checkError struct{ *BrokenError }

// Sentence says every problem on a line of its own.
func (e *checkError) Sentence() string { return sentences(e.Problems) }

// usageError is a command line that makes no sense.
type usageError struct{}

func (usageError) Error() string {
	return "--init makes the file, and --check looks it over; give one of them"
}

// ExitCode returns 2.
func (usageError) ExitCode() int { return 2 }
