package window

import (
	"time"

	"windsock/chat"
)

// cleanDocument is a plan or a result as `windsock clean --json` writes it, with
// what the page shows beside it.
type cleanDocument struct {
	chat.CleanDocument

	// Failed takes the place of the other one, which has no titles.
	Failed []cleanFailed `json:"failed"`
	// FilesOnly says that the server lists no cascades, so that their files are all
	// that is known.
	FilesOnly bool      `json:"files_only"`
	Undo      *undoable `json:"undo"`
}

type cleanFailed struct {
	chat.CleanFailure

	Title string `json:"title"`
}

// undoable is the run that can be taken back.
type undoable struct {
	Count int       `json:"count"`
	At    time.Time `json:"at"`
}

func newCleanDocument(plan chat.CleanPlan, dryRun bool, result chat.CleanResult) cleanDocument {
	return cleanDocument{CleanDocument: chat.NewCleanDocument(plan, dryRun, result), Failed: failed(result.Failed), FilesOnly: plan.FilesOnly}
}

// undoDocument is a result as `windsock clean --undo --json` writes it.
type undoDocument struct {
	chat.UndoDocument

	Failed []cleanFailed `json:"failed"`
}

func newUndoDocument(result chat.UndoResult) undoDocument {
	return undoDocument{chat.NewUndoDocument(result), failed(result.Failed)}
}

func failed(all []chat.CleanFailure) []cleanFailed {
	made := make([]cleanFailed, 0, len(all))
	for _, f := range all {
		made = append(made, cleanFailed{f, f.Title})
	}
	return made
}
