package settings

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"windsock/probe/say"
)

// NewCommand is `windsock config`. It calls file for its file when it runs.
func NewCommand[T any](file func() (File[T], error)) *cobra.Command {
	var create, check bool
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Tell where the settings file is",
		Long: `Tell where the settings file is. There is none until you make one: the defaults hold then,
and for every key that is not in the file.

--init makes the file, with every key and what it takes, all commented out. A file that is
there is left as it is. --check tells what is wrong with the file, and in which line.

The app takes a change when the file is saved. If the file is broken, the app keeps the old
settings and says so in its menu; commands end with exit code 2.`,
		Example: `  windsock config
  windsock config --check
  "$EDITOR" "$(windsock config --init)"`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if create && check {
				return say.Usage("--init makes the file, and --check looks it over; give one of them")
			}
			f, err := file()
			if err != nil {
				return err
			}
			text := f.Path
			switch {
			case create:
				err = f.Init()
				if errors.Is(err, ErrThere) { // the path serves an editor all the same
					_, err = fmt.Fprintln(cmd.ErrOrStderr(), "windsock:", say.Sentence(ErrThere, ""))
				}
			case check:
				text = Name + " is fine."
				if !f.Exists() {
					text = "There is no " + Name + "; the defaults hold."
				}
				_, err = f.Load()
			}
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), text)
			return err
		},
	}
	cmd.Flags().BoolVar(&create, "init", false, "make the file, if there is none")
	cmd.Flags().BoolVar(&check, "check", false, "tell what is wrong with the file")
	return cmd
}
