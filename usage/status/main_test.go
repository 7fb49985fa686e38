package status

import (
	"bytes"
	"cmp"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"windsock/probe/probetest"
	"windsock/usage"
	"windsock/usage/poll"
	"windsock/usage/usagetest"
	"windsock/usage/windsurf"
	"windsock/usage/words"
)

// golden compares with testdata/golden/name.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	probetest.Golden(t, "golden/"+name, got)
}

// status runs the command on a saved answer.
func status(t *testing.T, input []byte, args ...string) (stdout string, err error) {
	t.Helper()
	return runStatus(t, &statusCommand{}, bytes.NewReader(input), append([]string{"--from", "-"}, args...)...)
}

func runStatus(t *testing.T, c *statusCommand, stdin *bytes.Reader, args ...string) (string, error) {
	t.Helper()
	if c.Now == nil {
		c.Now = func() time.Time { return usagetest.Noon.In(time.FixedZone("CET", 3600)) }
	}
	if c.lookup == nil {
		c.lookup = func(string) (string, bool) { return "", false }
	}
	c.environ = append(c.environ, "TERM=dumb")
	c.location = time.UTC
	var out, errs strings.Builder
	cmd := quietCommand(c)
	cmd.SetArgs(append([]string{}, args...)) // nil would mean os.Args
	cmd.SetOut(&out)
	cmd.SetErr(&errs)
	if stdin != nil {
		cmd.SetIn(stdin)
	}
	err := cmd.ExecuteContext(t.Context())
	if errs.Len() > 0 {
		t.Errorf("stderr: %s", errs.String())
	}
	return out.String(), err
}

// decoded is the snapshot of a status' fields at noon.
func decoded(t *testing.T, raw string) usage.Snapshot {
	t.Helper()
	s, err := windsurf.Decode([]byte(raw), usage.Source{Kind: usage.KindLanguageServer})
	if err != nil {
		t.Fatalf("decode %s: %v", raw, err)
	}
	return s.At(usagetest.Noon)
}

// alone are the plans where there is one.
func alone(s poll.State) poll.Plans {
	s.Lead, s.Snapshot.Plan.Product = true, cmp.Or(s.Snapshot.Plan.Product, usage.Windsurf)
	s.Name = string(s.Snapshot.Plan.Product)
	return poll.Plans{s}
}

// textAlone is the text of one plan.
func textAlone(s usage.Snapshot, o TextOptions) string { return o.figures(words.Heading(s), s) }

// quietCommand leaves error messages to the caller, as main's root command does.
func quietCommand(c *statusCommand) *cobra.Command {
	cmd := newStatusCommand(c)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	return cmd
}
