package touched

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"time"

	"windsock/probe/say"
)

const (
	// restTime is how long after an interrupted run the next one counts as its rest, as
	// the person is told: both are undone as one.
	restTime = 24 * time.Hour
	// kept is how long acts are remembered, counted back from the run before.
	kept = 365 * 24 * time.Hour
	// alive is how long an unfinished run may write nothing and still count as running.
	// It notes each cascade, which takes half of that at most.
	alive = 10 * time.Second
)

// Last is the run of clean that an undo takes back.
type Last struct {
	Variant string
	At      time.Time // to the second
	IDs     []string  // the one touched longest ago first

	run int64
}

// Act is what Windsock did to a cascade. The editor may then rewrite the cascade's
// file (PROTOCOL.md 7.10), and a server may set its time.
type Act struct {
	// Archived is the new value of the mark.
	Archived bool
	// Begun is the time of the request, and Ended that of the response, or of its
	// absence.
	Begun, Ended time.Time
	// Touched is a person's last touch before the act; zero is unknown.
	Touched time.Time
}

// lastRun is the newest run that archived anything, even if it was undone.
const lastRun = "(SELECT max(run) FROM cascade WHERE id <> '' AND state IN ('archiving', 'archived', 'undone'))"

// Last is the run that an undo would take back, without ids if there is none. It
// changes nothing, and blocks no other run.
func (t *Table) Last(ctx context.Context) (last Last, err error) {
	err = t.read(ctx, func(ctx context.Context, db *sql.DB) error {
		last, err = readLast(ctx, db)
		return err
	})
	return last, err
}

func readLast(ctx context.Context, from querier) (last Last, err error) {
	err = scan(ctx, from, func(rows *sql.Rows) error {
		var id string
		err := rows.Scan(&last.run, &last.Variant, &id)
		last.IDs = append(last.IDs, id)
		return err
	}, "SELECT run, variant, id FROM cascade WHERE run = "+lastRun+" AND id <> '' AND state IN ('archiving', 'archived') ORDER BY touched, id")
	last.At = moment(last.run).Truncate(time.Second)
	return last, err
}

// Acts are the acts on each cascade, by its id, the oldest first.
func (t *Table) Acts(ctx context.Context) (acts map[string][]Act, err error) {
	err = t.read(ctx, func(ctx context.Context, db *sql.DB) error {
		acts = map[string][]Act{}
		return scan(ctx, db, func(rows *sql.Rows) error {
			var id, state string
			var begun, ended, touched int64
			err := rows.Scan(&id, &state, &begun, &ended, &touched)
			acts[id] = append(acts[id], Act{state != restored, moment(begun), moment(ended), moment(touched)})
			return err
		}, "SELECT id, state, begun, ended, touched FROM cascade WHERE run > 0 AND id <> '' AND ended > 0 ORDER BY begun, run")
	})
	return acts, err
}

// Run is a run of clean, or of its undo, under way. No other can begin until it ends.
type Run struct {
	table   *Table
	number  int64
	variant string
	undo    bool
	of      int64 // the run that this one continues or undoes; 0 is none

	mu    sync.Mutex // guards noted
	noted bool
}

// Begin begins a run of clean. If the previous one was interrupted a short while ago,
// both are undone together.
func (t *Table) Begin(ctx context.Context, variant string, at time.Time) (*Run, error) {
	run := &Run{table: t, variant: variant}
	err := run.begin(ctx, at, func(ctx context.Context, tx *sql.Tx) error {
		run.of = 0
		return scan(ctx, tx, func(rows *sql.Rows) error { return rows.Scan(&run.of) },
			"SELECT run FROM cascade WHERE run = "+lastRun+" AND id = '' AND variant = ? AND run > ?", variant, nano(at.Add(-restTime)))
	})
	return run, err
}

// BeginUndo begins the undo of a run, unless another run is the last one by now.
func (t *Table) BeginUndo(ctx context.Context, last Last, at time.Time) (*Run, error) {
	run := &Run{table: t, variant: last.Variant, undo: true, of: last.run}
	again := false
	err := run.begin(ctx, at, func(ctx context.Context, tx *sql.Tx) error {
		now, err := readLast(ctx, tx)
		again = now.run != last.run || len(now.IDs) != len(last.IDs)
		return err
	})
	if err == nil && again {
		run.undo = false
		err = errors.Join(&say.Error{What: "Windsock has cleaned up again since, so nothing was changed.", Cure: "Try again to take that back."}, run.End(ctx, false))
	}
	return run, err
}

