package cloud

import (
	"strings"
	"testing"
)

// Of sign-ins with one token the first is asked with; one that cannot be used tells that
// itself.
func TestDistinct(t *testing.T) {
	t.Parallel()
	const url = "https://server.codeium.com"
	tests := []struct {
		name        string
		editor, cli string // tokens, "" for nobody
		want        string
	}{
		{"two", oldToken, token, "windsurf devin-cli"},
		{"one_twice", token, token, "windsurf"},
		{"nobody_in_the_first", "", token, "windsurf devin-cli"},
		{"nobody", "", "", "windsurf devin-cli"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			if tt.editor != "" {
				h.editor(tt.editor, url)
			}
			if tt.cli != "" {
				h.devin(tt.cli, url)
			}
			var names []string
			for _, s := range Distinct(t.Context(), []Source{h.source("windsurf"), h.source("devin-cli")}) {
				names = append(names, s.Name)
			}
			if got := strings.Join(names, " "); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}
