package spend

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"windsock/probe/say"
	"windsock/probe/sorted"
)

// Read reads what is new, one request at a time, and keeps it after each cascade: it may
// be interrupted at any time and taken up again. It fails if no server lists its
// cascades, if an editor ends, if nothing can be kept, or if ctx ends; the Look then has
// what was seen.
//
// A cascade that was modified since the last look is asked for its steps from the last
// known one on, and for all of them if that one is not there any more. Of servers that
// list the same cascade the one with the latest state is asked.
func (b *Book) Read(ctx context.Context, r Reading) (Look, error) {
	look := Look{Plan: r.Plan, At: r.Now, Cascades: map[string]Cascade{}}
	reader := &reader{Book: b, Reading: r, look: &look}
	err := reader.run(ctx)
	return look, err
}

// reader is a Reading under way.
type reader struct {
	*Book
	Reading

	look *Look
	// own are the open conversations of Windsock at the beginning, cursors those of all
	// cascades.
	own     map[string]int
	cursors map[string]cursor
	// asked says that a request was sent.
	asked bool
}

// found is a cascade, and the server to ask.
type found struct {
	Cascade

	server Server
}

// errBusy ends a reading.
var errBusy = errors.New("a prompt of Windsock's own runs")

func (r *reader) run(ctx context.Context) error {
	salt, err := r.config.Salt(ctx)
	if err != nil {
		return err
	}
	key := r.Plan.Key(salt)
	if r.own, err = r.Own(ctx); err != nil {
		return err
	}
	all, err := r.list(ctx)
	if err != nil {
		return r.end(err)
	}
	if r.cursors, err = r.readCursors(ctx); err != nil {
		return err
	}
	changed := r.changed(all)
	if r.look.Busy || (r.Patient && r.look.Running > 0) {
		return nil
	}
	for i, c := range changed {
		if err := r.cascade(ctx, key, c); err != nil {
			return r.end(err)
		}
		if r.Progress != nil {
			r.Progress(i+1, len(changed))
		}
	}
	if err := r.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		_, err := planOf(ctx, tx, key, r.Now.Unix())
		return err
	}); err != nil {
		return err
	}
	return r.fold(ctx, r.Now)
}

// end is the error of a reading that was ended by err.
func (r *reader) end(err error) error {
	if errors.Is(err, errBusy) {
		r.look.Busy = true
		return nil
	}
	return err
}

// list asks all servers for their cascades. A cascade that several list is that of the
// server with its latest state.
func (r *reader) list(ctx context.Context) (map[string]found, error) {
	if len(r.Servers) == 0 {
		return nil, errors.New("list cascades: no server")
	}
	all := map[string]found{}
	var failed []error
	for _, server := range r.Servers {
		if err := r.pause(ctx); err != nil {
			return nil, err
		}
		cascades, err := server.Cascades(ctx)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			failed = append(failed, err)
			r.look.Failed = append(r.look.Failed, Failure{Err: err})
			continue
		}
		for _, c := range cascades {
			other, twice := all[c.ID]
			order := c.Modified.Compare(other.Modified)
			if !twice || order > 0 || (order == 0 && c.Runs) {
				all[c.ID] = found{c, server}
				r.look.Cascades[c.ID] = c
			}
		}
	}
	if len(failed) == len(r.Servers) {
		r.look.Failed = nil // the error says it
		return nil, fmt.Errorf("list cascades: %w", errors.Join(failed...))
	}
	return all, nil
}

// changed are the cascades to read, the oldest first, so that of a step with copies the
// original is counted.
func (r *reader) changed(all map[string]found) (changed []found) {
	for id, c := range all {
		_, own := r.own[id]
		switch was, read := r.cursors[id]; {
		case own && (c.Runs || c.Steps == 0): // the editor lists it as idle until its turn begins
			r.look.Busy = true
		case c.Runs:
			r.look.Running++
		case !read || was.differs(c.Cascade, r.Now):
			changed = append(changed, c)
		}
	}
	sorted.By(changed, func(a, b found) int {
		return cmp.Or(a.Created.Compare(b.Created), strings.Compare(a.ID, b.ID))
	})
	return changed
}

// differs reports whether a listing tells of more than was read. An older one, of a
// server that has not seen the last steps, does not; one without a time may. Nor is any
// older than one that was read before the clock was set back.
func (c cursor) differs(listed Cascade, now time.Time) bool {
	modified := nano(listed.Modified, now)
	return modified == 0 || modified > c.modified || c.modified > latest(now) || (modified == c.modified && int64(listed.Steps) != c.steps)
}

// cascade reads and keeps a cascade. One that cannot be read is told in the Look.
func (r *reader) cascade(ctx context.Context, key string, c found) error {
	was := r.cursors[c.ID]
	steps, err := r.steps(ctx, c, &was)
	if err == nil {
		return r.keep(ctx, key, r.Now, part{c.Cascade, steps, was})
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if !errors.Is(err, errBusy) && !isOfEditor(err) {
		r.look.Failed = append(r.look.Failed, Failure{Cascade: c.Cascade, Err: err})
		err = nil
	}
	return err
}

// isOfEditor reports whether an error is no cascade's: its editor does not run, or is not
// signed in. Then no other cascade can be read, and the reading has not come to its end.
func isOfEditor(err error) bool { return slices.Contains([]int{3, 4}, say.Exit(err)) }

// steps are a cascade's steps from the last known one on, or all of them, with was
// cleared, if that one is not there any more.
func (r *reader) steps(ctx context.Context, c found, was *cursor) ([]Step, error) {
	if was.next > 0 && was.next <= c.Steps {
		steps, err := r.ask(ctx, c, was.next-1)
		if err != nil {
			return nil, err
		}
		if len(steps) > 0 && steps[0].Index == was.next-1 && look(c.ID, steps[0]) == was.known {
			return steps, nil
		}
	}
	*was = cursor{}
	return r.ask(ctx, c, 0)
}

func (r *reader) ask(ctx context.Context, c found, from int) ([]Step, error) {
	if err := r.pause(ctx); err != nil {
		return nil, err
	}
	return c.server.Steps(ctx, c.ID, from)
}

// pause rests before a request that is not the first, and fails if a prompt of
// Windsock's own has begun.
func (r *reader) pause(ctx context.Context) error {
	if r.asked {
		select {
		case <-time.After(r.Rest):
		case <-ctx.Done():
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	r.asked = true
	own, err := r.Own(ctx)
	if err != nil {
		return err
	}
	for id, prompts := range own {
		if before, known := r.own[id]; !known || prompts > before {
			return errBusy
		}
	}
	return nil
}
