package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"

	"windsock/chat"
	"windsock/probe/say"
)

// writeJSON writes a document as the commands' --json has it.
func writeJSON(out io.Writer, document any) error {
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(document)
}

// askProblem is why there is no answer, or none that is whole.
type askProblem struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// problems are those of an error; none without one.
func problems(err error) []askProblem {
	if err == nil {
		return []askProblem{}
	}
	return []askProblem{{cmp.Or(say.Code(err), "failed"), say.Sentence(err, err.Error())}}
}

// writeAnswer writes schema 1. Beside an error the answer is what there was of it.
func writeAnswer(out io.Writer, a chat.Answer, m chat.Model, failed error) error {
	err := writeJSON(out, struct {
		Schema    int       `json:"schema"`
		Text      string    `json:"text"`
		Model     string    `json:"model"`
		CascadeID string    `json:"cascade_id"`
		Duration  int64     `json:"duration_ms"`
		Archived  bool      `json:"archived"`
		ToolOnly  bool      `json:"tool_only"`
		Cost      chat.Cost `json:"cost"`

		Problems []askProblem `json:"problems"`
	}{1, a.Text, m.UID, a.Ref, a.Duration.Milliseconds(), a.Archived(), a.ToolOnly, a.Cost, problems(failed)})
	if err != nil {
		return fmt.Errorf("write answer: %w", err)
	}
	return nil
}
