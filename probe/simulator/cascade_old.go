package simulator

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/google/uuid"
)

// oldSpan is the age of the oldest of the old cascades.
const oldSpan = 400 * 24 * time.Hour

var oldTitles = []string{
	"Fix the flaky login test", "Rename Order to Purchase everywhere", "Why does the build take so long?",
	"Add a dark theme", "Explain the retry logic in client.go", "Write tests for the parser",
	"Move the CI to Go 1.26", "Find the memory leak in the worker", "Review the migration script",
	"Draft the release notes", "Make the CSV export stream", "Untangle the import cycle",
	"Translate the settings page", "Port the script from Bash", "Look at the slow query",
	"Add rate limiting to the API", "Update the licence headers", "What does this regular expression do?",
	"修复登录", "Größenangaben vereinheitlichen", //nolint:gosmopolitan // people write in their language
}

var oldWorkspaces = []string{
	"file:///home/robin/src/shop", "file:///home/robin/src/windsock", "file:///home/robin/src/blog",
	"file:///home/robin/a%20b/notes", "", "file:///c%3A/Users/robin/src/tool",
}

// plantOld makes the cascades that exist at the start, or come later if the
// configuration says so: the oldest is 400 days older than the newest, and
// the newer ones are closer together. One in 16 is archived, one in 25 is hidden, and
// one in 50 is running in this server. Everything follows from the server's time, and from
// whose they are.
func (c *cascades) plantOld() {
	seed := c.owner.Seed()
	random := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // made-up data
	now := c.cfg.Until
	if now.IsZero() {
		now = c.now()
	}
	all := make([]*cascade, 0, c.cfg.Old)
	for n := range c.cfg.Old {
		share := (float64(n) + random.Float64()) / float64(c.cfg.Old)
		modified := now.Add(-time.Duration(share * share * float64(oldSpan))).Truncate(time.Second)
		one := &cascade{
			ID: oldID(random), Trajectory: oldID(random),
			Title:     oldTitles[n*7%len(oldTitles)], // each of them, in another order
			Workspace: oldWorkspaces[random.IntN(len(oldWorkspaces))],
			Created:   modified.Add(-time.Duration(random.Int64N(int64(48 * time.Hour)))).Truncate(time.Second),
			Modified:  modified,
			Archived:  n%16 == 15,
			Hidden:    n%25 == 13,
			running:   n%50 == 49,
		}
		steps := 4 + random.IntN(200)
		if n >= len(oldTitles) {
			one.Title += fmt.Sprintf(" (%d)", n/len(oldTitles)+1)
		}
		if n%10 == 4 {
			one.Renamed = "Renamed: " + one.Title
		}
		remember(one, seed, n, steps)
		for _, t := range one.Turns {
			t.Past.Weight = c.cfg.Weight / int64(len(one.Turns))
		}
		all = append(all, one)
		c.all[one.ID] = one
	}
	branch(all)
}

func oldID(random *rand.Rand) string {
	var id uuid.UUID
	for i := range id {
		id[i] = byte(random.Uint32()) //nolint:gosec // the last eight bits
	}
	id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80 // version 4, variant 1
	return id.String()
}

// oldSize is the size of an old cascade's file: between a third and three times that of
// a live one.
func oldSize(id string, live int64, archived bool) int64 {
	if archived {
		return live / shrink
	}
	var hash int64
	for _, b := range []byte(id) {
		hash = (hash*31 + int64(b)) % 1009
	}
	return live/3 + live*8/3*hash/1009
}
