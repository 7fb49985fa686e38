package chat

import (
	"strings"
	"testing"
)

func TestNameWords(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, want string }{
		{"label", "Claude Opus 4.5", "claude opus 4.5"},
		{"uid", "claude-opus-4-5", "claude opus 4.5"},
		{"enum", "MODEL_SWE_1_5", "model swe 1.5"},
		{"variant", "gpt-5.2:high", "gpt 5.2 high"},
		{"x_high", "GPT-5.4 X-High Fast", "gpt 5.4 xhigh fast"},
		{"run_together", "gpt5.2", "gpt 5.2"},
		{"point_zero", "claude-4.0-sonnet", "claude 4 sonnet"},
		{"date", "claude-sonnet-4-20250514", "claude sonnet 4 20250514"},
		{"size", "gpt-4-32k", "gpt 4 32k"},
		{"four_o", "gpt-4o", "gpt 4o"},
		{"two_numbers", "Gemini 3 1", "gemini 3 1"},
		{"trailing", "k2.", "k 2"},
		{"nothing", " :-) ", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := strings.Join(nameWords(tt.text), " "); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}
