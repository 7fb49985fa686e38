package spend

import (
	"encoding/csv"
	"encoding/json"
	"io"
	"strconv"
	"strings"
	"time"

	"windsock/probe/terminal"
	"windsock/usage"
)

// document is schema 1 of `windsock spend --json`. The names and meaning of its fields
// are stable. What is unknown is null.
type document struct {
	Schema int             `json:"schema"`
	Plan   string          `json:"plan"`
	Since  *string         `json:"since"` // null is all that is kept
	Until  *string         `json:"until"`
	By     By              `json:"by"`
	Rows   []documentRow   `json:"rows"`
	Total  documentFigures `json:"total"`
	Meters []documentMoved `json:"meters"`
}

type documentRow struct {
	documentName
	documentFigures
}

type documentName struct {
	Key   string `json:"key"`
	Label string `json:"label"`
}

type documentFigures struct {
	Prompts      int            `json:"prompts"`
	Credits      *json.Number   `json:"credits"`
	ACU          *json.Number   `json:"acu"`
	QuotaPercent *json.Number   `json:"quota_percent"`
	OverageUSD   *json.Number   `json:"overage_usd"`
	Tokens       documentTokens `json:"tokens"`
	UnknownSteps int            `json:"unknown_steps"`
}

type documentTokens struct {
	Input  *int64 `json:"input"`
	Output *int64 `json:"output"`
	Cached *int64 `json:"cached"`
}

type documentMoved struct {
	ID        usage.MeterID `json:"id"`
	Moved     *json.Number  `json:"moved"`
	Elsewhere *json.Number  `json:"elsewhere"`
}

func newDocument(r Report) document {
	d := document{
		Schema: 1, Plan: r.Plan, Since: stamp(r.Since), Until: stamp(r.Until), By: r.By,
		Rows: []documentRow{}, Total: newDocumentFigures(r.Total), Meters: []documentMoved{}, // an empty list is not null
	}
	for _, row := range r.Rows {
		d.Rows = append(d.Rows, documentRow{documentName{terminal.Line(row.Key), terminal.Short(row.Label)}, newDocumentFigures(row.Figures)})
	}
	for _, m := range r.Meters {
		unit := m.Meter.Info().Unit
		d.Meters = append(d.Meters, documentMoved{m.Meter, number(m.Moved, unit), number(m.Elsewhere, unit)})
	}
	return d
}

func newDocumentFigures(f Figures) documentFigures {
	return documentFigures{
		Prompts: f.Prompts, Credits: number(f.Credits, usage.UnitCredits), ACU: number(f.ACU, usage.UnitACU),
		QuotaPercent: number(f.QuotaPercent, usage.UnitPercent), OverageUSD: number(f.OverageUSD, usage.UnitUSD),
		Tokens: documentTokens(f.Tokens), UnknownSteps: f.UnknownSteps,
	}
}

// decimal is a figure with at most two decimals, of ACUs four; "" when unknown. A quota
// has two, too: a prompt costs hundredths of one per cent.
func decimal(a usage.Amount, unit usage.Unit) string {
	switch {
	case !a.Known():
		return ""
	case unit == usage.UnitACU:
		return a.Decimal(4)
	default:
		return a.Decimal(2)
	}
}

func number(a usage.Amount, unit usage.Unit) *json.Number {
	if !a.Known() {
		return nil
	}
	return new(json.Number(decimal(a, unit)))
}

// stamp is RFC 3339 in UTC; nil for the beginning of all times.
func stamp(t time.Time) *string {
	if t.Unix() <= 0 {
		return nil
	}
	return new(t.UTC().Format(time.RFC3339))
}

// csvHead is stable; a new column is added at the end.
var csvHead = []string{
	"key", "label", "prompts", "credits", "acu", "quota_percent", "overage_usd",
	"input_tokens", "output_tokens", "cached_tokens", "unknown_steps",
}

// WriteCSV writes a report's rows as `windsock spend --csv` does: RFC 4180, with its line
// ends.
func WriteCSV(out io.Writer, r Report) error {
	w := csv.NewWriter(out)
	w.UseCRLF = true
	_ = w.Write(csvHead) // Error returns its error
	for _, row := range r.Rows {
		err := w.Write([]string{
			inert(terminal.Line(row.Key)), inert(terminal.Short(row.Label)), strconv.Itoa(row.Prompts),
			decimal(row.Credits, usage.UnitCredits), decimal(row.ACU, usage.UnitACU),
			decimal(row.QuotaPercent, usage.UnitPercent), decimal(row.OverageUSD, usage.UnitUSD),
			tokens(row.Input), tokens(row.Output), tokens(row.Cached), strconv.Itoa(row.UnknownSteps),
		})
		if err != nil {
			break
		}
	}
	w.Flush()
	return unwritten(w.Error())
}

func tokens(n *int64) string {
	if n == nil {
		return ""
	}
	return strconv.FormatInt(*n, 10)
}

// inert keeps a spreadsheet from computing a title that a model has made.
func inert(text string) string {
	if text != "" && strings.ContainsRune("=+-@", rune(text[0])) {
		return "'" + text
	}
	return text
}