// Archiving notes, before the request, that a server is to archive a cascade, and when
// a person last touched it.
func (r *Run) Archiving(ctx context.Context, id string, at, touched time.Time) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.of > 0 && !r.noted {
		if err := r.join(ctx); err != nil {
			return err
		}
	}
	err := r.change(ctx, at, "INSERT OR REPLACE INTO cascade (run, variant, id, state, begun, touched) VALUES (?, ?, ?, ?, ?, ?)",
		r.number, r.variant, id, archiving, nano(at), nano(touched))
	r.noted = r.noted || err == nil
	return err
}

// Archived notes that a cascade is archived, or may be.
func (r *Run) Archived(ctx context.Context, id string, at time.Time) error {
	return r.change(ctx, at, "UPDATE cascade SET state = ?, ended = ? WHERE run = ? AND id = ?", archived, nano(at), r.number, id)
}

// NotArchived notes that a cascade is not archived.
func (r *Run) NotArchived(ctx context.Context, id string, at time.Time) error {
	return r.change(ctx, at, "DELETE FROM cascade WHERE run = ? AND id = ?", r.number, id)
}

// Told notes that an undo asked a server to put a cascade back.
func (r *Run) Told(ctx context.Context, id string, act Act) error {
	return r.change(ctx, act.Ended, "INSERT OR REPLACE INTO cascade (run, variant, id, state, begun, ended, touched) VALUES (?, ?, ?, ?, ?, ?, ?)",
		r.number, r.variant, id, restored, nano(act.Begun), nano(act.Ended), nano(act.Touched))
}

// Restored notes that a cascade needs no more undoing.
func (r *Run) Restored(ctx context.Context, id string, at time.Time) error {
	return r.change(ctx, at, "UPDATE cascade SET state = ? WHERE run = ? AND id = ?", undone, r.of, id)
}

// End ends a run of clean, or of its undo. After an interruption, another run may do
// the rest.
func (r *Run) End(ctx context.Context, interrupted bool) error {
	if interrupted && r.noted {
		return r.table.exec(ctx, "UPDATE cascade SET state = ? WHERE run = ? AND id = ''", cut, r.number)
	}
	if r.undo { // the undone run has no rest to do
		if err := r.table.exec(ctx, endRun, r.of); err != nil {
			return err
		}
	}
	return r.table.exec(ctx, endRun, r.number)
}

func (r *Run) begin(ctx context.Context, at time.Time, look func(context.Context, *sql.Tx) error) error {
	var busy, newest int64
	err := r.table.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		const find = "SELECT (SELECT count(*) FROM cascade WHERE id = '' AND state = ? AND abs(ended - ?) < ?), coalesce(max(run), 0) FROM cascade"
		err := tx.QueryRowContext(ctx, find, running, nano(at), int64(alive)).Scan(&busy, &newest)
		if err != nil || busy > 0 {
			return err
		}
		if err := look(ctx, tx); err != nil {
			return err
		}
		r.number = max(nano(at), newest+1)
		// A clock that is years ahead makes the runs before this one no older.
		if err := exec(ctx, tx, "DELETE FROM cascade WHERE run > 0 AND run < ?", min(nano(at), newest)-int64(kept)); err != nil {
			return err
		}
		return exec(ctx, tx, "INSERT INTO cascade (run, variant, id, state, begun, ended) VALUES (?, ?, '', ?, ?, ?)",
			r.number, r.variant, running, nano(at), nano(at))
	})
	if err == nil && busy > 0 {
		return &say.Error{What: "Another Windsock is cleaning up now.", Cure: "Wait until it is done, then try again."}
	}
	return err
}

// join makes the previous run a part of this one, which is its rest.
func (r *Run) join(ctx context.Context) error {
	return r.table.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		const join = "UPDATE OR REPLACE cascade SET run = ? WHERE run = ? AND id <> '' AND state IN ('archiving', 'archived')"
		if err := exec(ctx, tx, join, r.number, r.of); err != nil {
			return err
		}
		return exec(ctx, tx, endRun, r.of)
	})
}

const endRun = "DELETE FROM cascade WHERE run = ? AND id = ''"

// change changes a run, and shows that the run is alive.
func (r *Run) change(ctx context.Context, at time.Time, statement string, values ...any) error {
	return r.table.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if err := exec(ctx, tx, statement, values...); err != nil {
			return err
		}
		return exec(ctx, tx, "UPDATE cascade SET ended = ? WHERE run = ? AND id = ''", nano(at), r.number)
	})
}
