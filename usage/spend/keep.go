package spend

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"windsock/usage"
)

// part is what a server has told of a cascade: its steps from an index on.
type part struct {
	cascade Cascade
	steps   []Step
	// was is the cursor that the steps continue; zero if they are all steps.
	was cursor
}

// entry is a step with what follows from its neighbours.
type entry struct {
	Step

	marks marks
	// at is in seconds; own says that the step itself tells it.
	at  int64
	own bool
}

// entries are the steps of a part, and the cursor after them.
func (p part) entries(now time.Time) ([]entry, cursor) {
	at := p.was.at
	if p.was.next == 0 {
		at = first(p.cascade.Created, p.cascade.Modified, now).Unix()
	}
	after := cursor{modified: nano(p.cascade.Modified, now), steps: int64(p.cascade.Steps)}
	all := make([]entry, len(p.steps))
	model := ""
	for i, s := range slices.Backward(p.steps) {
		if s.Prompt && s.Model == "" {
			s.Model, s.Open = model, s.Open || model == "" // its answer is still to come
		}
		model = cmp.Or(s.Model, model)
		all[i] = entry{Step: s, marks: marksOf(p.cascade.ID, s)}
	}
	open := false
	for i := range all {
		e := &all[i]
		if own := first(e.At, e.Created); !own.IsZero() {
			at, e.own = own.Unix(), true
		}
		e.at = at
		if open = open || e.Open; !open {
			after.next, after.known, after.at = e.Index+1, look(p.cascade.ID, p.steps[i]), at
		}
	}
	return all, after
}

// first is the first of the moments that is known.
func first(moments ...time.Time) time.Time {
	for _, t := range moments {
		if storable(t) {
			return t
		}
	}
	return time.Time{}
}

// storable reports whether a moment is after the epoch and no later than 9999.
func storable(t time.Time) bool { return t.Unix() > 0 && t.Unix() <= usage.LastSecond }

// nano is a moment of a listing, 0 if it is not told. Nor does one in the future tell
// anything: until then, all later ones would seem to be older.
func nano(t, now time.Time) int64 {
	if !storable(t) || t.Sub(now) > clockSlack {
		return 0
	}
	return t.UnixNano()
}

// clockSlack is how far ahead of the clock a moment may lie. What was kept of one that is
// further ahead, is from before the clock was set back, and no newer than others.
const clockSlack = 24 * time.Hour

func latest(now time.Time) int64 { return now.Add(clockSlack).UnixNano() }

// counts reports whether a step has a row.
func (s Step) counts() bool {
	return s.Prompt || s.Answer || s.Credits.Known() || s.ACU.Known() || s.QuotaPercent.Known() || s.OverageUSD.Known()
}

// keep writes what was told of a cascade, all or nothing. It writes nothing if another
// process has kept a later state in the meantime: that one has all of it.
func (b *Book) keep(ctx context.Context, key string, now time.Time, p part) error {
	entries, after := p.entries(now)
	return b.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		plan, err := planOf(ctx, tx, key, 0)
		if err != nil {
			return err
		}
		names := names{tx, map[string]int64{}}
		cascade, err := names.id(ctx, p.cascade.ID)
		if err != nil {
			return err
		}
		var kept int64
		err = tx.QueryRowContext(ctx, "SELECT modified FROM spent_cascade WHERE cascade = ?", cascade).Scan(&kept)
		again := err == nil
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		if after.modified != 0 && kept > after.modified && kept <= latest(now) {
			return nil
		}
		if err := put(ctx, names, plan, cascade, entries, again); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, "INSERT OR REPLACE INTO spent_cascade (cascade, modified, steps, next, known, at) VALUES (?, ?, ?, ?, ?, ?)",
			cascade, after.modified, after.steps, after.next, after.known, after.at)
		return err
	})
}

// A step that was folded is not counted again. One that stands in the table gets its new
// figures, but keeps those that are not told any more. A copy in another cascade changes
// nothing, nor does another account.
const upsert = `INSERT INTO spent_step (plan, at, mark, cascade, model, prompt, answer, credits, acu, quota, overage, input, output, cached)
	SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14 WHERE NOT EXISTS (SELECT 1 FROM spent_mark WHERE mark IN (?3, ?15))
	ON CONFLICT (mark) DO UPDATE SET
		at      = CASE WHEN ?16 THEN excluded.at ELSE at END,
		model   = CASE WHEN ?17 THEN excluded.model ELSE model END,
		prompt  = max(prompt, excluded.prompt),
		answer  = max(answer, excluded.answer),
		credits = COALESCE(excluded.credits, credits),
		acu     = COALESCE(excluded.acu, acu),
		quota   = COALESCE(excluded.quota, quota),
		overage = COALESCE(excluded.overage, overage),
		input   = COALESCE(excluded.input, input),
		output  = COALESCE(excluded.output, output),
		cached  = COALESCE(excluded.cached, cached)
	WHERE cascade = excluded.cascade`

// put writes the rows of steps. again says that the cascade was read before.
func put(ctx context.Context, names names, plan, cascade int64, entries []entry, again bool) error {
	statement, err := names.tx.PrepareContext(ctx, upsert)
	if err != nil {
		return err
	}
	defer func() { _ = statement.Close() }() // it has run
	for _, e := range entries {
		if !e.counts() {
			continue
		}
		model, err := names.id(ctx, e.Model)
		if err != nil {
			return err
		}
		if m := e.marks; again && m.best != m.first {
			if _, err := names.tx.ExecContext(ctx, "DELETE FROM spent_step WHERE mark = ?", m.first); err != nil {
				return err
			}
		}
		if _, err := statement.ExecContext(ctx, plan, e.at, e.marks.best, cascade, model, e.Prompt, e.Answer,
			stored(e.Credits), stored(e.ACU), stored(e.QuotaPercent), stored(e.OverageUSD),
			count(e.Input), count(e.Output), count(e.Cached), e.marks.first, e.own, e.Model != ""); err != nil {
			return err
		}
	}
	return nil
}
