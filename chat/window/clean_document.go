package window

import (
	"time"

	"windsock/chat"
)

// cleanDocument is a plan or a result as `windsock clean --json` writes it, with
// what can be taken back.
type cleanDocument struct {
	Schema     int           `json:"schema"`
	DryRun     bool          `json:"dry_run"`
	Count      int           `json:"count"`
	Bytes      int64         `json:"bytes"` // of the items whose size is known
	Items      []cleanItem   `json:"items"`
	Kept       cleanKept     `json:"kept"`
	Archived   []string      `json:"archived"`
	Failed     []cleanFailed `json:"failed"`
	BytesFreed *int64        `json:"bytes_freed"`
	// FilesOnly says that the server lists no cascades, so that their files are all
	// that is known.
	FilesOnly bool      `json:"files_only"`
	Undo      *undoable `json:"undo"`
}

type cleanItem struct {
	CascadeID    string    `json:"cascade_id"`
	Title        string    `json:"title"`
	LastModified time.Time `json:"last_modified"`
	Bytes        *int64    `json:"bytes"`
	Workspace    string    `json:"workspace"`
}

type cleanKept struct {
	chat.CleanKept

	Changed int `json:"changed"`
}

type cleanFailed struct {
	CascadeID string `json:"cascade_id"`
	Title     string `json:"title"`
	Message   string `json:"message"`
}

type undoable struct {
	Count int       `json:"count"`
	At    time.Time `json:"at"`
}

func newCleanDocument(plan chat.CleanPlan, result chat.CleanResult) cleanDocument {
	bytes, _ := plan.Bytes()
	d := cleanDocument{
		Schema: 1, Count: len(plan.Items), Bytes: bytes, Items: make([]cleanItem, 0, len(plan.Items)), FilesOnly: plan.FilesOnly,
		Kept: cleanKept{plan.Kept, result.Changed}, Archived: list(result.Archived), Failed: failed(result.Failed),
	}
	for _, item := range plan.Items {
		made := cleanItem{
			CascadeID: item.CascadeID, Title: item.Title, LastModified: item.LastTouched.Truncate(time.Second), Workspace: item.Workspace,
		}
		if item.BytesKnown {
			made.Bytes = &item.Bytes
		}
		d.Items = append(d.Items, made)
	}
	if result.BytesKnown || len(result.Archived) == 0 {
		d.BytesFreed = &result.BytesFreed
	}
	return d
}

// undoDocument is a result as `windsock clean --undo --json` writes it.
type undoDocument struct {
	Schema   int           `json:"schema"`
	Restored []string      `json:"restored"`
	Gone     []string      `json:"gone"`
	Failed   []cleanFailed `json:"failed"`
}

func newUndoDocument(result chat.UndoResult) undoDocument {
	return undoDocument{1, list(result.Restored), list(result.Gone), failed(result.Failed)}
}

func failed(all []chat.CleanFailure) []cleanFailed {
	made := make([]cleanFailed, 0, len(all))
	for _, f := range all {
		made = append(made, cleanFailed{f.CascadeID, f.Title, f.Message})
	}
	return made
}

// list keeps null out of JSON.
func list[T any](all []T) []T {
	if all == nil {
		return []T{}
	}
	return all
}
