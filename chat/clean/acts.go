package clean

import (
	"time"

	"windsock/chat/touched"
)

const (
	// coarseTime is by how much a file system may set a file's time back: FAT has
	// every other second. settleTime is for how long after its answer a server may be
	// writing.
	coarseTime = 2 * time.Second
	settleTime = 10 * time.Second
)

// madeFileTime reports whether a file's time may be that of the act.
func madeFileTime(a touched.Act, at time.Time) bool {
	return !at.Before(a.Begun.Add(-coarseTime)) && !at.After(a.Ended.Add(settleTime))
}

// madeServerTime reports whether a server's time may be that of the act. A server's is
// exact, so what a person does right after the act is theirs.
func madeServerTime(a touched.Act, at time.Time) bool {
	return !at.Before(a.Begun) && !at.After(a.Ended)
}

// cleanActs are those to each cascade, by its id, the oldest first.
type cleanActs map[string][]touched.Act

// putBack leaves out the cascades that were archived and not put back. One of them that
// is not archived any more was put back by a person, at a time that nobody has noted,
// so it counts as touched when it was archived.
func (a cleanActs) putBack() cleanActs {
	back := make(cleanActs, len(a))
	for id, acts := range a {
		if !acts[len(acts)-1].Archived {
			back[id] = acts
		}
	}
	return back
}
