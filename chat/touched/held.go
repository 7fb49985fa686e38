package touched

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
	"github.com/google/uuid"

	"windsock/probe/files"
	"windsock/probe/redact"
)

// heldSchema is the table of the waiting cascades that were kept open for further
// prompts. holder names the file whose lock the process has while it lives; it is empty
// once the process has given the cascade up.
const heldSchema = `CREATE TABLE IF NOT EXISTS held (
	variant TEXT NOT NULL,
	id      TEXT NOT NULL,
	prompts INTEGER NOT NULL,
	holder  TEXT NOT NULL,
	UNIQUE (variant, id)
) STRICT`

// holder is this process's sign that it lives. The system drops the lock with the
// process, so no clock is needed.
type holder struct {
	name string
	lock *flock.Flock
	held map[[2]string]bool // by variant and id
}

// Hold notes that this process keeps a waiting cascade open, and how many prompts the
// cascade has had. The cascade is Held until Release, Remove or the end of the process.
// A second Hold changes the number.
func (t *Table) Hold(ctx context.Context, variant, id string, prompts int) error {
	t.holding.Lock()
	defer t.holding.Unlock()
	if t.holder == nil {
		h, err := t.newHolder()
		if err != nil {
			return err
		}
		t.holder = h
	}
	t.holder.held[[2]string{variant, id}] = true
	return t.exec(ctx, `INSERT INTO held (variant, id, prompts, holder) VALUES (?, ?, ?, ?)
		ON CONFLICT (variant, id) DO UPDATE SET prompts = excluded.prompts, holder = excluded.holder`, variant, id, prompts, t.holder.name)
}

// Release gives up a cascade that this process has kept open. It waits to be archived
// like any other, and the number of its prompts stays known.
func (t *Table) Release(ctx context.Context, variant, id string) error {
	t.letGo(variant, id)
	return t.exec(ctx, "UPDATE held SET holder = '' WHERE variant = ? AND id = ?", variant, id)
}

// letGo removes the lock's file once this process holds nothing more.
func (t *Table) letGo(variant, id string) {
	t.holding.Lock()
	defer t.holding.Unlock()
	if t.holder == nil {
		return
	}
	if delete(t.holder.held, [2]string{variant, id}); len(t.holder.held) == 0 {
		t.holder.remove()
		t.holder = nil
	}
}

func (t *Table) newHolder() (*holder, error) {
	if err := files.MakeDir(t.dir); err != nil {
		return nil, err
	}
	h := t.holderOf(uuid.NewString())
	locked, err := h.lock.TryLock()
	if err == nil && !locked {
		err = errors.New("a new file is locked")
	}
	if err != nil {
		return nil, fmt.Errorf("hold cascade: %w", redact.Path(err))
	}
	return h, nil
}

func (t *Table) holderOf(name string) *holder {
	path := filepath.Join(t.dir, "open-"+name+".lock")
	return &holder{name, flock.New(path, flock.SetPermissions(0o600)), map[[2]string]bool{}}
}

func (h *holder) remove() {
	_ = h.lock.Unlock() // Windows removes no locked file
	_ = os.Remove(h.lock.Path())
}

// lives reports whether the process of that name still runs. It removes the file of a
// killed one.
func (t *Table) lives(name string) bool {
	if name == "" {
		return false
	}
	t.holding.Lock()
	defer t.holding.Unlock()
	if t.holder != nil && t.holder.name == name {
		return true
	}
	h := t.holderOf(name)
	free, err := h.lock.TryLock()
	if err == nil && free {
		h.remove()
	}
	return err == nil && !free
}

// waitingIn reads what waits, with who holds it. An earlier version of Windsock has made
// no table of that.
func waitingIn(ctx context.Context, db *sql.DB) (all []Waiting, holders []string, err error) {
	query := "SELECT variant, id, begun, 1, '' FROM cascade WHERE run = 0 ORDER BY begun, rowid"
	var n int
	if err := db.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema WHERE name = 'held'").Scan(&n); err != nil {
		return nil, nil, fmt.Errorf("look up cascades: %w", err)
	}
	if n > 0 {
		query = `SELECT c.variant, c.id, c.begun, COALESCE(h.prompts, 1), COALESCE(h.holder, '')
			FROM cascade AS c LEFT JOIN held AS h USING (variant, id) WHERE c.run = 0 ORDER BY c.begun, c.rowid`
	}
	err = scan(ctx, db, func(rows *sql.Rows) error {
		var w Waiting
		var at int64
		var holder string
		err := rows.Scan(&w.Variant, &w.ID, &at, &w.Prompts, &holder)
		w.At = moment(at)
		all, holders = append(all, w), append(holders, holder)
		return err
	}, query)
	return all, holders, err
}
