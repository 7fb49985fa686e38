package cloud

import (
	"strings"
	"testing"

	"windsock/probe/probetest"
)

// The words are asserted here alone; they are what a person agrees to.
func TestWording(t *testing.T) {
	t.Parallel()
	windsurf := Source{Name: "devin-cli", Product: "windsurf", App: "Devin command line", File: "~/.local/share/devin/credentials.toml"}
	tests := []struct {
		name   string
		source Source
		host   string
	}{
		{"windsurf", windsurf, "server.codeium.com"},
		{"windsurf_unread", windsurf, ""},
		{"cursor", Source{Name: "cursor", Product: "cursor", App: "Cursor", File: "~/.config/Cursor/User/globalStorage/state.vscdb"}, "api2.cursor.sh"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			text := strings.Join(tt.source.Wording(tt.host), "\n\n") + "\n"
			probetest.Golden(t, "wording/"+tt.name+".txt", []byte(text))
		})
	}
}
