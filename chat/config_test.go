package chat_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windsock/chat"
)

func TestConfigInvalid(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		of   chat.Config
		want []string
	}{
		{"default", chat.DefaultConfig(), nil},
		{"devin", chat.Config{Engine: "devin"}, nil},
		{"custom", chat.Config{Engine: "custom", Agent: []string{"opencode", "acp", ""}}, nil},
		{"command_kept", chat.Config{Engine: "cursor", Agent: []string{"opencode"}}, nil},
		{"unknown", chat.Config{Engine: "Devin"}, []string{"engine"}},
		{"custom_without_command", chat.Config{Engine: "custom"}, []string{"agent"}},
		{"no_program", chat.Config{Agent: []string{" ", "acp"}}, []string{"agent"}},
		{"line_break", chat.Config{Agent: []string{"opencode", "a\nb"}}, []string{"agent"}},
		{"long", chat.Config{Agent: []string{strings.Repeat("x", 5000)}}, []string{"agent"}},
		{"many", chat.Config{Agent: strings.Split(strings.Repeat("x", 65), "")}, []string{"agent"}},
		{"model", chat.Config{Model: "\n"}, []string{"model"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, tt.of.Invalid()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	for _, engine := range chat.Engines() {
		if bad := (chat.Config{Engine: engine, Agent: []string{"x"}}).Invalid(); bad != nil {
			t.Errorf("%s: %v", engine, bad)
		}
	}
}
