package clean

import (
	"context"
	"errors"

	"windsock/chat/touched"
	"windsock/probe/say"
)

// recordError says that a run of clean cannot be recorded, and why.
func recordError(err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	var told *say.Error
	if errors.As(err, &told) && told.Cure != "" {
		return err // the table's own: another run
	}
	return &say.Error{What: "Windsock could not note what clean does, which an undo needs.", Cure: say.Sentence(err, "The disk may be full or damaged."), Cause: err}
}

// Ready reports, before the person is asked, whether a run could be recorded.
func (c *Cleaner) Ready(ctx context.Context) error {
	run, err := c.table.Begin(ctx, c.target.Variant, c.now())
	if err == nil {
		err = run.End(ctx, false)
	}
	return recordError(err)
}

// ReadLast reads what can still be undone of the last run of any variant. Without such
// a run, it has no ids.
func ReadLast(ctx context.Context, table *touched.Table) (touched.Last, error) {
	last, err := table.Last(ctx)
	return last, recordError(err)
}

// archivedBefore are the cascades of this variant that the last run archived.
func (c *Cleaner) archivedBefore(ctx context.Context) (map[string]bool, error) {
	last, err := ReadLast(ctx, c.table)
	if err != nil || last.Variant != c.target.Variant {
		return nil, err
	}
	ids := make(map[string]bool, len(last.IDs))
	for _, id := range last.IDs {
		ids[id] = true
	}
	return ids, nil
}
