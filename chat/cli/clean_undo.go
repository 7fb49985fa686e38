package cli

import (
	"cmp"
	"time"

	"github.com/spf13/cobra"

	"windsock/chat/clean"
	"windsock/probe/say"
)

// takeBack is --undo.
func (c *cleanCommand) takeBack(cmd *cobra.Command) error {
	if c.Demo {
		return c.finish(cmd, clean.NewUndoDocument(clean.UndoResult{}),
			"There is nothing to undo: each command of a demo has an editor of its own. To try it: windsock demo prompt --view cascades\n")
	}
	last, err := clean.ReadLast(cmd.Context(), c.Touched)
	switch {
	case err != nil:
		return err
	case len(last.IDs) == 0:
		return c.finish(cmd, clean.NewUndoDocument(clean.UndoResult{}), "There is nothing to undo.\n")
	case !c.yes && !c.canAsk(cmd):
		return say.Usage("There is no terminal to ask on. Add --yes to go on without.")
	}
	target, err := c.Find(cmd.Context(), cmp.Or(c.variant, last.Variant))
	if err != nil {
		return err
	}
	if target.Close != nil {
		defer target.Close()
	}
	if target.Variant != last.Variant {
		return c.finish(cmd, clean.NewUndoDocument(clean.UndoResult{}),
			"There is nothing to undo in "+target.App+": the last run was in "+last.Variant+".\n")
	}
	what := clean.Counted(len(last.IDs), "cascade") + " of " + last.At.In(c.Location).Format("2006-01-02 15:04") + " in " + target.App
	if !c.yes {
		yes, err := c.ask(cmd, "Put back "+what+"?")
		if err != nil {
			return err
		}
		if !yes {
			return c.finish(cmd, clean.NewUndoDocument(clean.UndoResult{}), "Nothing was changed.\n")
		}
	}
	c.PutAway(clean.ArchiveLimit + time.Second)
	bar := c.newBar(cmd, "Putting back")
	result, err := clean.New(target, c.Touched, c.Now).Undo(cmd.Context(), last, bar.progress)
	bar.clear()
	return c.conclude(cmd, cleanConclusion{
		document: clean.NewUndoDocument(result),
		text:     result.Words() + "\n",
		did:      "put back",
		failed:   result.Failed,
		some:     len(result.Restored)+len(result.Gone)+len(result.Failed) > 0,
		err:      err,
		cut:      c.cut(len(result.Restored), len(last.IDs), "windsock clean --undo"),
	})
}
