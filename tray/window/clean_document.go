package window

import (
	"time"

	"windsock/chat/clean"
)

// cleanDocument is a plan or a result as `windsock clean --json` writes it, with
// what the page shows beside it.
type cleanDocument struct {
	clean.Document

	// Failed takes the place of the other one, which has no titles.
	Failed []cleanFailed `json:"failed"`
	// FilesOnly says that the server lists no cascades, so that their files are all
	// that is known.
	FilesOnly bool      `json:"files_only"`
	Undo      *undoable `json:"undo"`
}

type cleanFailed struct {
	clean.Failure

	Title string `json:"title"`
}

// undoable is the run that can be taken back.
type undoable struct {
	Count int       `json:"count"`
	At    time.Time `json:"at"`
}

func newCleanDocument(plan clean.Plan, dryRun bool, result clean.Result) cleanDocument {
	return cleanDocument{Document: clean.NewDocument(plan, dryRun, result), Failed: failed(result.Failed), FilesOnly: plan.FilesOnly}
}

// undoDocument is a result as `windsock clean --undo --json` writes it.
type undoDocument struct {
	clean.UndoDocument

	Failed []cleanFailed `json:"failed"`
}

func newUndoDocument(result clean.UndoResult) undoDocument {
	return undoDocument{clean.NewUndoDocument(result), failed(result.Failed)}
}

func failed(all []clean.Failure) []cleanFailed {
	made := make([]cleanFailed, 0, len(all))
	for _, f := range all {
		made = append(made, cleanFailed{f, f.Title})
	}
	return made
}
