package status

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"windsock/probe/files"
	"windsock/probe/redact"
	"windsock/probe/say"
	"windsock/probe/terminal"
	"windsock/usage"
	"windsock/usage/poll"
	"windsock/usage/product"
)

// checkSave rejects flags that --save does not support.
func (c *statusCommand) checkSave(changed func(flag string) bool) error {
	switch {
	case !changed("save"):
		return nil
	case c.save == "":
		return say.Usage("--save takes a file, or - for standard output.")
	case c.save == "-" && (c.json || c.format != FormatText):
		return say.Usage("--save - writes to standard output, and so does --format; give --save a file.")
	case c.save != "-" && c.from != "-" && sameFile(c.from, c.save):
		return say.Usage("--save would write over the file of --from; give it another name.")
	default:
		return nil
	}
}

func sameFile(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}

// figuresTo is the output for the figures: not the one that an answer is saved to.
func (c *statusCommand) figuresTo(cmd *cobra.Command) io.Writer {
	if c.save == "-" {
		return cmd.ErrOrStderr()
	}
	return cmd.OutOrStdout()
}

// keepAnswer does what --save asks for and reports the result to stderr; loaded is why
// there are no fresh figures. The error that it returns has been shown.
func (c *statusCommand) keepAnswer(cmd *cobra.Command, all poll.Plans, loaded error) error {
	lead := all.Lead()
	raw := c.answerOf(lead)
	if raw == nil || !c.saves(loaded) {
		return nil
	}
	text := product.Anonymize(cmp.Or(lead.Snapshot.Plan.Product, usage.Windsurf), raw)
	var err error
	var sentence, cure string
	if c.save == "-" {
		_, err = cmd.OutOrStdout().Write(text)
	} else {
		name := c.save
		if target, linked := filepath.EvalSymlinks(name); linked == nil {
			name = target // a person's link stays one
		}
		err = writeWhole(name, text, 0o600)
		// Without its directory, which may hold a user's name.
		sentence = "The answer" + ofPlan(all) + " was saved as " + terminal.Line(filepath.Base(c.save)) + ", without anything personal. Look it over before you publish it."
		cure = " " + files.Cure(err, "Check the name given to --save, and the permissions there.")
	}
	if err != nil {
		sentence, err = "The answer cannot be saved: "+redact.Path(err).Error()+"."+cure, say.Told(1)
	}
	if sentence != "" {
		_, _ = fmt.Fprintln(cmd.ErrOrStderr(), "windsock:", sentence) // a closed stderr shows nothing
	}
	return err
}

// ofPlan names the plan that is saved, if there are several.
func ofPlan(all poll.Plans) string {
	for i, s := range all {
		if s.Lead && len(all) > 1 {
			return " about " + terminal.Line(all.Headings()[i])
		}
	}
	return ""
}

// saves reports whether there is an answer to save, even if load failed.
func (c *statusCommand) saves(loaded error) bool {
	return c.save != "" && !errors.Is(loaded, context.Canceled) && !senseless(loaded)
}

// unsaved adds to the reason for missing figures that --save had nothing to save
// either.
func (c *statusCommand) unsaved(all poll.Plans, cause error) error {
	if c.answerOf(all.Lead()) != nil || !c.saves(cause) {
		return cause
	}
	return &say.Error{
		Code: say.Code(cause), Exit: say.Exit(cause), Cause: cause,
		What: strings.TrimSpace(say.Sentence(cause, cause.Error()) + " Nothing was saved, for there is no answer to save."),
	}
}

// writeWhole writes a text to a file: all of it or nothing. It replaces an existing file,
// whatever its mode was, and a link to one; what is no regular file, such as a pipe, is
// written to.
func writeWhole(name string, text []byte, mode fs.FileMode) error {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return writeInto(name, text)
	}
	return files.Replace(name, text, mode)
}

func writeInto(name string, text []byte) error {
	file, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	return errors.Join(err, file.Close())
}
