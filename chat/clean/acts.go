package clean

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"windsock/chat/cascade"
	"windsock/probe/files"
)

// cleanAct is what Windsock has done to a cascade. The editor may write the cascade's
// file anew for it (PROTOCOL.md 7.10), and a server may set its time: that is no sign
// of a person. It has no titles and no paths.
type cleanAct struct {
	ID string `json:"id"`
	// Archived is the mark that was set.
	Archived bool `json:"archived"`
	// Begun is when the server was told, and Ended when it had answered, or not.
	Begun time.Time `json:"begun"`
	Ended time.Time `json:"ended"`
	// Touched is when a person had touched the cascade last; zero is not known.
	Touched time.Time `json:"touched,omitzero"`
}

const (
	actsName = "clean-acts"
	// actsKept is for how long an act is remembered: a cascade that then seems to have
	// been touched by it is an old one all the same.
	actsKept = 365 * Day
	// coarseTime is by how much a file system may set a file's time back: FAT has
	// every other second. settleTime is for how long after its answer a server may be
	// writing.
	coarseTime = 2 * time.Second
	settleTime = 10 * time.Second
)

// madeFileTime reports whether a file's time may be that of the act.
func (a cleanAct) madeFileTime(at time.Time) bool {
	return !at.Before(a.Begun.Add(-coarseTime)) && !at.After(a.Ended.Add(settleTime))
}

// madeServerTime reports whether a server's time may be that of the act. A server's is
// exact, so what a person does right after the act is theirs.
func (a cleanAct) madeServerTime(at time.Time) bool {
	return !at.Before(a.Begun) && !at.After(a.Ended)
}

// cleanActs are those to each cascade, by its id, the oldest first.
type cleanActs map[string][]cleanAct

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

// readActs needs no lock. Where there are none, or not to be read for their size, nobody
// is held up: a cascade may then seem to be younger than it is.
func readActs(stateDir string) (cleanActs, error) {
	text, err := files.Read(filepath.Join(stateDir, actsName), maxRecord)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, files.ErrTooLarge):
		return nil, nil //nolint:nilnil // which has none
	case err != nil:
		return nil, recordError("read acts of cleaning", err)
	}
	return parseActs(text), nil
}

// parseActs leaves out what is none, such as what was not written to its end.
func parseActs(text []byte) cleanActs {
	acts := cleanActs{}
	for line := range bytes.Lines(text) {
		var act cleanAct
		if json.Unmarshal(line, &act) == nil && cascade.ValidID(act.ID) && isTime(act.Begun) && !act.Ended.Before(act.Begun) {
			acts[act.ID] = append(acts[act.ID], act)
		}
	}
	return acts
}

func (a cleanActs) text() []byte {
	var text bytes.Buffer
	for _, acts := range a {
		for _, act := range acts {
			text.Write(act.line())
		}
	}
	return text.Bytes()
}

func (a cleanAct) line() []byte {
	line, _ := json.Marshal(a) //nolint:errchkjson // words and times
	return append(line, '\n')
}

// forget drops the acts that ended before a time, and reports whether there were any.
func (a cleanActs) forget(before time.Time) bool {
	old := false
	for id, acts := range a {
		kept := slices.DeleteFunc(acts, func(act cleanAct) bool { return act.Ended.Before(before) })
		old = old || len(kept) < len(acts)
		if a[id] = kept; len(kept) == 0 {
			delete(a, id)
		}
	}
	return old
}

// cleanActLog is where acts are written down.
type cleanActLog struct {
	mu   sync.Mutex // guards what follows
	file *os.File
	err  error // the first
}

// openActs returns what Windsock has done so far, and where to write down what it does now.
func (r *cleanRecords) openActs(now time.Time) (cleanActs, *cleanActLog, error) {
	acts, err := readActs(r.dir)
	if err != nil {
		return nil, nil, err
	}
	if acts.forget(now.Add(-actsKept)) {
		_ = files.Replace(r.path(actsName), acts.text(), 0o600) // another time: on Windows somebody may be reading
	}
	file, err := os.OpenFile(r.path(actsName), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, nil, recordError("write acts of cleaning", err)
	}
	return acts, &cleanActLog{file: file}, nil
}

// add keeps an error for close: what is written down was done already.
func (l *cleanActLog) add(act cleanAct) {
	l.mu.Lock()
	defer l.mu.Unlock()
	act.Begun, act.Ended, act.Touched = act.Begun.UTC(), act.Ended.UTC(), act.Touched.UTC()
	if _, err := l.file.Write(act.line()); err != nil && l.err == nil {
		l.err = err
	}
}

func (l *cleanActLog) close() error {
	if err := errors.Join(l.err, l.file.Close()); err != nil {
		return recordError("write acts of cleaning", err)
	}
	return nil
}
