// Package clean archives the cascades of one editor that have not been touched for a
// while, and undoes the last run. It deletes nothing and asks no questions: its caller
// shows the Plan.
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

// Trajectories is the part of a language server that cleaning uses. If the server
// lacks a call, the error satisfies errors.Is(err, ErrUnsupported).
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
	// CodeiumDir is the directory with the variant's cascades in its folder cascade; ""
	// if unknown.
	CodeiumDir string
	// Servers are all running language servers of the variant, about one per window. If
	// one is missing, a cascade that it runs might be archived.
	Servers []Trajectories
	// Close is called after the cleaning; nil closes nothing.
	Close func()
}

// Rules say what is stale.
type Rules struct {
	// OlderThan is the minimum age of a stale cascade since its last touch.
	OlderThan time.Duration
	// Keep is how many of the newest stay, however old they are.
	Keep int
}

// DefaultRules are 14 days, and the 10 newest.
func DefaultRules() Rules {
	return Rules{OlderThan: 14 * Day, Keep: 10}
}

// Day is 24 hours, whatever the clocks do.
const Day = 24 * time.Hour

// Cleaner archives the cascades of one variant, and deletes nothing. Which content an
// editor drops from an archived cascade's file is unknown (PROTOCOL.md 7.10).
type Cleaner struct {
	target Target
	table  *touched.Table
	now    func() time.Time
}

// New returns a cleaner that records its runs in a table.
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

// cleanListing is one server's list of cascades, nil for a server that cannot list.
type cleanListing map[string]*pb.CascadeTrajectorySummary

// cleanSight is all that is known about a variant's cascades.
type cleanSight struct {
	listings []cleanListing // of each server
	files    map[string]cascadeFile
	// acts are Windsock's own acts. Their traces are not a person's.
	acts cleanActs
	// archived are the ids that the last run archived, loaded only if no server lists.
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

// look asks all servers and reads the files' sizes and times meanwhile. Unreadable
// files are no error if a server lists: their sizes are then unknown, and the plan
// says so.
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

// survey asks all servers at once. All must answer: a cascade that is idle in one may
// run in another.
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
