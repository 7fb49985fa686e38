package clean

import "time"

// Document is a plan, or a result, as `windsock clean --json` writes it, schema 1.
type Document struct {
	Schema int  `json:"schema"`
	DryRun bool `json:"dry_run"`
	Count  int  `json:"count"`
	// Bytes is the sum for the items of known size.
	Bytes int64          `json:"bytes"`
	Items []DocumentItem `json:"items"`
	Kept  DocumentKept   `json:"kept"`
	// Archived is empty if nothing was done.
	Archived []string  `json:"archived"`
	Failed   []Failure `json:"failed"`
	// BytesFreed is null if cascades were archived and no file could be measured.
	BytesFreed *int64 `json:"bytes_freed"`
}

// DocumentItem is a stale cascade.
type DocumentItem struct {
	CascadeID    string    `json:"cascade_id"`
	Title        string    `json:"title"`
	LastModified time.Time `json:"last_modified"`
	Bytes        *int64    `json:"bytes"`
	Workspace    string    `json:"workspace"`
}

// DocumentKept counts the cascades that stay.
type DocumentKept struct {
	Kept

	// Changed are items that were skipped in the end.
	Changed int `json:"changed"`
}

// NewDocument makes the document of a plan and its result.
func NewDocument(plan Plan, dryRun bool, result Result) Document {
	bytes, _ := plan.Bytes()
	d := Document{
		Schema:   1,
		DryRun:   dryRun,
		Count:    len(plan.Items),
		Bytes:    bytes,
		Items:    make([]DocumentItem, 0, len(plan.Items)),
		Kept:     DocumentKept{plan.Kept, result.Changed},
		Archived: cleanList(result.Archived),
		Failed:   cleanList(result.Failed),
	}
	for _, item := range plan.Items {
		d.Items = append(d.Items, DocumentItem{
			CascadeID:    item.CascadeID,
			Title:        item.Title,
			LastModified: item.LastTouched.Truncate(time.Second),
			Bytes:        cleanFigure(item.Bytes, item.BytesKnown),
			Workspace:    item.Workspace,
		})
	}
	d.BytesFreed = cleanFigure(result.BytesFreed, result.BytesKnown || len(result.Archived) == 0)
	return d
}

// UndoDocument is a result as `windsock clean --undo --json` writes it, schema 1.
type UndoDocument struct {
	Schema   int       `json:"schema"`
	Restored []string  `json:"restored"`
	Gone     []string  `json:"gone"`
	Failed   []Failure `json:"failed"`
}

// NewUndoDocument makes the document of an undo.
func NewUndoDocument(result UndoResult) UndoDocument {
	return UndoDocument{
		Schema:   1,
		Restored: cleanList(result.Restored),
		Gone:     cleanList(result.Gone),
		Failed:   cleanList(result.Failed),
	}
}

func cleanFigure(n int64, known bool) *int64 {
	if !known {
		return nil
	}
	return &n
}

// cleanList replaces nil, which JSON would write as null.
func cleanList[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
