package touched

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"time"

	"windsock/probe/files"
)

// The first edition of Windsock kept this in files: a queue, the record of the last
// run or the journal of a killed one, and the acts of runs.
const (
	queueFile   = "archive-queue.json"
	recordFile  = "clean-undo"
	journalFile = "clean-undo.running"
	actsFile    = "clean-acts"
	maxFile     = 64 << 20
)

// row is one of the table.
type row struct {
	run                   int64
	variant, id, state    string
	begun, ended, touched time.Time
}

// takeOver moves the first edition's files into the table, and removes them.
// Unreadable files stay.
func (t *Table) takeOver(ctx context.Context) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.taken {
		return nil
	}
	parsers := map[string]func([]byte) []row{queueFile: parseQueue, recordFile: parseRecord, journalFile: parseRecord, actsFile: parseActs}
	var rows []row
	var read []string
	for name, parse := range parsers {
		if text, err := files.Read(filepath.Join(t.dir, name), maxFile); err == nil {
			rows = append(rows, parse(text)...)
			read = append(read, name)
		}
	}
	if len(read) == 0 {
		t.taken = true
		return nil
	}
	err := t.room.Write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if err := exec(ctx, tx, schema); err != nil {
			return err
		}
		for _, r := range rows {
			err := exec(ctx, tx, "INSERT OR IGNORE INTO cascade (run, variant, id, state, begun, ended, touched) VALUES (?, ?, ?, ?, ?, ?, ?)",
				r.run, r.variant, r.id, r.state, nano(r.begun), nano(r.ended), nano(r.touched))
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	t.taken = true
	for _, name := range append(read, "archive-queue.lock", "clean.lock") {
		_ = os.Remove(filepath.Join(t.dir, name)) // a second reading changes nothing
	}
	return nil
}

func parseQueue(text []byte) (rows []row) {
	var queue struct {
		Cascades []struct {
			Variant   string    `json:"variant"`
			CascadeID string    `json:"cascade_id"`
			At        time.Time `json:"at"`
		} `json:"cascades"`
	}
	_ = json.Unmarshal(text, &queue) // a broken queue counts as empty
	for _, c := range queue.Cascades {
		if c.Variant != "" && ValidID(c.CascadeID) {
			rows = append(rows, row{variant: c.Variant, id: c.CascadeID, state: waiting, begun: c.At})
		}
	}
	return rows
}

// parseRecord reads a line of JSON, then one id per line.
func parseRecord(text []byte) (rows []row) {
	head, rest, _ := bytes.Cut(text, []byte{'\n'})
	var run struct {
		Variant string    `json:"variant"`
		At      time.Time `json:"at"`
		Cut     bool      `json:"cut"`
	}
	if json.Unmarshal(head, &run) != nil || run.Variant == "" {
		return nil
	}
	for line := range strings.Lines(string(rest)) {
		if id, ended := strings.CutSuffix(line, "\n"); ended && ValidID(id) {
			rows = append(rows, row{run: nano(run.At), variant: run.Variant, id: id, state: archived, begun: run.At})
		}
	}
	if run.Cut && len(rows) > 0 {
		rows = append(rows, row{run: nano(run.At), variant: run.Variant, state: cut, begun: run.At})
	}
	return rows
}

// parseActs reads lines of JSON.
func parseActs(text []byte) (rows []row) {
	for line := range bytes.Lines(text) {
		var act struct {
			ID       string    `json:"id"`
			Archived bool      `json:"archived"`
			Begun    time.Time `json:"begun"`
			Ended    time.Time `json:"ended"`
			Touched  time.Time `json:"touched"`
		}
		if json.Unmarshal(line, &act) != nil || !ValidID(act.ID) || act.Begun.Unix() <= 0 || act.Ended.Before(act.Begun) {
			continue
		}
		state := restored
		if act.Archived {
			state = noted
		}
		rows = append(rows, row{nano(act.Begun), "", act.ID, state, act.Begun, act.Ended, act.Touched})
	}
	return rows
}
