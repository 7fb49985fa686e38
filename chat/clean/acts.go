package clean

import (
	"time"

	"windsock/chat/touched"
)

const (
	// coarseTime is how far back a file system may round a file's time: FAT stores even
	// seconds only. settleTime is how long a server may still be writing after its
	// answer.
	coarseTime = 2 * time.Second
	settleTime = 10 * time.Second
)

// madeFileTime reports whether the act may have set the file's time.
func madeFileTime(a touched.Act, at time.Time) bool {
	return !at.Before(a.Begun.Add(-coarseTime)) && !at.After(a.Ended.Add(settleTime))
}

// madeServerTime reports whether the act may have set the server's time. That time is
// exact, so a change by a person right after the act counts as the person's.
func madeServerTime(a touched.Act, at time.Time) bool {
	return !at.Before(a.Begun) && !at.After(a.Ended)
}

// cleanActs are the acts on each cascade, by its id, the oldest first.
type cleanActs map[string][]touched.Act

// putBack drops the cascades that were archived and not put back. If such a cascade is
// no longer archived, a person has put it back at an unknown time. It then counts as
// touched when it was archived.
func (a cleanActs) putBack() cleanActs {
	back := make(cleanActs, len(a))
	for id, acts := range a {
		if !acts[len(acts)-1].Archived {
			back[id] = acts
		}
	}
	return back
}
