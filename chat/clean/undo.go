package clean

import (
	"context"
	"errors"
	"io/fs"

	"windsock/chat"
	"windsock/chat/cascade"
	"windsock/chat/touched"
)

// UndoResult is what an undo has done.
type UndoResult struct {
	// Restored are the ids of the cascades that are not archived any more.
	Restored []string
	// Gone are known neither to a server nor on disk any more.
	Gone []string
	// Failed stay for the next undo.
	Failed []Failure
}

// Undo puts the cascades that a run archived back into the editor's list, four at a
// time. It cannot restore content that the files have lost. Failures, and the cascades
// that the end of ctx skips, stay for the next undo.
func (c *Cleaner) Undo(ctx context.Context, last touched.Last, progress func(done, total int)) (result UndoResult, err error) {
	acts, err := c.table.Acts(ctx)
	if err != nil {
		return UndoResult{}, recordError(err)
	}
	listings, err := c.survey(ctx)
	if err != nil {
		return UndoResult{}, err
	}
	dir, err := openCascades(c.target.CodeiumDir)
	if err == nil {
		defer dir.close()
	}
	run, err := c.table.BeginUndo(ctx, last, c.now())
	if err != nil {
		return UndoResult{}, recordError(err)
	}
	u := cleanUndo{
		c: c, servers: newCleanServers(c.target.Servers),
		known: cleanSight{listings: listings, acts: acts}.cascades(), listed: allListed(listings), dir: dir,
		acts: acts, run: run, outcomes: make([]cleanOutcome, len(last.IDs)),
	}
	err = eachOf(ctx, len(last.IDs), progress, func(i int) {
		u.outcomes[i] = u.one(context.WithoutCancel(ctx), last.IDs[i])
	})
	result = u.result(last.IDs)
	if err == nil && unable(u.outcomes) {
		result.Failed = nil
		err = &chat.Failure{Code: chat.NoArchive, App: c.target.App, Cause: cascade.ErrUnsupported}
	}
	return result, errors.Join(err, recordError(errors.Join(unnoted(u.outcomes), run.End(context.WithoutCancel(ctx), false))))
}

func allListed(listings []cleanListing) bool {
	for _, l := range listings {
		if l == nil {
			return false
		}
	}
	return len(listings) > 0
}

// cleanUndo is an undo under way.
type cleanUndo struct {
	c       *Cleaner
	servers *cleanServers
	known   map[string]*knownCascade
	// listed says that known is complete.
	listed bool
	dir    *cascadeDir
	acts   cleanActs
	run    *touched.Run

	outcomes []cleanOutcome
}

// one puts a cascade back, and records that no person touched it.
func (u *cleanUndo) one(ctx context.Context, id string) cleanOutcome {
	k := u.known[id]
	file, err := u.dir.stat(id)
	if k == nil {
		if u.listed && isGone(err) {
			return cleanOutcome{true, cascade.ErrGone, u.run.Restored(ctx, id, u.c.now())}
		}
		k = &knownCascade{}
	}
	if err == nil {
		k.toldByFile(file, u.acts[id])
	}
	act := touched.Act{Begun: u.c.now(), Touched: k.touched}
	err = u.tell(ctx, id, k)
	act.Ended = u.c.now()
	var unnoted error
	if mayBeDone(err) {
		unnoted = u.run.Told(ctx, id, act)
	}
	if err == nil {
		unnoted = errors.Join(unnoted, u.run.Restored(ctx, id, act.Ended))
	}
	return cleanOutcome{true, err, unnoted}
}

// tell clears the mark on every server that has the cascade archived. If none has, the
// server that archived it may have ended; then a server that knows the old state
// clears it.
func (u *cleanUndo) tell(ctx context.Context, id string, k *knownCascade) error {
	servers := k.archivedBy
	if len(servers) == 0 {
		servers = u.c.orAll(k.freshest)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), ArchiveLimit)
	defer cancel()
	err := cascade.ErrUnsupported
	for _, i := range servers {
		switch told := u.servers.tell(ctx, i, id, false); {
		case errors.Is(told, cascade.ErrUnsupported):
		case told != nil:
			return told
		default:
			err = nil
			if len(k.archivedBy) == 0 {
				return nil
			}
		}
	}
	return err
}

// result is what was done.
func (u *cleanUndo) result(ids []string) (result UndoResult) {
	for i, o := range u.outcomes {
		id := ids[i]
		switch {
		case !o.begun:
		case errors.Is(o.err, cascade.ErrGone):
			result.Gone = append(result.Gone, id)
		case o.err == nil:
			result.Restored = append(result.Restored, id)
		default:
			var title string
			if k := u.known[id]; k != nil {
				title = cascadeTitle(k.summary)
			}
			result.Failed = append(result.Failed, cleanFailure(id, title, o.err))
		}
	}
	return result
}

// isGone reports whether the error says that there is no such file.
func isGone(err error) bool { return errors.Is(err, fs.ErrNotExist) }
