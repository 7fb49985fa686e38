package cascade

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// longText is a text of so many bytes, or a few less.
func longText(size int) string {
	const line = "A line of text with `code` and an = sign, as long as lines are.\n"
	return strings.Repeat(line, size/len(line))
}

// BenchmarkPoll is one poll of an answer of a megabyte in a single step, from the
// server's JSON to the events. Every other poll takes back the growth.
func BenchmarkPoll(b *testing.B) {
	var answers [2][]byte
	for i, end := range []string{"now", "now it grows"} {
		answer, err := json.Marshal(map[string]any{"steps": []any{
			map[string]any{"type": "CORTEX_STEP_TYPE_USER_INPUT"},
			map[string]any{
				"type": "CORTEX_STEP_TYPE_PLANNER_RESPONSE", "status": "CORTEX_STEP_STATUS_GENERATING",
				"plannerResponse": map[string]any{"response": longText(1<<20) + end},
			},
		}})
		if err != nil {
			b.Fatal(err)
		}
		answers[i] = answer
	}
	var p progress
	b.SetBytes(int64(len(answers[0])))
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		all := trajectory{steps: readSteps(gjson.GetBytes(answers[n%2], "steps"))}
		if len(p.update(all.afterPrompt())) == 0 {
			b.Fatal("nothing new")
		}
	}
}

// BenchmarkTranscript is one reading of the longest transcript that servers send.
func BenchmarkTranscript(b *testing.B) {
	var text strings.Builder
	text.WriteString(said(0, "User", "hi"))
	for i := 1; text.Len() < transcriptLimit-2000; i++ {
		text.WriteString(said(i, "Assistant", longText(1000)))
	}
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		if steps, err := readTranscript(text.String(), "hi", 0); err != nil || len(steps) < 100 {
			b.Fatal(err)
		}
	}
}
