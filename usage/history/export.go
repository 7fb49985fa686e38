package history

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"windsock/usage"
)

// field is a field of a written T: a column of CSV, a member of JSON. Its text is empty
// when the value is unknown.
type field[T any] struct {
	name   string
	number bool
	text   func(T) string
}

// sampleFields and dayFields are schema 1 of `history --json`. Their names and meaning
// are stable, and a new one is added at the end.
var (
	sampleFields = []field[Sample]{
		{"at", false, func(s Sample) string { return timestamp(s.At) }},
		{"meter", false, func(s Sample) string { return string(s.Meter) }},
		{"unit", false, func(s Sample) string { return string(s.Unit) }},
		{"used", true, func(s Sample) string { return decimal(s.Used, s.Unit) }},
		{"total", true, func(s Sample) string { return decimal(s.Total, s.Unit) }},
		{"remaining", true, func(s Sample) string { return decimal(s.Remaining, s.Unit) }},
		{"window_start", false, func(s Sample) string { return timestamp(s.Window.Start) }},
		{"resets_at", false, func(s Sample) string { return timestamp(s.Window.End) }},
		{"plan", false, func(s Sample) string { return s.Plan }},
	}
	dayFields = []field[Day]{
		{"day", false, func(d Day) string { return d.Date }},
		{"meter", false, func(d Day) string { return string(d.Meter) }},
		{"unit", false, func(d Day) string { return string(d.Unit) }},
		{"used", true, func(d Day) string { return decimal(d.Used, d.Unit) }},
		{"plan", false, func(d Day) string { return d.Plan }},
	}
)

// writeJSON writes one element per line: a list can be long.
func writeJSON[T any](out io.Writer, name string, fields []field[T], list []T) error {
	line := fmt.Appendf(nil, "{\"schema\":1,%q:[", name)
	for i, one := range list {
		if i > 0 {
			line = append(line, ',')
		}
		line = append(line, "\n{"...)
		for n, f := range fields {
			if n > 0 {
				line = append(line, ',')
			}
			line = fmt.Appendf(line, "%q:%s", f.name, f.json(one))
		}
		if _, err := out.Write(append(line, '}')); err != nil {
			return unwritten(err)
		}
		line = line[:0]
	}
	_, err := out.Write(append(line, "\n]}\n"...))
	return unwritten(err)
}

func (f field[T]) json(of T) []byte {
	text := f.text(of)
	switch {
	case text == "":
		return []byte("null")
	case f.number:
		return []byte(text)
	default:
		quoted, _ := json.Marshal(text) //nolint:errchkjson // a string always goes
		return quoted
	}
}

// WriteCSV writes samples as `windsock history --csv` does.
func WriteCSV(out io.Writer, samples []Sample) error {
	return writeCSV(out, sampleFields, samples)
}

// writeCSV writes RFC 4180, with its line ends.
func writeCSV[T any](out io.Writer, fields []field[T], list []T) error {
	w := csv.NewWriter(out)
	w.UseCRLF = true
	record := make([]string, len(fields))
	for i, f := range fields {
		record[i] = f.name
	}
	_ = w.Write(record) // Error returns its error
	for _, one := range list {
		for i, f := range fields {
			record[i] = f.text(one)
		}
		if w.Write(record) != nil {
			break
		}
	}
	w.Flush()
	return unwritten(w.Error())
}

// unwritten wraps an error of the output.
func unwritten(err error) error {
	if err != nil {
		return fmt.Errorf("write history: %w", err)
	}
	return nil
}

// timestamp is RFC 3339 in UTC, "" when unknown.
func timestamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// decimal is a figure as everywhere in JSON; "" when unknown.
func decimal(a usage.Amount, unit usage.Unit) string {
	if !a.Known() {
		return ""
	}
	return a.Decimal(unit.Places())
}
