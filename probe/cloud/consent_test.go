package cloud

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestConfigInvalid(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		allow []string
		valid bool
	}{
		{"nothing", nil, true},
		{"each", []string{"windsurf@server.codeium.com", "devin-cli@eu.windsurf.com", "cursor@api2.cursor.sh"}, true},
		{"portal", []string{"devin-cli@portal.example"}, true},
		{"no_host", []string{"windsurf"}, false},
		{"empty_host", []string{"windsurf@"}, false},
		{"no_name", []string{"@server.codeium.com"}, false},
		{"empty", []string{""}, false},
		{"url", []string{"windsurf@https://server.codeium.com"}, false},
		{"path", []string{"windsurf@eu.windsurf.com/_route/api_server"}, false},
		{"port", []string{"windsurf@server.codeium.com:443"}, false},
		{"address", []string{"windsurf@127.0.0.1"}, false},
		{"two_at_signs", []string{"windsurf@server.codeium.com@evil.example"}, false},
		{"capitals", []string{"windsurf@Server.codeium.com"}, false},
		{"blank", []string{" windsurf@server.codeium.com"}, false},
		{"twice", []string{"windsurf@server.codeium.com", "windsurf@eu.windsurf.com"}, false},
		{"cursor_elsewhere", []string{"cursor@server.codeium.com"}, false},
		{"windsurf_at_cursor", []string{"windsurf@api2.cursor.sh"}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := Config{Allow: tt.allow}
			if got := c.Invalid(); (got == nil) != tt.valid {
				t.Errorf("invalid: %v", got)
			}
			if host, ok := c.Allowed("windsurf"); ok && !tt.valid {
				t.Errorf("allows windsurf at %q", host)
			}
		})
	}
}

func TestConfigAllows(t *testing.T) {
	t.Parallel()
	c := DefaultConfig()
	if host, ok := c.Allowed("windsurf"); ok || host != "" {
		t.Errorf("at first: %q, %v", host, ok)
	}
	one := c.With("windsurf", "server.codeium.com")
	two := one.With("devin-cli", "Portal.Example")
	moved := two.With("windsurf", "eu.windsurf.com")
	none := moved.Without("devin-cli").Without("windsurf").Without("cursor")
	for _, tt := range []struct {
		name string
		got  Config
		want []string
	}{
		{"one", one, []string{"windsurf@server.codeium.com"}},
		{"two", two, []string{"windsurf@server.codeium.com", "devin-cli@portal.example"}},
		{"moved", moved, []string{"devin-cli@portal.example", "windsurf@eu.windsurf.com"}},
		{"none", none, []string{}},
	} {
		if diff := cmp.Diff(tt.want, tt.got.Allow); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
	if host, ok := moved.Allowed("windsurf"); !ok || host != "eu.windsurf.com" {
		t.Errorf("got %q, %v", host, ok)
	}
	if _, ok := moved.Allowed("devin"); ok {
		t.Error("the beginning of a name counts")
	}
}
