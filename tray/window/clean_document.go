package window

import (
	"time"

	"windsock/chat/clean"
	"windsock/usage/words"
)

// cleanPlan lists what cleaning would archive, and what it keeps.
type cleanPlan struct {
	Items []cleanItem    `json:"items"`
	Kept  []clean.Reason `json:"kept"`
	// FilesOnly says that the server lists no cascades, so that only their files are
	// known.
	FilesOnly bool      `json:"files_only"`
	Undo      *undoable `json:"undo"`
}

type cleanItem struct {
	CascadeID string `json:"cascade_id"`
	Title     string `json:"title"`
	Workspace string `json:"workspace"`
	// LastTouched and Bytes (null if unknown) are for sorting.
	LastTouched time.Time `json:"last_touched"`
	Bytes       *int64    `json:"bytes"`
	Touched     string    `json:"touched"` // when, in words
	Age         string    `json:"age"`
	Size        string    `json:"size"`
}

// undoable is the run that can be undone.
type undoable struct {
	Count int    `json:"count"`
	Words string `json:"words"`
}

func newCleanPlan(plan clean.Plan, words words.Words) cleanPlan {
	document := cleanPlan{Items: make([]cleanItem, 0, len(plan.Items)), Kept: plan.Kept.Reasons(), FilesOnly: plan.FilesOnly}
	for _, item := range plan.Items {
		made := cleanItem{
			CascadeID: item.CascadeID, Title: item.Title, Workspace: item.Workspace, LastTouched: item.LastTouched,
			Touched: words.Date(item.LastTouched), Age: clean.AgeWords(plan.At.Sub(item.LastTouched)), Size: item.SizeWords(),
		}
		if item.BytesKnown {
			made.Bytes = &item.Bytes
		}
		document.Items = append(document.Items, made)
	}
	return document
}

// cleanResult is the result of a run or an undo.
type cleanResult struct {
	Words  string        `json:"words"`
	Failed []cleanFailed `json:"failed"`
}

type cleanFailed struct {
	clean.Failure

	Title string `json:"title"`
}

func newCleanResult(words string, all []clean.Failure) *cleanResult {
	made := &cleanResult{words, make([]cleanFailed, 0, len(all))}
	for _, f := range all {
		made.Failed = append(made.Failed, cleanFailed{f, f.Title})
	}
	return made
}
