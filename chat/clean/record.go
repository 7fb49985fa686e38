package clean

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"windsock/chat/cascade"
	"windsock/probe/files"
	"windsock/probe/redact"
	"windsock/probe/say"
)

// cleanRecord is the last run, for Undo. It lies in the state directory as a line
// of JSON with the variant and the time, and a line for each id. It has no titles
// and no paths.
type cleanRecord struct {
	Schema  int       `json:"schema"`
	Variant string    `json:"variant"`
	At      time.Time `json:"at"`
	// Cut says that the run did not come to its end.
	Cut bool     `json:"cut,omitempty"`
	IDs []string `json:"-"`
}

// restTime is how long after a run that was cut off the next one does its rest, as a
// person is told that it will: the two are taken back as one.
const restTime = Day

const (
	recordName = "clean-undo"
	// journalName is the record of a run on its way.
	journalName    = "clean-undo.running"
	recordLockName = "clean.lock"
	maxRecord      = 64 << 20
)

// cleanRecords are the record and the journal, which one process at a time has.
type cleanRecords struct {
	dir  string
	lock *flock.Flock
}

// openRecords takes the lock. The journal of a run that was killed becomes the
// record.
func openRecords(dir string) (*cleanRecords, error) {
	if err := files.MakeDir(dir); err != nil {
		return nil, recordError("open record of cleaning", err)
	}
	r := &cleanRecords{dir: dir, lock: flock.New(filepath.Join(dir, recordLockName), flock.SetPermissions(0o600))}
	locked, err := r.lock.TryLock()
	if err != nil {
		return nil, recordError("lock record of cleaning", err)
	}
	if !locked {
		return nil, &say.Error{What: "Another Windsock is cleaning up now.", Cure: "Wait until it is done, then try again."}
	}
	if err := r.recover(); err != nil {
		r.close()
		return nil, recordError("recover record of cleaning", err)
	}
	return r, nil
}

func (r *cleanRecords) close() { _ = r.lock.Close() } // the system does so otherwise

func (r *cleanRecords) path(name string) string { return filepath.Join(r.dir, name) }

func (r *cleanRecords) recover() error {
	left, err := readRecord(r.path(journalName))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil && !errors.Is(err, errNoRecord):
		return err
	case len(left.IDs) > 0:
		return os.Rename(r.path(journalName), r.path(recordName))
	default: // killed before anything was archived
		return os.Remove(r.path(journalName))
	}
}

// load is the last run; ok is false where there is none to take back. What is no
// record is moved aside.
func (r *cleanRecords) load() (record cleanRecord, ok bool, err error) {
	record, err = readRecord(r.path(recordName))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return cleanRecord{}, false, nil
	case errors.Is(err, errNoRecord), errors.Is(err, files.ErrTooLarge):
		_, err = files.MoveAside(r.path(recordName), time.Now())
	}
	if err != nil {
		return cleanRecord{}, false, recordError("read record of cleaning", err)
	}
	return record, len(record.IDs) > 0, nil
}

