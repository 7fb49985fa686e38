package spend

import (
	"context"
	"database/sql"
	"time"

	"windsock/usage"
)

// Room is a database that several processes may use at once.
type Room interface {
	// Read runs do if there is a database; it makes none.
	Read(ctx context.Context, do func(context.Context, *sql.DB) error) error
	// Write runs do in a transaction, which is rolled back if do fails.
	Write(ctx context.Context, do func(context.Context, *sql.Tx) error) error
}

// Config are the parts of a Book.
type Config struct {
	Room Room
	// Salt is that of the plans' keys.
	Salt func(context.Context) ([]byte, error)
	// Moved are a plan's meters with what they moved in a time, without Elsewhere, in the
	// order of the table.
	Moved func(ctx context.Context, plan usage.Plan, since, until time.Time) ([]Moved, error)
	// Location decides when days begin.
	Location *time.Location
}

// Book keeps what was spent. It may be used from several goroutines, and its database
// from several processes at once.
type Book struct{ config Config }

// New returns a Book.
func New(c Config) *Book { return &Book{config: c} }

// Reading says what to read.
type Reading struct {
	// Plan is that of the account that the Servers are signed in to.
	Plan    usage.Plan
	Servers []Server
	// Own are the conversations that Windsock itself has open, by cascade id, with the
	// number of their prompts. A new one, or a new prompt, ends the reading.
	Own func(context.Context) (map[string]int, error)
	// Rest is between two requests. Patient reads nothing while any turn runs; else only
	// the cascade in which it runs is left for later.
	Rest    time.Duration
	Patient bool
	Now     time.Time
	// Progress may be nil.
	Progress func(done, total int)
}

// Plans are those that something is kept of, the one that was read last first. Their
// accounts are kept ones.
func (b *Book) Plans(ctx context.Context) (plans []usage.Plan, err error) {
	err = b.read(ctx, func(ctx context.Context, db *sql.DB) error {
		plans = nil
		return scan(ctx, db, func(rows *sql.Rows) error {
			var key string
			err := rows.Scan(&key)
			plans = append(plans, usage.KeptPlan(key))
			return err
		}, "SELECT key FROM spent_plan ORDER BY read DESC, id")
	})
	return plans, err
}

// LastRead is when a plan's cascades were last read; zero if nothing is kept of it. A
// plan with an unknown account is that of [Book.Sum].
func (b *Book) LastRead(ctx context.Context, plan usage.Plan) (time.Time, error) {
	_, read, err := b.find(ctx, plan)
	return read, err
}
