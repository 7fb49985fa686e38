package window

import (
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/probe/probetest"
)

// wantHeaders is what stands on every answer, letter by letter.
var wantHeaders = map[string]string{
	"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; font-src 'self'; " +
		"frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
	"X-Content-Type-Options":       "nosniff",
	"X-Frame-Options":              "DENY",
	"Referrer-Policy":              "no-referrer",
	"Cache-Control":                "no-store",
	"Cross-Origin-Opener-Policy":   "same-origin",
	"Cross-Origin-Resource-Policy": "same-origin",
	"Cross-Origin-Embedder-Policy": "require-corp",
	"Permissions-Policy":           "camera=(), microphone=(), geolocation=()",
}

// TestAttacks are requests that others than the page may send, with the session's
// cookie, as a browser would add it, unless it says so.
func TestAttacks(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, method, path string
		header             map[string]string
		bare               bool // without the cookie
		want               string
	}{
		{name: "page", method: "GET", path: "/", want: "200"},
		{name: "page_by_fetch", method: "GET", path: "/api/hello", header: map[string]string{"Sec-Fetch-Site": "same-origin"}, want: "200"},
		{name: "own_post", method: "POST", path: "/api/settings/check", header: map[string]string{"Sec-Fetch-Site": "same-origin", "Origin": "http://HOST"}, want: "200"},
		{name: "address_bar", method: "GET", path: "/", header: map[string]string{"Sec-Fetch-Site": "none"}, want: "200"},
		{name: "wrong_host", method: "GET", path: "/", header: map[string]string{"Host": "localhost"}, want: "403 foreign_host"},
		{name: "address", method: "GET", path: "/", header: map[string]string{"Host": "127.0.0.1"}, want: "403 foreign_host"},
		{name: "rebinding", method: "POST", path: "/api/ask", header: map[string]string{
			"Host": "evil.example:80", "Origin": "http://evil.example:80", "Sec-Fetch-Site": "same-origin",
		}, want: "403 foreign_host"},
		{name: "rebinding_get", method: "GET", path: "/api/hello", header: map[string]string{"Host": "evil.example"}, want: "403 foreign_host"},
		{name: "cross_site_post", method: "POST", path: "/api/ask", header: map[string]string{"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"}, want: "403 foreign_page"},
		{name: "cross_site_post_of_an_old_browser", method: "POST", path: "/api/ask", header: map[string]string{"Origin": "https://evil.example"}, want: "403 foreign_page"},
		{name: "sandboxed_frame", method: "POST", path: "/api/ask", header: map[string]string{"Origin": "null"}, want: "403 foreign_page"},
		{name: "other_port_post", method: "POST", path: "/api/ask", header: map[string]string{"Sec-Fetch-Site": "same-site", "Origin": "http://127.0.0.1:1"}, want: "403 foreign_page"},
		{name: "other_port_get", method: "GET", path: "/api/events", header: map[string]string{"Sec-Fetch-Site": "same-site"}, want: "403 foreign_page"},
		{name: "other_port_link", method: "GET", path: "/", header: map[string]string{"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "navigate"}, want: "403 foreign_page"},
		{name: "other_port_of_an_old_browser", method: "GET", path: "/api/hello", header: map[string]string{"Origin": "http://127.0.0.1:1"}, want: "403 foreign_page"},
		{name: "frame", method: "GET", path: "/", header: map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "iframe"}, want: "403 foreign_page"},
		{name: "preflight", method: "OPTIONS", path: "/api/ask", header: map[string]string{"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}, want: "405 method"},
		{name: "delete", method: "DELETE", path: "/api/settings", want: "405 method"},
		{name: "no_cookie", method: "GET", path: "/", bare: true, want: "401 ended"},
		{name: "no_cookie_stream", method: "GET", path: "/api/events", bare: true, want: "401 ended"},
		{name: "no_cookie_post", method: "POST", path: "/api/ask", bare: true, want: "401 ended"},
		{name: "no_cookie_spend", method: "GET", path: "/api/usage/spend.csv", bare: true, want: "401 ended"},
		{name: "no_cookie_settings", method: "POST", path: "/api/settings", bare: true, want: "401 ended"},
		{name: "guessed_cookie", method: "GET", path: "/", bare: true, header: map[string]string{"Cookie": "windsock-a=b; NAME=b; NAME="}, want: "401 ended"},
		{name: "out_of_the_files", method: "GET", path: "/assets/../../guard.go", want: "404"},
		{name: "out_of_the_files_encoded", method: "GET", path: "/assets/..%2f..%2fguard.go", want: "404 not_found"},
		{name: "a_directory", method: "GET", path: "/assets/vendor/", want: "404 not_found"},
		{name: "nothing", method: "GET", path: "/api/secret", want: "404"},
		{name: "get_of_a_post", method: "GET", path: "/api/ask", want: "405"},
	}
	p := enter(t, &fake{}, nil)
	p.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	stranger := &page{Client: &http.Client{Transport: p.Transport}, t: p.t, window: p.window, host: p.host, listen: p.listen}
	for _, tt := range tests {
		by := p
		if tt.bare {
			by = stranger
		}
		header := map[string]string{}
		for name, value := range tt.header {
			header[name] = strings.ReplaceAll(value, "NAME", p.window.served.cookie.Name)
		}
		body := ""
		if tt.method == "POST" {
			body = `{"values":{}}`
		}
		got := by.do(tt.method, tt.path, body, header)
		if got.status == http.StatusTemporaryRedirect { // the way out of the files, cut short
			got.status = http.StatusNotFound
		}
		if diff := cmp.Diff(tt.want, strings.TrimSpace(fmt.Sprint(got.status, " ", got.code))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
		for name, want := range wantHeaders {
			if diff := cmp.Diff([]string{want}, got.header.Values(name)); diff != "" {
				t.Errorf("%s: %s (-want +got):\n%s", tt.name, name, diff)
			}
		}
		for name := range got.header {
			if strings.HasPrefix(name, "Access-Control-") {
				t.Errorf("%s: there is %s", tt.name, name)
			}
		}
	}
}

// A run that was opened by a name is served under that name alone, and one that was
// not under its address alone. No name comes twice.
func TestHost(t *testing.T) {
	t.Parallel()
	byName, byNumber := enter(t, &fake{}, nil), enter(t, &fake{byNumber: true}, nil)
	if name, _, _ := net.SplitHostPort(byName.host); !regexp.MustCompile(`^w[a-z2-7]{16}\.localhost$`).MatchString(name) {
		t.Errorf("the name is %q", name)
	}
	if byNumber.host != byNumber.listen {
		t.Errorf("the address is %q", byNumber.host)
	}
	other := show(t, &fake{}, nil)
	_, port, _ := net.SplitHostPort(byName.listen)
	otherName, _, _ := net.SplitHostPort(other.host)
	tests := []struct {
		name string
		page *page
		host string
		want int
	}{
		{"its_name", byName, byName.host, 200},
		{"its_address", byName, byName.listen, 403},
		{"localhost", byName, "localhost:" + port, 403},
		{"ipv6", byName, "[::1]:" + port, 403},
		{"no_port", byName, strings.TrimSuffix(byName.host, ":"+port), 403},
		{"dot_behind", byName, strings.Replace(byName.host, "localhost:", "localhost.:", 1), 403},
		{"upper_case", byName, strings.ToUpper(byName.host), 403},
		{"below_it", byName, "a." + byName.host, 403},
		{"of_another_run", byName, otherName + ":" + port, 403},
		{"by_number", byNumber, byNumber.listen, 200},
		{"localhost_by_number", byNumber, strings.Replace(byNumber.listen, "127.0.0.1", "localhost", 1), 403},
	}
	for _, tt := range tests {
		if got := tt.page.do("GET", "/api/hello", "", map[string]string{"Host": tt.host}); got.status != tt.want {
			t.Errorf("%s: %d %s", tt.name, got.status, got.code)
		}
	}
	if got := byName.do("GET", "/", "", map[string]string{"Host": byName.listen}); strings.Contains(got.body, "127.0.0.1") {
		t.Errorf("who comes to the wrong address is told %s", got.body)
	}
	byName.window.served.revoke()
	if err := byName.window.Show(t.Context(), Prompt); err != nil || len(byName.opened) != 2 {
		t.Fatalf("shown anew: %v, %q", err, byName.opened)
	}
	if name, _, _ := strings.Cut(byName.host, ":"); strings.Contains(byName.opened[1], name) {
		t.Errorf("the name comes again: %q", byName.opened)
	}
}

// The window is on both addresses that a name below localhost leads to, and lets the
// same account in on both.
func TestBothAddresses(t *testing.T) {
	t.Parallel()
	p := show(t, &fake{}, nil)
	if l, err := net.Listen("tcp6", "[::1]:0"); err != nil {
		t.Skip("no IPv6 here")
	} else {
		_ = l.Close()
	}
	_, port, _ := net.SplitHostPort(p.listen)
	stranger, err := net.Listen("tcp6", net.JoinHostPort("::1", port))
	if err == nil {
		_ = stranger.Close()
		t.Error("somebody else can listen on [::1]")
	}
	p.listen = net.JoinHostPort("::1", port)
	if got := p.do("POST", "/enter", "t="+p.ticket(), nil); got.status != http.StatusNoContent {
		t.Errorf("entered: %+v", got)
	}
	if got := p.do("GET", "/api/hello", "", nil); got.status != http.StatusOK {
		t.Errorf("inside: %+v", got)
	}
}

// A browser comes from a file to the page that trades the ticket, and to no other.
func TestComesIn(t *testing.T) {
	t.Parallel()
	p := enter(t, &fake{}, nil)
	from := map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
	tests := []struct {
		name, method, path string
		change             map[string]string
		want               int
	}{
		{"file", "GET", "/boot", nil, 200},
		{"frame", "GET", "/boot", map[string]string{"Sec-Fetch-Dest": "iframe"}, 403},
		{"script", "GET", "/boot", map[string]string{"Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "script"}, 403},
		{"no_navigation", "GET", "/boot", map[string]string{"Sec-Fetch-Mode": "no-cors"}, 403},
		{"fetch", "GET", "/boot", map[string]string{"Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty"}, 403},
		{"other_port", "GET", "/boot", map[string]string{"Sec-Fetch-Site": "same-site"}, 403},
		{"form", "POST", "/boot", map[string]string{"Origin": "null"}, 403},
		{"head", "HEAD", "/boot", nil, 403},
		{"page", "GET", "/", nil, 403},
		{"ticket", "POST", "/enter", map[string]string{"Origin": "null"}, 403},
		{"figures", "GET", "/api/hello", nil, 403},
		{"script_of_the_page", "GET", "/assets/a.mjs", nil, 403},
		{"below", "GET", "/boot/", nil, 403},
	}
	for _, tt := range tests {
		header := maps.Clone(from)
		maps.Copy(header, tt.change)
		if got := p.do(tt.method, tt.path, "", header); got.status != tt.want {
			t.Errorf("%s: %d %s", tt.name, got.status, got.code)
		}
	}
}

// A ticket is valid once. A second use ends the session.
func TestSpentTicket(t *testing.T) {
	t.Parallel()
	p := enter(t, &fake{}, nil)
	lines, _ := p.events("")
	next(t, lines, "usage")
	if got := p.do("POST", "/enter", "t="+p.ticket(), nil); got.status != http.StatusForbidden || got.code != "ticket" {
		t.Errorf("got %+v", got)
	}
	next(t, lines, `{"quit":false}`)
	probetest.Eventually(t, "nobody serves any more", func() bool { return !p.serves() })
	if log := p.log.String(); !strings.Contains(log, "a spent ticket was used again") || strings.Contains(log, p.ticket()) {
		t.Errorf("log:\n%s", log)
	}
	if err := p.window.Show(t.Context(), Prompt); err != nil || len(p.opened) != 2 || strings.Contains(p.opened[1], p.host) {
		t.Errorf("shown anew: %v, %d", err, len(p.opened))
	}
}

func TestTickets(t *testing.T) {
	t.Parallel()
	now := noon
	list := tickets{lasts: usualTimes.ticket}
	first, second := list.issue(now), list.issue(now)
	if len(first) < 26 || first == second {
		t.Fatalf("tickets %q and %q", first, second)
	}
	steps := []struct {
		name   string
		ticket string
		after  time.Duration
		want   redemption
	}{
		{"none", "", 0, wrongTicket},
		{"part", first[:25], 0, wrongTicket},
		{"in_the_last_moment", first, 30*time.Second - 1, goodTicket},
		{"again", first, 30*time.Second - 1, spentTicket},
		{"too_late", second, 30 * time.Second, oldTicket},
		{"long_after", first, time.Hour, spentTicket},
	}
	for _, step := range steps {
		if got := list.redeem(step.ticket, now.Add(step.after)); got != step.want {
			t.Errorf("%s: got %d, want %d", step.name, got, step.want)
		}
	}
	third := list.issue(now)
	for range maxTries {
		list.redeem("guess", now)
	}
	if got := list.redeem(third, now); got != oldTicket {
		t.Errorf("after many guesses: %d", got)
	}
	if got := list.redeem(list.issue(now), now); got != goodTicket {
		t.Errorf("issued after many guesses: %d", got)
	}
	for range 10 * maxTickets {
		list.issue(now)
	}
	if len(list.all) != maxTickets {
		t.Errorf("%d are remembered", len(list.all))
	}
}

func TestGuessing(t *testing.T) {
	t.Parallel()
	p := show(t, &fake{}, nil)
	for range maxTries {
		if got := p.do("POST", "/enter", "t=GUESS", nil); got.status != http.StatusForbidden {
			t.Fatalf("got %+v", got)
		}
	}
	if got := p.do("POST", "/enter", "t="+p.ticket(), nil); got.status != http.StatusForbidden {
		t.Errorf("the ticket itself: %+v", got)
	}
}

func TestOldTicket(t *testing.T) {
	t.Parallel()
	p := show(t, &fake{}, func(w *Window) { w.times.ticket = time.Nanosecond })
	if got := p.do("POST", "/enter", "t="+p.ticket(), nil); got.status != http.StatusForbidden || len(got.header["Set-Cookie"]) > 0 {
		t.Errorf("got %+v", got)
	}
}

func TestCookie(t *testing.T) {
	t.Parallel()
	p := show(t, &fake{}, nil)
	got := p.do("POST", "/enter", "t="+p.ticket(), nil).header.Get("Set-Cookie")
	name, rest, _ := strings.Cut(got, "=")
	value, attributes, _ := strings.Cut(rest, "; ")
	if len(name) < 20 || len(value) < 26 || attributes != "Path=/; HttpOnly; SameSite=Strict" {
		t.Errorf("got %q", got)
	}
}

// Bodies are bounded, in size and in time.
func TestBodies(t *testing.T) {
	t.Parallel()
	p := enter(t, &fake{}, nil)
	for path, size := range map[string]int{"/enter": maxEntry + 1, "/api/ask": maxAsk + 1, "/api/settings": maxBody + 1} {
		if got := p.do("POST", path, strings.Repeat("x", size), nil); got.status != http.StatusRequestEntityTooLarge || got.code != "too_large" {
			t.Errorf("%s: %d %s", path, got.status, got.code)
		}
	}
	if got := p.do("POST", "/api/ask", "{", nil); got.status != http.StatusBadRequest {
		t.Errorf("half a body: %d %s", got.status, got.code)
	}
	hasty := show(t, &fake{}, func(w *Window) { w.times.body = 50 * time.Millisecond })
	c, err := net.Dial("tcp", hasty.listen)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(patience))
	fmt.Fprintf(c, "POST /enter HTTP/1.1\r\nHost: %s\r\nContent-Length: 100\r\n\r\nt=", hasty.host)
	if text, err := io.ReadAll(c); err != nil || !strings.HasPrefix(string(text), "HTTP/1.1 408 ") {
		t.Errorf("a slow client: %v, %s", err, text)
	}
}

func TestFiles(t *testing.T) {
	t.Parallel()
	p := enter(t, &fake{}, nil)
	for path, want := range map[string]string{
		"/": "text/html; charset=utf-8 the page", "/boot": "text/html; charset=utf-8 the ticket",
		"/assets/a.mjs": "text/javascript; charset=utf-8 code", "/assets/vendor/LICENSE": "text/plain; charset=utf-8 free",
	} {
		got := p.do("GET", path, "", nil)
		if diff := cmp.Diff(want, got.header.Get("Content-Type")+" "+got.body); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
}
