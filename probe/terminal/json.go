package terminal

import (
	"encoding/json"
	"io"
	"strings"
)

// WriteJSON writes a document as the commands' --json do: indented, and without escapes
// for HTML.
func WriteJSON(out io.Writer, document any) error {
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(document)
}

// LineJSON is a value on one line that ends with a line break, for programs and models
// that read lines. The value has to be one that JSON has: else the line is empty.
func LineJSON(value any) string {
	var line strings.Builder
	e := json.NewEncoder(&line)
	e.SetEscapeHTML(false)
	_ = e.Encode(value) //nolint:errchkjson // as said
	return line.String()
}
