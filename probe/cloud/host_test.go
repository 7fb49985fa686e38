package cloud

import (
	"strings"
	"testing"
)

func TestHostOf(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, url, want string }{
		{"none", "", "server.codeium.com"},
		{"default", "https://server.codeium.com", "server.codeium.com"},
		{"slash", "https://server.codeium.com/", "server.codeium.com"},
		{"self_serve", "https://server.self-serve.windsurf.com", "server.self-serve.windsurf.com"},
		{"eu", "https://eu.windsurf.com/_route/api_server", "eu.windsurf.com"},
		{"eu_slash", "https://eu.windsurf.com/_route/api_server/", "eu.windsurf.com"},
		{"fedstart", "https://windsurf.fedstart.com/_route/api_server", "windsurf.fedstart.com"},
		{"tenant", "https://acme.windsurf.com/_route/api_server", "acme.windsurf.com"},
		{"portal", "https://windsurf.corp.example/_route/api_server", "windsurf.corp.example"},

		{"eu_without_path", "https://eu.windsurf.com", ""},
		{"default_with_path", "https://server.codeium.com/_route/api_server", ""},
		{"other_path", "https://eu.windsurf.com/_route/api_server/x", ""},
		{"two_slashes", "https://eu.windsurf.com/_route/api_server//", ""},
		{"escaped_path", "https://eu.windsurf.com/%5froute/api_server", ""},
		{"two_slashes_alone", "https://server.codeium.com//", ""},
		{"http", "http://server.codeium.com", ""},
		{"no_scheme", "server.codeium.com", ""},
		{"scheme_in_capitals", "HTTPS://server.codeium.com", ""},
		{"user", "https://server.codeium.com@evil.example/", ""},
		{"user_of_a_route", "https://eu.windsurf.com@evil.example/_route/api_server", ""},
		{"port", "https://server.codeium.com:443", ""},
		{"other_port", "https://eu.windsurf.com:8443/_route/api_server", ""},
		{"query", "https://server.codeium.com/?x=1", ""},
		{"query_without_path", "https://server.codeium.com?x=1", ""},
		{"fragment", "https://eu.windsurf.com/_route/api_server#x", ""},
		{"suffix", "https://server.codeium.com.evil.example", ""},
		{"address", "https://127.0.0.1/_route/api_server", ""},
		{"address_6", "https://[::1]/_route/api_server", ""},
		{"localhost", "https://localhost/_route/api_server", ""},
		{"final_dot", "https://server.codeium.com.", ""},
		{"capitals", "https://Server.codeium.com", ""},
		{"not_ascii", "https://sеrver.codeium.com/_route/api_server", ""},
		{"backslash", `https://eu.windsurf.com\@evil.example/_route/api_server`, ""},
		{"blank", "https://eu.windsurf.com /_route/api_server", ""},
		{"line_feed", "https://eu.windsurf.com\n/_route/api_server", ""},
		{"cursor", "https://api2.cursor.sh", ""},
		{"nothing_else", "https://", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got, ok := hostOf(tt.url); got != tt.want || ok != (tt.want != "") {
				t.Errorf("got %q, %v", got, ok)
			}
		})
	}
}

func TestIsKnown(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]bool{
		"server.codeium.com": true, "server.self-serve.windsurf.com": true, "eu.windsurf.com": true,
		"windsurf.fedstart.com": true, "acme.windsurf.com": true, "api2.cursor.sh": true,

		"windsurf.com": false, "a.b.windsurf.com": false, ".windsurf.com": false, "-.windsurf.com": false,
		"evilwindsurf.com": false, "acme.windsurf.com.example": false, "codeium.com": false, "cursor.sh": false, "": false,
	} {
		if isKnown(host) != want {
			t.Errorf("%q: %v", host, !want)
		}
	}
}

// Whatever a sign-in names, what comes out is a host whose address is the URL again.
func FuzzHostOf(f *testing.F) {
	for _, url := range []string{"https://server.codeium.com/", "https://a.windsurf.com/_route/api_server", "https://x@y/", "https://1.2.3.4", ""} {
		f.Add(url)
	}
	f.Fuzz(func(t *testing.T, url string) {
		host, ok := hostOf(url)
		switch {
		case !ok && host != "":
			t.Errorf("refused, and names %q", host)
		case ok && (!isHost(host) || strings.ContainsAny(host, ":/@?#\\ ")):
			t.Errorf("host %q", host)
		case ok && url != "" && strings.TrimSuffix(url, "/") != "https://"+host+prefix(host):
			t.Errorf("%q is not the address of %q", url, host)
		case ok && url == "" && host != hostWindsurf:
			t.Errorf("without a URL: %q", host)
		}
	})
}
