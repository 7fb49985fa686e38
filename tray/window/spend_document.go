package window

import (
	"windsock/probe/say"
	"windsock/usage/poll"
	"windsock/usage/spend"
)

// spending is what a plan was spent on, in words. A cell that is null is not known.
type spending struct {
	Plan string `json:"plan"`
	// Untold says why there is nothing to show; all else is empty then.
	Untold string `json:"untold"`
	// Cycle says that the beginning of the cycle is known.
	Cycle   bool       `json:"cycle"`
	Columns []string   `json:"columns"`
	Rows    []spentRow `json:"rows"`
	Total   []*string  `json:"total"`
	// Empty says why there are no rows.
	Empty string `json:"empty"`
	// Words are sentences about the rows, and Notes about what the reading left out.
	Words []string `json:"words"`
	Notes []string `json:"notes"`
	// Problem says why nothing new was read, and of when the figures are.
	Problem string `json:"problem"`
	// Reading is the one that runs, null if none does.
	Reading *reading `json:"reading"`
}

func (s *spender) document(state poll.State, report spend.Report, seen seen) spending {
	text := s.served.config.Words()
	columns := spentColumns(report)
	made := spending{
		Plan: state.Name, Cycle: !state.Snapshot.Cycle.Start.IsZero(),
		Rows:  spentRows(report, columns, func(key string) string { return s.places.name(report.By, key) }),
		Total: cells(spend.Row{Figures: report.Total}, columns), Empty: report.Nothing(),
		Words: append([]string{}, report.Sentences(text)...), Notes: append([]string{}, seen.look.Sentences()...), Reading: seen.reading,
	}
	for _, column := range columns {
		made.Columns = append(made.Columns, column.label)
	}
	if len(report.Rows) == 0 && !report.Read.IsZero() {
		made.Empty += " Choose a longer time."
	}
	if unnamed := len(seen.look.Cascades) == 0 && len(report.Rows) > 0; unnamed && (report.By == spend.ByWorkspace || report.By == spend.ByCascade) {
		made.Notes = append(made.Notes, "Windsock keeps neither workspaces nor titles. They are shown once the editor has told them.")
	}
	if seen.err != nil {
		made.Problem = say.Sentence(seen.err, "What was spent could not be read.")
		if !report.Read.IsZero() {
			made.Problem = text.Showing(report.Read, s.served.config.Now(), made.Problem)
		}
	}
	return made
}
