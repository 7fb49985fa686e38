package history

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"windsock/usage"
)

// jsonSample and jsonDay are schema 1 of `history --json`, of which the names and
// the meaning are stable.
type jsonSample struct {
	At          string        `json:"at"`
	Meter       usage.MeterID `json:"meter"`
	Unit        usage.Unit    `json:"unit"`
	Used        *json.Number  `json:"used"`
	Total       *json.Number  `json:"total"`
	Remaining   *json.Number  `json:"remaining"`
	WindowStart *string       `json:"window_start"`
	ResetsAt    *string       `json:"resets_at"`
}

type jsonDay struct {
	Day   string        `json:"day"`
	Meter usage.MeterID `json:"meter"`
	Unit  usage.Unit    `json:"unit"`
	Used  *json.Number  `json:"used"`
}

func samplesJSON(out io.Writer, samples []Sample) error {
	return writeJSON(out, "samples", samples, func(s Sample) any {
		return jsonSample{
			At: stamp(s.At), Meter: s.Meter, Unit: s.Unit,
			Used: exact(s.Used, s.Unit), Total: exact(s.Total, s.Unit), Remaining: exact(s.Remaining, s.Unit),
			WindowStart: known(stamp(s.Window.Start)), ResetsAt: known(stamp(s.Window.End)),
		}
	})
}

func daysJSON(out io.Writer, days []Day) error {
	return writeJSON(out, "days", days, func(d Day) any {
		return jsonDay{d.Date, d.Meter, d.Unit, exact(d.Used, d.Unit)}
	})
}

// writeJSON writes one element a line: a list can be long.
func writeJSON[T any](out io.Writer, name string, list []T, element func(T) any) error {
	if _, err := fmt.Fprintf(out, "{\"schema\":1,%q:[", name); err != nil {
		return err
	}
	for i, one := range list {
		text, err := json.Marshal(element(one))
		if err != nil {
			return err
		}
		separator := ",\n"
		if i == 0 {
			separator = "\n"
		}
		if _, err := fmt.Fprint(out, separator, string(text)); err != nil {
			return err
		}
	}
	_, err := io.WriteString(out, "\n]}\n")
	return err
}

// WriteCSV writes samples as `windsock history --csv` does.
func WriteCSV(out io.Writer, samples []Sample) error {
	err := writeCSV(out, []string{"at", "meter", "unit", "used", "total", "remaining", "window_start", "resets_at"}, samples, func(s Sample) []string {
		return []string{
			stamp(s.At), string(s.Meter), string(s.Unit), decimal(s.Used, s.Unit), decimal(s.Total, s.Unit), decimal(s.Remaining, s.Unit),
			stamp(s.Window.Start), stamp(s.Window.End),
		}
	})
	return unwritten(err)
}

func daysCSV(out io.Writer, days []Day) error {
	return writeCSV(out, []string{"day", "meter", "unit", "used"}, days, func(d Day) []string {
		return []string{d.Date, string(d.Meter), string(d.Unit), decimal(d.Used, d.Unit)}
	})
}

// writeCSV writes RFC 4180, with its line ends.
func writeCSV[T any](out io.Writer, header []string, list []T, record func(T) []string) error {
	w := csv.NewWriter(out)
	w.UseCRLF = true
	if err := w.Write(header); err != nil {
		return err
	}
	for _, one := range list {
		if err := w.Write(record(one)); err != nil {
			return err
		}
	}
	w.Flush()
	return w.Error()
}

// stamp is RFC 3339 in UTC, "" when unknown.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

func known(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

func exact(a usage.Amount, unit usage.Unit) *json.Number {
	text := decimal(a, unit)
	if text == "" {
		return nil
	}
	n := json.Number(text)
	return &n
}

// decimal is a figure as it is in JSON everywhere; "" when unknown.
func decimal(a usage.Amount, unit usage.Unit) string {
	if !a.Known() {
		return ""
	}
	return a.Decimal(unit.Places())
}
