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
		Long: `Tell where the settings file is, or has to be: there is none until you make
one. Without it, and for every key that is not in it, the defaults hold.

With --init, the file is made, with every key in it and each behind a #; one that
is there is left as it is. With --check, what is wrong with it is told.`,
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
	cmd.Flags().BoolVar(&create, "init", false, "make the file, unless it is there")
	cmd.Flags().BoolVar(&check, "check", false, "tell what is wrong with the file")
	return cmd
}
