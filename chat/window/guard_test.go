package window

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

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
	stranger := *p
	stranger.Client = &http.Client{Transport: p.Transport}
	for _, tt := range tests {
		by := p
		if tt.bare {
			by = &stranger
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
		for name, want := range headers {
			if got := got.header.Get(name); got != want {
				t.Errorf("%s: %s is %q", tt.name, name, got)
			}
		}
		for name := range got.header {
			if strings.HasPrefix(name, "Access-Control-") {
				t.Errorf("%s: there is %s", tt.name, name)
			}
		}
	}
}

func TestPolicy(t *testing.T) {
	t.Parallel()
	for _, part := range []string{"default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'", "script-src 'self';", "connect-src 'self'"} {
		if !strings.Contains(policy, part) {
			t.Errorf("no %s", part)
		}
	}
	if strings.Contains(policy, "unsafe") || strings.Contains(policy, "*") || strings.Contains(policy, "http") {
		t.Errorf("the policy is %s", policy)
	}
}

// A ticket is good once, and what comes of a second time is the end of the session.
func TestSpentTicket(t *testing.T) {
	t.Parallel()
	p := enter(t, &fake{}, nil)
	lines, _ := p.events("")
	next(t, lines, "usage")
	if got := p.do("POST", "/enter", "t="+p.ticket(), nil); got.status != http.StatusForbidden || got.code != "ticket" {
		t.Errorf("got %+v", got)
	}
	next(t, lines, `{"quit":false}`)
	until(t, "nobody serves any more", func() bool { return !p.serves() })
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
	list := tickets{lasts: 30 * time.Second}
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
	for path, size := range map[string]int{"/enter": maxEntry + 1, "/api/ask": maxBody + 1, "/api/settings": maxBody + 1} {
		if got := p.do("POST", path, strings.Repeat("x", size), nil); got.status != http.StatusRequestEntityTooLarge || got.code != "too_large" {
			t.Errorf("%s: %d %s", path, got.status, got.code)
		}
	}
	if got := p.do("POST", "/api/ask", "{", nil); got.status != http.StatusBadRequest {
		t.Errorf("half a body: %d %s", got.status, got.code)
	}
	hasty := show(t, &fake{}, func(w *Window) { w.times.body = 50 * time.Millisecond })
	c, err := net.Dial("tcp", hasty.host)
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

// Another account is refused with everything that it could have read.
func TestOtherAccount(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("only root can be somebody else")
	}
	curl, err := exec.LookPath("curl")
	if err != nil {
		t.Skip("no curl")
	}
	p := show(t, &fake{}, nil)
	for _, args := range [][]string{
		{"-d", "t=" + p.ticket(), "http://" + p.host + "/enter"},
		{"-H", "Cookie: " + p.window.served.cookie.Name + "=" + p.window.served.cookie.Value, "http://" + p.host + "/api/hello"},
	} {
		cmd := exec.CommandContext(t.Context(), curl, append([]string{"-s"}, args...)...)
		cmd.Dir = "/"
		becomeNobody(cmd)
		out, err := cmd.Output()
		if err != nil || !strings.Contains(string(out), "foreign_user") {
			t.Errorf("%q: %v, %s", args[len(args)-1], err, out)
		}
	}
	if got := p.do("POST", "/enter", "t="+p.ticket(), nil); got.status != http.StatusNoContent {
		t.Errorf("the ticket was spent: %+v", got)
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
