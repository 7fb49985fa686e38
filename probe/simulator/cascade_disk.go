package simulator

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A disk is a codeium directory: an unreadable file for each cascade, and a journal of
// what the simulator must remember across a restart. Without a directory the methods do
// nothing.
type disk struct {
	dir  string
	size int64 // of a live cascade's file
}

const (
	// journalName is the journal's path below the codeium directory. Several servers
	// append to it, so it is never rewritten.
	journalName = "simulator.jsonl"
	// shrink is the factor by which archiving reduces a cascade's file: 20 MB became
	// 240 KB (PROTOCOL.md 7.10).
	shrink = 80
)

// An entry is a line of the journal.
type entry struct {
	Cascade   *cascade      `json:"cascade,omitempty"` // a new one
	ID        string        `json:"id,omitempty"`      // or the cascade of the other fields
	Turn      *turn         `json:"turn,omitempty"`
	Cancelled time.Duration `json:"cancelled,omitempty"` // of the last turn
	Archived  *bool         `json:"archived,omitempty"`
}

// open makes the directories.
func (d *disk) open() error {
	if err := os.MkdirAll(filepath.Join(d.dir, "cascade"), 0o700); err != nil {
		return fmt.Errorf("make codeium directory: %w", err)
	}
	return nil
}

// load reads the known cascades; nil if no server ever ran here.
func (d *disk) load() (map[string]*cascade, error) {
	text, err := os.ReadFile(filepath.Join(d.dir, journalName))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil //nolint:nilnil // none is an answer
	}
	if err != nil {
		return nil, fmt.Errorf("read cascades: %w", err)
	}
	all := map[string]*cascade{}
	for line := range bytes.Lines(text) {
		var e entry
		if json.Unmarshal(line, &e) != nil {
			continue // a killed server may leave half a line
		}
		e.apply(all)
	}
	return all, nil
}

func (e entry) apply(all map[string]*cascade) {
	if e.Cascade != nil {
		all[e.Cascade.ID] = e.Cascade
	}
	one, ok := all[e.ID]
	if !ok {
		return
	}
	if e.Turn != nil {
		one.Turns = append(one.Turns, e.Turn)
		one.Modified = e.Turn.Date
		if one.Title == "" {
			one.Title = title(e.Turn.Prompt)
		}
	}
	if n := len(one.Turns); e.Cancelled != 0 && n > 0 {
		one.Turns[n-1].Cancelled = e.Cancelled
	}
	if e.Archived != nil {
		one.Archived = *e.Archived
	}
}

// plant writes the cascades that exist at the start.
func (d *disk) plant(all map[string]*cascade) error {
	var journal bytes.Buffer
	for _, id := range slices.Sorted(maps.Keys(all)) {
		line, err := json.Marshal(entry{Cascade: all[id]})
		if err != nil {
			return fmt.Errorf("write cascade: %w", err)
		}
		journal.Write(append(line, '\n'))
		if err := d.file(id, oldSize(id, d.size, all[id].Archived), all[id].Modified); err != nil {
			return err
		}
	}
	return d.append(journal.Bytes())
}

// put writes a new cascade with a small file.
func (d *disk) put(c *cascade) error {
	return errors.Join(d.note(entry{Cascade: c}), d.file(c.ID, d.size/shrink, c.Modified))
}

// add writes a turn and gives the cascade's file the size of a live one.
func (d *disk) add(c *cascade, t *turn) error {
	return errors.Join(d.note(entry{ID: c.ID, Turn: t}), d.file(c.ID, d.size*int64(len(c.Turns)), t.Date))
}

func (d *disk) cancel(id string, passed time.Duration) error {
	return d.note(entry{ID: id, Cancelled: passed})
}

// archive records the mark. Setting it shrinks the file; clearing it does not restore
// its size.
func (d *disk) archive(id string, archived bool, now time.Time) error {
	err := d.note(entry{ID: id, Archived: &archived})
	if !archived {
		return err
	}
	info, statErr := os.Stat(d.path(id))
	if statErr != nil { // nothing to shrink
		return err
	}
	return errors.Join(err, d.file(id, min(info.Size(), d.size/shrink), now))
}

func (d *disk) path(id string) string { return filepath.Join(d.dir, "cascade", id+".pb") }

// file writes a cascade's file: random bytes at the beginning, then a hole, which takes
// no space if the file system supports holes.
func (d *disk) file(id string, size int64, modified time.Time) error {
	if d.dir == "" {
		return nil
	}
	const beginning = 4096
	content := make([]byte, min(size, beginning))
	seed := [32]byte{}
	copy(seed[:], strings.ReplaceAll(id, "-", ""))
	if _, err := io.ReadFull(rand.NewChaCha8(seed), content); err != nil {
		return fmt.Errorf("make cascade file: %w", err)
	}
	path := d.path(id)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		return fmt.Errorf("write cascade file: %w", err)
	}
	if err := errors.Join(os.Truncate(path, size), os.Chtimes(path, modified, modified)); err != nil {
		return fmt.Errorf("write cascade file: %w", err)
	}
	return nil
}

func (d *disk) note(e entry) error {
	line, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("write cascade: %w", err)
	}
	return d.append(append(line, '\n'))
}

// append writes whole lines at once, so that lines of other servers cannot mix with
// them.
func (d *disk) append(text []byte) (err error) {
	if d.dir == "" {
		return nil
	}
	journal, err := os.OpenFile(filepath.Join(d.dir, journalName), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("write cascade: %w", err)
	}
	defer func() { err = errors.Join(err, journal.Close()) }()
	if _, err := journal.Write(text); err != nil {
		return fmt.Errorf("write cascade: %w", err)
	}
	return nil
}
