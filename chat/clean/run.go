package clean

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"windsock/chat"
	"windsock/chat/cascade"
	"windsock/chat/touched"
	"windsock/probe/say"
	"windsock/probe/terminal"
)

const (
	// archiveAtOnce is how many cascades are archived in parallel.
	archiveAtOnce = 4
	// ArchiveLimit is the time limit for one cascade, also after an interrupt.
	ArchiveLimit = 5 * time.Second
)

// Result is what a run has done.
type Result struct {
	// Archived are the ids of the cascades that are archived now, in the plan's order.
	Archived []string
	Failed   []Failure
	// Changed counts the plan's items that were skipped: they were running, touched,
	// archived or gone when the run began.
	Changed int
	// BytesFreed is how much smaller the archived files became, as far as they could be
	// measured before and after.
	BytesFreed int64
	// BytesKnown says that nothing was archived, or a file was measured.
	BytesKnown bool
}

// Failure is a cascade that could not be changed.
type Failure struct {
	CascadeID string `json:"cascade_id"`
	Title     string `json:"-"`
	// Message is for people.
	Message string `json:"message"`
}

// Run archives the plan's cascades that have not changed since, four at a time. At the
// end of ctx it finishes those under way; the result beside the error has what was
// done. A failure does not stop the others. progress is never called concurrently, and
// may be nil.
//
// Every cascade is recorded before it is archived, so that Undo finds it however the
// process ends. A run within a day after an interrupted one continues that one: Undo
// takes back both.
func (c *Cleaner) Run(ctx context.Context, plan Plan, progress func(done, total int)) (result Result, err error) {
	none := Result{BytesKnown: true}
	if len(plan.Items) == 0 {
		return none, nil
	}
	acts, err := c.table.Acts(ctx)
	if err != nil {
		return none, recordError(err)
	}
	items, err := c.recheck(ctx, plan, cleanActs(acts).putBack())
	if err != nil {
		return none, err
	}
	none.Changed = len(plan.Items) - len(items)
	if len(items) == 0 {
		return none, nil
	}
	dir, err := openCascades(c.target.CodeiumDir)
	if err == nil { // else the sizes are not known
		defer dir.close()
	}
	run, err := c.table.Begin(ctx, c.target.Variant, c.now())
	if err != nil {
		return none, recordError(err)
	}
	r := cleanRun{
		servers: newCleanServers(c.target.Servers), now: c.now, dir: dir, run: run,
		outcomes: make([]cleanOutcome, len(items)),
		before:   make([]int64, len(items)),
	}
	err = eachOf(ctx, len(items), progress, func(i int) { r.one(context.WithoutCancel(ctx), i, items[i]) })
	lost := errors.Join(unnoted(r.outcomes), run.End(context.WithoutCancel(ctx), err != nil))
	result = r.result(items)
	result.Changed = none.Changed
	if err == nil && unable(r.outcomes) {
		result.Failed = nil
		err = &chat.Failure{Code: chat.NoArchive, App: c.target.App, Cause: cascade.ErrUnsupported}
	}
	return result, errors.Join(err, recordError(lost))
}

// cleanWork is an item with its servers. Any one of them can archive it.
type cleanWork struct {
	Item

	servers []int
}

// recheck asks all servers again, since the person may have taken long to answer the
// question, and drops the items that have changed.
func (c *Cleaner) recheck(ctx context.Context, plan Plan, acts cleanActs) ([]cleanWork, error) {
	seen, err := c.look(ctx)
	if err != nil {
		return nil, err
	}
	seen.acts = acts
	known := seen.cascades()
	items := make([]cleanWork, 0, len(plan.Items))
	for _, item := range plan.Items {
		k := known[item.CascadeID]
		if k == nil || k.running || k.archived || k.hidden || k.touched.After(item.LastTouched) {
			continue
		}
		items = append(items, cleanWork{item, c.orAll(k.freshest)})
	}
	return items, nil
}

// orAll returns those servers. Without any, no server lists, and it returns all.
func (c *Cleaner) orAll(servers []int) []int {
	if len(servers) > 0 {
		return servers
	}
	all := make([]int, len(c.target.Servers))
	for i := range all {
		all[i] = i
	}
	return all
}

