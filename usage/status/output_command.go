package status

import (
	"fmt"

	"windsock/probe/files"
	"windsock/probe/redact"
	"windsock/probe/say"
)

// outputMode lets the collector read the file, which runs as a user of its own. That
// holds whatever the umask of a cron job is.
const outputMode = 0o644

// checkOutput rejects flags that --output does not support. Only metrics say how old
// they are: a file in any other format would look fresh for ever.
func (c *statusCommand) checkOutput(changed func(flag string) bool) error {
	switch {
	case !changed("output"):
		return nil
	case c.output == "" || c.output == "-":
		return say.Usage("--output takes a file; without it the metrics go to standard output.")
	case c.format != FormatPrometheus:
		return say.Usage("--output writes a file for a collector, so it takes --format prometheus alone.")
	case c.from != "-" && sameFile(c.from, c.output):
		return say.Usage("--output would write over the file of --from; give it another name.")
	case c.save == c.output || sameFile(c.save, c.output):
		return say.Usage("--save and --output name the same file; give them two.")
	default:
		return nil
	}
}

// writeOutput replaces the file of --output, at once and as a whole. After an error the
// file is as it was; the error does not name it, since its path may hold a user's name. A
// link is not followed: in a directory of others it would lead a cron job to any file.
func (c *statusCommand) writeOutput(metrics string) error {
	if err := writeWhole(c.output, []byte(metrics), outputMode); err != nil {
		err = redact.Path(err)
		return &say.Error{
			What: "The file of --output cannot be written: " + err.Error() + ". It is as it was.",
			Cure: files.Cure(err, "Check its name, and the permissions of its directory."), Cause: fmt.Errorf("write metrics: %w", err),
		}
	}
	return nil
}
