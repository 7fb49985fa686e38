// Package clean archives the cascades of one editor that nobody has touched for a
// while, and puts the last run's back. It deletes nothing, and asks nobody: a Plan
// is shown by who runs it.
package clean

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"windsock/chat/cascade"
	"windsock/chat/touched"
	pb "windsock/probe/languageserver"
)

// Trajectories is what cleaning asks of a language server. An error that means
// that the server has no such call satisfies errors.Is(err, ErrUnsupported).
type Trajectories interface {
	// List returns every cascade that the server knows of, by cascade id
	// (PROTOCOL.md 7.6).
	List(ctx context.Context) (map[string]*pb.CascadeTrajectorySummary, error)
	// Archive sets or takes back (archived false) the archived mark (7.7).
	Archive(ctx context.Context, cascadeID string, archived bool) error
}

// Target is the variant of the editor that is cleaned.
type Target struct {
	// Variant and App are the editor's short name and its name for people.
	Variant, App string
	// CodeiumDir is where the variant keeps its cascades, below cascade; "" where
	// that is not known.
	CodeiumDir string
	// Servers are all language servers of the variant that run, one for each window
	// or so. One left out might be running a cascade that is archived then.
	Servers []Trajectories
	// Close is called when the cleaning is over; nil is nothing to close.
	Close func()
}

// Rules say what is stale.
type Rules struct {
	// OlderThan is how long ago a cascade was touched last, at least.
	OlderThan time.Duration
	// Keep is how many of the newest are kept, however old they are.
	Keep int
}

// DefaultRules are 14 days, and the 10 newest.
func DefaultRules() Rules {
	return Rules{OlderThan: 14 * Day, Keep: 10}
}

// Day is a day, whatever the clocks do.
const Day = 24 * time.Hour

// Cleaner archives the cascades of one variant, and deletes nothing. What an editor
// leaves out of the file of one that is archived is not known (PROTOCOL.md 7.10).
type Cleaner struct {
	target Target
	table  *touched.Table
	now    func() time.Time
}

// New returns a cleaner that remembers in a table what its runs did.
func New(target Target, table *touched.Table, now func() time.Time) *Cleaner {
	return &Cleaner{target: target, table: table, now: now}
}

// Plan asks every server of the variant and looks at the files. It changes
// nothing.
func (c *Cleaner) Plan(ctx context.Context, rules Rules) (Plan, error) {
	seen, err := c.look(ctx)
	if err != nil {
		return Plan{}, err
	}
	acts, err := c.table.Acts(ctx)
	if err != nil {
		return Plan{}, recordError(err)
	}
	seen.acts = cleanActs(acts).putBack()
	if !anyListing(seen.listings) {
		if seen.archived, err = c.archivedBefore(ctx); err != nil {
			return Plan{}, err
		}
	}
	return planClean(seen, c.now(), rules), nil
}

// cleanListing is what one server knows of, nil for a server that cannot list.
type cleanListing map[string]*pb.CascadeTrajectorySummary

// cleanSight is all that is known of a variant's cascades.
type cleanSight struct {
	listings []cleanListing // of each server
	files    map[string]cascadeFile
	// acts are those whose traces are not a person's.
	acts cleanActs
	// archived are ids that are archived for all that is known from elsewhere; nil is
	// none.
	archived map[string]bool
}

func anyListing(listings []cleanListing) bool {
	for _, l := range listings {
		if l != nil {
			return true
		}
	}
	return false
}

// look asks all servers and looks at all files meanwhile. Files that nobody can look
// at are no error where a server lists: their sizes are unknown then, which the plan
// tells.
func (c *Cleaner) look(ctx context.Context) (seen cleanSight, err error) {
	var unread error
	var looking sync.WaitGroup
	looking.Go(func() { seen.files, unread = c.files() })
	seen.listings, err = c.survey(ctx)
	looking.Wait()
	if err == nil && !anyListing(seen.listings) {
		err = unread
	}
	return seen, err
}

// survey asks all servers at once, and all must answer: a cascade that is idle
// in one may run in another.
func (c *Cleaner) survey(ctx context.Context) ([]cleanListing, error) {
	listings := make([]cleanListing, len(c.target.Servers))
	g, ctx := errgroup.WithContext(ctx)
	for i, server := range c.target.Servers {
		g.Go(func() error {
			summaries, err := server.List(ctx)
			switch {
			case errors.Is(err, cascade.ErrUnsupported):
				return nil
			case err != nil:
				return fmt.Errorf("list cascades: %w", err)
			case summaries == nil:
				summaries = cleanListing{}
			}
			listings[i] = summaries
			return nil
		})
	}
	return listings, g.Wait()
}

// files looks at the files of all cascades.
func (c *Cleaner) files() (map[string]cascadeFile, error) {
	dir, err := openCascades(c.target.CodeiumDir)
	if err != nil {
		return nil, err
	}
	defer dir.close()
	return dir.all()
}
