package signin

import (
	"io"
	"os"
	"time"
)

// stateFiles are the parts of a database that a copy takes; all but the first
// may be missing. The order is SQLite's own: pages are in the -wal before they
// are in the main file, and in the -journal until they are no longer needed, so
// a part that is copied later never lacks what an earlier one refers to.
var stateFiles = []string{"", "-wal", "-journal"}

// stateStamp tells one state of a database from another. Times alone would not
// do: a file system may not tell two writes within some milliseconds apart.
type stateStamp [3]partStamp

type partStamp struct {
	info os.FileInfo // nil for a part that is not there
	// head holds the counter that every commit to the main file changes, and the
	// salt that every new start of a -wal changes.
	head [32]byte
}

func stampState(path string) (stamp stateStamp) {
	for i, suffix := range stateFiles {
		info, err := os.Stat(path + suffix)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		stamp[i].info = info
		if file, err := os.Open(path + suffix); err == nil {
			_, _ = io.ReadFull(file, stamp[i].head[:]) // a shorter one is as good
			// On Windows only this knows which file it was: of a path os.SameFile looks
			// that up when it is asked, and finds the new file.
			if opened, err := file.Stat(); err == nil {
				stamp[i].info = opened
			}
			_ = file.Close()
		}
	}
	return stamp
}

// same reports whether nothing was written between two stamps.
func (s stateStamp) same(other stateStamp) bool {
	for i, part := range s {
		if !part.same(other[i]) {
			return false
		}
	}
	return true
}

func (p partStamp) same(other partStamp) bool {
	if p.info == nil || other.info == nil {
		return p.info == nil && other.info == nil
	}
	return p.head == other.head &&
		p.info.Size() == other.info.Size() &&
		p.info.ModTime().Equal(other.info.ModTime()) &&
		os.SameFile(p.info, other.info)
}

// stateModified is when the database was last written to, its -wal included.
func stateModified(path string) time.Time {
	var last time.Time
	for _, suffix := range stateFiles {
		if info, err := os.Stat(path + suffix); err == nil && info.ModTime().After(last) {
			last = info.ModTime()
		}
	}
	return last
}
