package clean

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"windsock/chat"
	"windsock/chat/cascade"
	"windsock/probe/say"
)

// LastRun is the run that Undo takes back.
type LastRun struct {
	Variant string
	At      time.Time
	Count   int
}

// ReadLast reads what the last run of any variant has left in the state
// directory; ok is false where there is nothing to take back.
func ReadLast(stateDir string) (last LastRun, ok bool, err error) {
	record, ok, err := readLast(stateDir)
	return record.last(), ok, err
}

func (c cleanRecord) last() LastRun {
	return LastRun{Variant: c.Variant, At: c.At, Count: len(c.IDs)}
}

// UndoResult is what an undo has done.
type UndoResult struct {
	// Restored are the ids of the cascades that are not archived any more.
	Restored []string
	// Gone are those that neither a server nor the disk knows any more.
	Gone []string
	// Failed are kept for the next undo.
	Failed []Failure
}

// Undo puts what a run has archived back into the editor's list, as Run has done it; it
// has nothing to give back to the files. What fails, and
// what the end of ctx leaves undone, is kept for the next undo.
func (c *Cleaner) Undo(ctx context.Context, last LastRun, progress func(done, total int)) (result UndoResult, err error) {
	records, err := openRecords(c.stateDir)
	if err != nil {
		return UndoResult{}, err
	}
	defer records.close()
	record, ok, err := records.load()
	if err != nil {
		return UndoResult{}, err
	}
	if !ok || record.last() != last || last.Variant != c.target.Variant {
		return UndoResult{}, &say.Error{What: "Windsock has cleaned up again since, so nothing was changed.", Cure: "Try again to take that back."}
	}
	acts, noted, err := records.openActs(c.now())
	if err != nil {
		return UndoResult{}, err
	}
	defer func() { err = errors.Join(err, noted.close()) }()
	listings, err := c.survey(ctx)
	if err != nil {
		return UndoResult{}, err
	}
	dir, err := openCascades(c.target.CodeiumDir)
	if err == nil {
		defer dir.close()
	}
	u := cleanUndo{
		c: c, servers: newCleanServers(c.target.Servers),
		known: cleanSight{listings: listings, acts: acts}.cascades(), listed: allListed(listings), dir: dir,
		acts: acts, noted: noted, outcomes: make([]cleanOutcome, len(record.IDs)),
	}
	err = eachOf(ctx, len(record.IDs), progress, func(i int) {
		u.outcomes[i] = cleanOutcome{true, u.one(ctx, record.IDs[i])}
	})
	var rest []string
	result, rest = u.result(record.IDs)
	if err == nil && unable(u.outcomes) {
		result.Failed = nil
		err = &chat.Failure{Code: chat.NoArchive, App: c.target.App, Cause: cascade.ErrUnsupported}
	}
	record.IDs, record.Cut = rest, false
	return result, errors.Join(err, records.save(record))
}

func allListed(listings []cleanListing) bool {
	for _, l := range listings {
		if l == nil {
			return false
		}
	}
	return len(listings) > 0
}

// cleanUndo is an undo on its way.
type cleanUndo struct {
	c       *Cleaner
	servers *cleanServers
	known   map[string]*knownCascade
	// listed says that known is all that there is.
	listed bool
	dir    *cascadeDir
	acts   cleanActs
	noted  *cleanActLog

	outcomes []cleanOutcome
}

// one puts a cascade back, and notes that it was not a person who touched it.
func (u *cleanUndo) one(ctx context.Context, id string) error {
	k := u.known[id]
	file, err := u.dir.stat(id)
	if k == nil {
		if u.listed && isGone(err) {
			return cascade.ErrGone
		}
		k = &knownCascade{}
	}
	if err == nil {
		k.toldByFile(file, u.acts[id])
	}
	act := cleanAct{ID: id, Begun: u.c.now(), Touched: k.touched}
	err = u.tell(ctx, id, k)
	if act.Ended = u.c.now(); mayBeDone(err) {
		u.noted.add(act)
	}
	return err
}

// tell tells every server that has the cascade archived. Where none has, the one
// that archived it may have ended, and another that still knows it as it was
// before is told.
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

// result is what was done, and what is left to do.
func (u *cleanUndo) result(ids []string) (result UndoResult, rest []string) {
	for i, o := range u.outcomes {
		id := ids[i]
		switch {
		case !o.begun:
			rest = append(rest, id)
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
			rest = append(rest, id)
		}
	}
	return result, rest
}

// isGone reports an error that says that there is no such file.
func isGone(err error) bool { return errors.Is(err, fs.ErrNotExist) }