// save makes a record the last one; one without ids removes it.
func (r *cleanRecords) save(record cleanRecord) error {
	if len(record.IDs) == 0 {
		if err := os.Remove(r.path(recordName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return recordError("remove record of cleaning", err)
		}
		return nil
	}
	if err := files.Replace(r.path(recordName), record.text(), 0o600); err != nil {
		return recordError("write record of cleaning", err)
	}
	return nil
}

// begin starts the journal of a run, with the ids of the one that it is the rest of.
// The last record stays until there is something else to take back.
func (r *cleanRecords) begin(variant string, at time.Time) (*cleanJournal, error) {
	last, ok, err := r.load()
	if err != nil {
		return nil, err
	}
	record := cleanRecord{Variant: variant, At: at, Cut: true}
	if ok && last.Cut && last.Variant == variant && at.Sub(last.At) < restTime {
		record.IDs = last.IDs
	}
	file, err := os.OpenFile(r.path(journalName), os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err == nil {
		if _, err = file.Write(record.text()); err != nil {
			_ = file.Close()
		}
	}
	if err != nil {
		return nil, recordError("begin record of cleaning", err)
	}
	return &cleanJournal{record: record, file: file}, nil
}

// end puts the record of a run in the place of its journal; cut says that it was not
// the run's own end.
func (r *cleanRecords) end(j *cleanJournal, ids []string, cut bool) error {
	err := j.file.Close()
	if len(ids) > 0 {
		j.record.IDs, j.record.Cut = append(j.record.IDs, ids...), cut
		err = errors.Join(err, r.save(j.record))
	}
	if err != nil {
		return err // the journal has it
	}
	if err := os.Remove(r.path(journalName)); err != nil {
		return recordError("end record of cleaning", err)
	}
	return nil
}

// cleanJournal is the record of a run on its way.
type cleanJournal struct {
	record cleanRecord
	mu     sync.Mutex // guards file
	file   *os.File
}

// add writes an id down before it is archived. It outlives the process; that it
// outlives the machine would cost a disk's turn for each cascade.
func (j *cleanJournal) add(id string) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if _, err := j.file.WriteString(id + "\n"); err != nil {
		return recordError("write record of cleaning", err)
	}
	return nil
}

func (c cleanRecord) text() []byte {
	c.Schema, c.At = 1, c.At.UTC().Truncate(time.Second)
	head, _ := json.Marshal(c) //nolint:errchkjson // a number, a word and a time
	var text bytes.Buffer
	text.Write(append(head, '\n'))
	for _, id := range c.IDs {
		text.WriteString(id + "\n")
	}
	return text.Bytes()
}

func readRecord(path string) (cleanRecord, error) {
	text, err := files.Read(path, maxRecord)
	if err != nil {
		return cleanRecord{}, err
	}
	return parseRecord(text)
}

// recordError says what a person can do about a state directory that is of no use.
func recordError(doing string, err error) error {
	e := &say.Error{
		What:  "What clean does could not be noted in Windsock's state directory, for an undo. Its disk may be full or damaged.",
		Cause: fmt.Errorf("clean cascades: %s: %w", doing, redact.Path(err)),
	}
	switch {
	case errors.Is(err, syscall.ENOSPC):
		e.What, e.Cure = "The disk is full, so what clean does could not be noted for an undo.", "Make some room, and try again."
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		e.What, e.Cure = "Windsock may not write to its state directory, where what clean does is noted for an undo.",
			"Change the permissions of that directory, and try again."
	}
	return e
}

var errNoRecord = errors.New("not a record of cleaning")

// parseRecord leaves out what was not written to its end.
func parseRecord(text []byte) (cleanRecord, error) {
	head, rest, ok := bytes.Cut(text, []byte{'\n'})
	var record cleanRecord
	if !ok || json.Unmarshal(head, &record) != nil || record.Schema != 1 || record.Variant == "" {
		return cleanRecord{}, errNoRecord
	}
	lines := strings.Split(string(rest), "\n")
	seen := map[string]bool{}
	for _, id := range lines[:len(lines)-1] {
		if cascade.ValidID(id) && !seen[id] {
			seen[id] = true
			record.IDs = append(record.IDs, id)
		}
	}
	return record, nil
}

// Ready says whether a run could be written down, before anybody is asked about it.
func (c *Cleaner) Ready() error {
	records, err := openRecords(c.stateDir)
	if err != nil {
		return err
	}
	defer records.close()
	_, noted, err := records.openActs(c.now())
	if err != nil {
		return err
	}
	journal, err := records.begin(c.target.Variant, c.now())
	if err == nil {
		err = records.end(journal, nil, false)
	}
	return errors.Join(err, noted.close())
}

// readLast is load for those who only look: it takes no lock and changes nothing, so
// that nobody who looks is in the way of a run. A journal comes first, as it will when
// its run has ended, or is known to have been killed.
func readLast(stateDir string) (record cleanRecord, ok bool, err error) {
	for _, name := range []string{journalName, recordName} {
		record, err := readRecord(filepath.Join(stateDir, name))
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, errNoRecord), errors.Is(err, files.ErrTooLarge):
		case err != nil:
			return cleanRecord{}, false, recordError("read record of cleaning", err)
		case len(record.IDs) > 0:
			return record, true, nil
		}
	}
	return cleanRecord{}, false, nil
}

// archivedBefore are the cascades of this variant that the last run archived.
func (c *Cleaner) archivedBefore() (map[string]bool, error) {
	record, ok, err := readLast(c.stateDir)
	if err != nil || !ok || record.Variant != c.target.Variant {
		return nil, err
	}
	ids := make(map[string]bool, len(record.IDs))
	for _, id := range record.IDs {
		ids[id] = true
	}
	return ids, nil
}
