package window

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"windsock/chat/clean"
	"windsock/chat/touched/touchedtest"
	"windsock/probe/probetest"
	"windsock/tray/shortcut"
	"windsock/usage/pace"
	"windsock/usage/poll"
	"windsock/usage/words"
)

// patience is how long something may take on a machine that has much else to do.
const patience = time.Minute

// page is a Window that was shown, and a browser in it.
type page struct {
	*http.Client

	t      *testing.T
	window *Window
	host   string // the browser's name for it
	listen string // where it is
	log    *probetest.Log

	mu     sync.Mutex // guards the fields below
	opened []string   // the addresses
	clear  int        // of them
}

// show makes a window and shows it; no page has entered yet.
func show(t *testing.T, f *fake, change func(*Window)) *page {
	t.Helper()
	if f.plan.At.IsZero() {
		f.plan = poll.State{At: noon, Snapshot: snapshot(t)}
	}
	if f.cascades == nil {
		f.cascades = &cascades{}
	}
	if f.spend == nil {
		f.spend = &spendFake{}
	}
	p := &page{t: t, log: &probetest.Log{}}
	p.window = New(Config{
		Version: "1.0",
		Page: fstest.MapFS{
			"index.html": {Data: []byte("the page")}, "boot.html": {Data: []byte("the ticket")},
			"a.mjs": {Data: []byte("code")}, "vendor/LICENSE": {Data: []byte("free")},
		},
		Open: func(_ context.Context, address string) (func(), error) {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.opened = append(p.opened, address)
			return func() {
				p.mu.Lock()
				defer p.mu.Unlock()
				p.clear++
			}, nil
		},
		ByName: func() bool { return !f.byNumber },
		Plan:   f, Words: func() words.Words { return words.Words{} }, Pace: func() pace.Options { return f.habits }, History: f, Spend: f.spend, Chat: f,
		Clean: func(context.Context) (clean.Target, error) {
			return clean.Target{Variant: "windsurf", App: "Windsurf", Servers: []clean.Trajectories{f.cascades}}, f.gone
		},
		Touched: touchedtest.New(t, t.TempDir(), time.Now), Now: func() time.Time { return noon },
		Preferences: f, Places: []Place{{"Log", "/log"}}, Autostart: f, Shortcut: func() shortcut.State { return shortcut.State{Text: "Ctrl+Alt+W opens it.", Failed: true} }, Notify: func(string, string) error { return f.fails }, Mutes: f,
		Log: slog.New(slog.NewTextHandler(p.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	p.window.times.enter, p.window.times.leave = patience, patience // most tests have no stream
	if change != nil {
		change(p.window)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- p.window.Run(ctx) }()
	t.Cleanup(func() {
		p.CloseIdleConnections()
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	// A browser resolves the name to this computer by itself; here no resolver is asked.
	p.Client = &http.Client{Jar: jar, Transport: &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, p.listen)
	}}}
	if err := p.window.Show(t.Context(), Prompt); err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(p.opened[0])
	if err != nil {
		t.Fatal(err)
	}
	p.host, p.listen = u.Host, net.JoinHostPort("127.0.0.1", u.Port())
	return p
}

// cleared is how many of the addresses have become invalid.
func (p *page) cleared() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.clear
}

func (p *page) ticket() string {
	_, ticket, _ := strings.Cut(p.opened[0], "#")
	return ticket
}

// enter shows a window and goes in.
func enter(t *testing.T, f *fake, change func(*Window)) *page {
	t.Helper()
	p := show(t, f, change)
	if got := p.do("POST", "/enter", "t="+p.ticket(), nil); got.status != http.StatusNoContent {
		t.Fatalf("enter: %+v", got)
	}
	return p
}

type response struct {
	status int
	code   string // of the error
	body   string
	header http.Header
}

// do sends a request. A header "Host" is the host.
func (p *page) do(method, path, body string, header map[string]string) response {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), patience) // a stream would have no end
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, "http://"+p.host+path, strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	for name, value := range header {
		r.Header.Set(name, strings.ReplaceAll(value, "HOST", p.host))
	}
	if host := r.Header.Get("Host"); host != "" {
		r.Host = host
	}
	answer, err := p.Do(r)
	if err != nil {
		p.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	var failed struct{ Error failure }
	_ = json.Unmarshal(text, &failed) // most answers are no error
	return response{answer.StatusCode, failed.Error.Code, strings.TrimSpace(string(text)), answer.Header}
}

// events is the page's stream; lines come on the channel until close is called.
func (p *page) events(lastID string) (lines <-chan string, end func()) {
	p.t.Helper()
	return p.stream("", lastID)
}

// stream is the same, of a page that goes on where another one is, by the query.
func (p *page) stream(query, lastID string) (lines <-chan string, end func()) {
	p.t.Helper()
	ctx, cancel := context.WithCancel(p.t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+p.host+"/api/events"+query, http.NoBody)
	if err != nil {
		p.t.Fatal(err)
	}
	if lastID != "" {
		r.Header.Set("Last-Event-ID", lastID)
	}
	answer, err := p.Do(r) //nolint:bodyclose // the goroutine below does
	if err != nil {
		p.t.Fatal(err)
	}
	ch := make(chan string, 1000)
	done := make(chan struct{})
	go func() { // ends with the stream
		defer close(done)
		defer close(ch)
		defer answer.Body.Close()
		for scanner := bufio.NewScanner(answer.Body); scanner.Scan(); {
			if scanner.Text() != "" {
				ch <- scanner.Text()
			}
		}
	}()
	end = func() {
		cancel()
		<-done
	}
	p.t.Cleanup(end)
	return ch, end
}

// next waits for a line that has a part.
func next(t *testing.T, lines <-chan string, part string) string {
	t.Helper()
	late := time.After(patience)
	for {
		select {
		case line, open := <-lines:
			if !open {
				t.Fatalf("the stream ended before %q", part)
			}
			if strings.Contains(line, part) {
				return line
			}
		case <-late:
			t.Fatalf("no %q came", part)
		}
	}
}

// serves reports whether somebody listens.
func (p *page) serves() bool {
	c, err := net.DialTimeout("tcp", p.listen, time.Second)
	if err == nil {
		_ = c.Close()
	}
	return err == nil
}