// unable reports that everything failed because no server can archive.
func unable(outcomes []cleanOutcome) bool {
	return !slices.ContainsFunc(outcomes, func(o cleanOutcome) bool { return !errors.Is(o.err, cascade.ErrUnsupported) })
}

// cleanRun is a run under way. The goroutine of an item writes only its index of
// outcomes and before.
type cleanRun struct {
	servers *cleanServers
	now     func() time.Time
	dir     *cascadeDir
	run     *touched.Run

	outcomes []cleanOutcome
	before   []int64 // -1 if unknown
}

type cleanOutcome struct {
	begun bool
	err   error
	// unnoted is why the act was not recorded.
	unnoted error
}

func unnoted(outcomes []cleanOutcome) error {
	errs := make([]error, 0, len(outcomes))
	for _, o := range outcomes {
		errs = append(errs, o.unnoted)
	}
	return errors.Join(errs...)
}

// eachOf calls one for every index below n, four at a time, until ctx ends. It fails
// if it has skipped any.
func eachOf(ctx context.Context, n int, progress func(done, total int), one func(i int)) error {
	done := cleanCounter{total: n, tell: progress}
	done.add(0)
	var g errgroup.Group
	g.SetLimit(archiveAtOnce)
	for i := range n {
		g.Go(func() error {
			if err := ctx.Err(); err != nil { // it waited for a free slot
				return err
			}
			one(i)
			done.add(1)
			return nil
		})
	}
	return g.Wait()
}

func (r *cleanRun) one(ctx context.Context, i int, item cleanWork) {
	r.before[i] = -1
	if file, err := r.dir.stat(item.CascadeID); err == nil {
		r.before[i] = file.bytes
	}
	if err := r.run.Archiving(ctx, item.CascadeID, r.now(), item.LastTouched); err != nil {
		r.outcomes[i] = cleanOutcome{begun: true, err: recordError(err)} // without a record it could not be undone
		return
	}
	err := r.servers.archive(ctx, item.servers, item.CascadeID)
	note := r.run.Archived
	if !mayBeDone(err) {
		note = r.run.NotArchived
	}
	r.outcomes[i] = cleanOutcome{true, err, note(ctx, item.CascadeID, r.now())}
}

// mayBeDone says that a server has done the work, or that its response timed out.
func mayBeDone(err error) bool { return err == nil || errors.Is(err, context.DeadlineExceeded) }

func (r *cleanRun) result(items []cleanWork) Result {
	var result Result
	for i, o := range r.outcomes {
		switch {
		case !o.begun:
		case o.err != nil:
			result.Failed = append(result.Failed, cleanFailure(items[i].CascadeID, items[i].Title, o.err))
		default:
			result.Archived = append(result.Archived, items[i].CascadeID)
			if freed, ok := r.freed(items[i].CascadeID, r.before[i]); ok {
				result.BytesFreed += freed
				result.BytesKnown = true
			}
		}
	}
	result.BytesFreed = max(result.BytesFreed, 0)
	result.BytesKnown = result.BytesKnown || len(result.Archived) == 0
	return result
}

// freed is by how much a file has become smaller.
func (r *cleanRun) freed(id string, before int64) (int64, bool) {
	if before < 0 {
		return 0, false
	}
	after, err := r.dir.stat(id)
	switch {
	case err == nil:
		return before - after.bytes, true
	case isGone(err):
		return before, true
	default:
		return 0, false
	}
}

// cleanCounter counts progress.
type cleanCounter struct {
	tell        func(done, total int)
	mu          sync.Mutex // guards done, and the order of the reports
	done, total int
}

func (c *cleanCounter) add(n int) {
	if c.tell == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done += n
	c.tell(c.done, c.total)
}

func cleanFailure(id, title string, err error) Failure {
	return Failure{CascadeID: id, Title: title, Message: cleanMessage(err)}
}

// cleanMessage says why a cascade could not be archived or put back.
func cleanMessage(err error) string {
	if told := say.Sentence(err, ""); told != "" {
		return told
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "The server did not answer in time."
	case errors.Is(err, cascade.ErrUnsupported):
		return "The server cannot archive."
	default:
		text := terminal.Short(err.Error())
		return strings.ToUpper(text[:min(len(text), 1)]) + text[min(len(text), 1):] + "."
	}
}
