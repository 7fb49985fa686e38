package doctor

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"time"

	"github.com/spf13/cobra"

	"windsock/probe/say"
	"windsock/probe/terminal"
)

// NewCommand is `windsock doctor`. If no variant can be read, its exit code is that of
// the reason.
func NewCommand(d Doctor) *cobra.Command {
	var asJSON bool
	var variant string
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Tell why Windsock works, or why it does not",
		Long: `Tell why Windsock works, or why it does not: every step from the editor's processes to the
figures, with what was found, how long it took, and what helps.

It looks at every variant of every product, and at every process that may be its server. The
exit code is 0 if one of them can be read, else that of windsock status. "windsock help
trouble" says what each error means.

You can show the output to others: a key or a token appears as its form and length, and
there is no name, address or home directory in it.`,
		Example: `  windsock doctor
  windsock doctor --json | jq '.steps[] | select(.ok | not)'`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			list, err := d.Variants(variant)
			if err != nil {
				return err
			}
			found := d.Examine(cmd.Context(), list)
			if err := context.Cause(cmd.Context()); err != nil {
				return err
			}
			if asJSON {
				err = found.writeJSON(cmd.OutOrStdout())
			} else {
				err = d.writeText(cmd.OutOrStdout(), found)
			}
			if err != nil {
				return fmt.Errorf("write diagnosis: %w", err)
			}
			if found.Err != nil {
				return say.Told(say.Exit(found.Err))
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write JSON")
	cmd.Flags().StringVar(&variant, "variant", "", "look only at the editor `NAME`, such as windsurf-next")
	return cmd
}

// writeJSON writes schema 1.
func (g Diagnosis) writeJSON(out io.Writer) error {
	type step struct {
		Variant    string  `json:"variant"`
		Step       string  `json:"step"`
		OK         bool    `json:"ok"`
		Finding    string  `json:"finding"`
		Cure       string  `json:"cure"`
		DurationMS float64 `json:"duration_ms"`
	}
	whole := struct {
		Schema int    `json:"schema"`
		OK     bool   `json:"ok"`
		Steps  []step `json:"steps"`
	}{1, g.OK(), []step{}}
	for _, s := range g.Steps {
		ms := math.Round(float64(s.Duration)/float64(time.Millisecond)*100) / 100
		whole.Steps = append(whole.Steps, step{s.Variant, s.Name, s.OK, s.Finding, s.Cure, ms})
	}
	return terminal.WriteJSON(out, whole)
}

func (d Doctor) writeText(out io.Writer, g Diagnosis) error {
	_, err := io.WriteString(terminal.Colours(out, os.Environ()), d.Text(g, cmp.Or(terminal.Width(out, os.LookupEnv), DefaultWidth)))
	return err
}

// DefaultWidth is the number of columns without a terminal.
const DefaultWidth = 80
