package window

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"windsock/chat"
	pb "windsock/probe/languageserver"
	"windsock/usage"
	"windsock/usage/alert"
	"windsock/usage/history"
)

var noon = time.Date(2026, 2, 3, 12, 0, 0, 0, time.UTC)

const credits = `{"planStatus":{"planInfo":{"planName":"Teams"},"planStart":"2026-01-18T09:07:17Z",
	"planEnd":"2026-02-18T09:07:17Z","availablePromptCredits":50000,"usedPromptCredits":4700}}`

func snapshot(t *testing.T) usage.Snapshot {
	t.Helper()
	s, err := usage.Decode([]byte(credits), usage.Source{Kind: usage.KindLanguageServer, App: "Windsurf", FetchedAt: noon})
	if err != nil {
		t.Fatal(err)
	}
	return s.WithPace(nil, usage.PaceOptions{}).At(noon)
}

// fake is all that a Window is made of.
type fake struct {
	plan     usage.PollState
	samples  []history.Sample
	drawn    []usage.MeterID // whose samples alone were asked for
	days     []history.Day
	broken   error // of the history
	ask      func(ctx context.Context, text, model string, tell func(chat.Event)) (chat.Answer, string, error)
	models   Models
	gone     error // of the models and the cleaning
	cascades *cascades
	saved    map[string]json.RawMessage
	comments bool
	refused  map[string]string
	on       bool
	fails    error // of the desktop
	muted    []alert.Mute
}

func (f *fake) Subscribe() (<-chan usage.PollState, func()) {
	ch := make(chan usage.PollState, 1)
	ch <- f.plan
	return ch, func() {}
}

func (f *fake) Samples(context.Context, time.Time) ([]history.Sample, error) {
	return f.samples, f.broken
}

func (f *fake) SamplesOf(_ context.Context, meter usage.MeterID, _ time.Time) ([]history.Sample, error) {
	f.drawn = append(f.drawn, meter)
	others := func(x history.Sample) bool { return x.Meter != meter }
	return slices.DeleteFunc(slices.Clone(f.samples), others), f.broken
}

func (f *fake) Days(context.Context, time.Time) ([]history.Day, error) { return f.days, f.broken }

func (f *fake) Models(context.Context) (Models, error) { return f.models, f.gone }

func (f *fake) Ask(ctx context.Context, text, model string, tell func(chat.Event)) (chat.Answer, string, error) {
	return f.ask(ctx, text, model, tell)
}

func (f *fake) Read() PreferencesDocument {
	return PreferencesDocument{Path: "/p", Comments: f.comments}
}

func (f *fake) Check(map[string]json.RawMessage) map[string]string { return f.refused }

func (f *fake) Save(values map[string]json.RawMessage, lose bool) error {
	switch {
	case len(f.refused) > 0:
		return &RefusedError{f.refused}
	case f.comments && !lose:
		return ErrComments
	case f.fails != nil:
		return f.fails
	}
	f.saved = values
	return nil
}

func (*fake) Places() []Place { return []Place{{"Log", "/log"}} }

func (f *fake) Enabled() (bool, error) { return f.on, f.fails }

func (f *fake) Enable() error {
	f.on = true
	return f.fails
}

func (f *fake) Disable() error {
	f.on = false
	return f.fails
}

func (f *fake) Muted() []alert.Mute { return f.muted }

func (f *fake) Mute(meter usage.MeterID, on bool) {
	for i := range f.muted {
		if f.muted[i].Meter == meter {
			f.muted[i].On = on
		}
	}
}

// cascades are an editor's.
type cascades struct {
	mu   sync.Mutex
	list map[string]*pb.CascadeTrajectorySummary
}

func (c *cascades) List(context.Context) (map[string]*pb.CascadeTrajectorySummary, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.list, nil
}

func (c *cascades) Archive(_ context.Context, id string, archived bool) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	next := map[string]*pb.CascadeTrajectorySummary{}
	for key, s := range c.list {
		copied := &pb.CascadeTrajectorySummary{
			Summary: s.GetSummary(), Status: s.GetStatus(), LastModifiedTime: s.GetLastModifiedTime(), IsArchived: s.GetIsArchived(),
		}
		if key == id {
			copied.IsArchived = archived
		}
		next[key] = copied
	}
	c.list = next
	return nil
}

// spoken is an error in words.
type spoken struct{ code, text string }

func (e spoken) Error() string    { return "log only: " + e.code }
func (e spoken) Code() string     { return e.code }
func (e spoken) Sentence() string { return e.text }
func (spoken) ExitCode() int      { return 3 }

// page is a Window that was shown, and a browser in it.
type page struct {
	*http.Client

	t      *testing.T
	window *Window
	host   string
	log    *logText
	opened []string // the addresses
}

type logText struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logText) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// show makes a window and shows it; nobody is in it yet.
func show(t *testing.T, f *fake, change func(*Window)) *page {
	t.Helper()
	if f.plan.At.IsZero() {
		f.plan = usage.PollState{At: noon, Snapshot: snapshot(t)}
	}
	if f.cascades == nil {
		f.cascades = &cascades{}
	}
	p := &page{t: t, log: &logText{}}
	p.window = New(Config{
		Version: "1.0",
		Page: fstest.MapFS{
			"index.html": {Data: []byte("the page")}, "boot.html": {Data: []byte("the ticket")},
			"a.mjs": {Data: []byte("code")}, "vendor/LICENSE": {Data: []byte("free")},
		},
		Open: func(_ context.Context, address string) error {
			p.opened = append(p.opened, address)
			return nil
		},
		Plan: f, Words: func() usage.Words { return usage.Words{} }, History: f, Chat: f,
		Clean: func(context.Context) (chat.CleanTarget, error) {
			return chat.CleanTarget{Variant: "windsurf", App: "Windsurf", Servers: []chat.Trajectories{f.cascades}}, f.gone
		},
		StateDir: t.TempDir(), Now: func() time.Time { return noon },
		Preferences: f, Autostart: f, Notify: func(string, string) error { return f.fails }, Mutes: f,
		Log: slog.New(slog.NewTextHandler(p.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
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
	p.Client = &http.Client{Jar: jar, Transport: &http.Transport{}}
	if err := p.window.Show(t.Context(), Prompt); err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(p.opened[0])
	if err != nil {
		t.Fatal(err)
	}
	p.host = u.Host
	return p
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
	ctx, cancel := context.WithTimeout(p.t.Context(), 10*time.Second) // a stream would have no end
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
	_ = json.Unmarshal(text, &failed) // most is none
	return response{answer.StatusCode, failed.Error.Code, strings.TrimSpace(string(text)), answer.Header}
}

// events is the page's stream; lines come on the channel until close is called.
func (p *page) events(lastID string) (lines <-chan string, end func()) {
	p.t.Helper()
	ctx, cancel := context.WithCancel(p.t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+p.host+"/api/events", http.NoBody)
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
	late := time.After(10 * time.Second)
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

func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !holds(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not so: %s", what)
		}
	}
}

// serves reports whether somebody listens.
func (p *page) serves() bool {
	c, err := net.DialTimeout("tcp", p.host, time.Second)
	if err == nil {
		_ = c.Close()
	}
	return err == nil
}

// The server is there as long as it is wanted, and no longer.
func TestLife(t *testing.T) {
	t.Parallel()
	short := func(w *Window) {
		w.times.ticket, w.times.enter, w.times.leave = 50*time.Millisecond, 50*time.Millisecond, 50*time.Millisecond
		w.times.beat = 10 * time.Millisecond
	}
	t.Run("nobody_enters", func(t *testing.T) {
		t.Parallel()
		p := show(t, &fake{}, short)
		until(t, "closed", func() bool { return !p.serves() })
	})
	t.Run("no_stream", func(t *testing.T) {
		t.Parallel()
		p := enter(t, &fake{}, func(w *Window) { w.times.enter = 50 * time.Millisecond })
		until(t, "closed", func() bool { return !p.serves() })
	})
	t.Run("stream", func(t *testing.T) {
		t.Parallel()
		p := enter(t, &fake{}, func(w *Window) { w.times.leave, w.times.beat = 50*time.Millisecond, 10*time.Millisecond })
		lines, end := p.events("")
		for range 5 {
			next(t, lines, ":")
		}
		end()
		p.window.Wait(t.Context())
		until(t, "closed", func() bool { return !p.serves() })
		if err := p.window.Show(t.Context(), Prompt); err != nil || len(p.opened) != 2 {
			t.Errorf("shown anew: %v, opened %d", err, len(p.opened))
		}
	})
}

// A page in front shows what is wished for; one that is not hands over to a
// successor, and goes.
func TestRaise(t *testing.T) {
	t.Parallel()
	p := enter(t, &fake{}, func(w *Window) { w.times.raise = 10 * time.Second })
	lines, _ := p.events("")
	shown := make(chan error, 1)
	ask := func(view View, answer string) {
		t.Helper()
		go func() { shown <- p.window.Show(context.WithoutCancel(t.Context()), view) }()
		next(t, lines, `{"view":"`+string(view)+`"}`)
		if got := p.do("POST", "/api/raised", answer, nil); got.status != http.StatusNoContent {
			t.Errorf("answered: %+v", got)
		}
		if err := <-shown; err != nil {
			t.Error(err)
		}
	}
	ask(Settings, `{"focused":true}`)
	if len(p.opened) != 1 {
		t.Errorf("opened %q", p.opened)
	}
	ask(Usage, `{"focused":false,"state":{"draft":"half a thought"}}`)
	if len(p.opened) != 2 || !strings.Contains(p.opened[1], p.host) {
		t.Fatalf("opened %q", p.opened)
	}
	_, ticket, _ := strings.Cut(p.opened[1], "#")
	if got := p.do("POST", "/enter", "t="+ticket, nil); got.status != http.StatusNoContent {
		t.Errorf("entered: %+v", got)
	}
	if hello := p.do("GET", "/api/hello", "", nil).body; !strings.Contains(hello, `"view":"usage"`) || !strings.Contains(hello, `"state":{"draft":"half a thought"}`) {
		t.Errorf("hello: %s", hello)
	}
	successor, _ := p.events("")
	next(t, lines, "event: moved")
	next(t, successor, "usage")
	if hello := p.do("GET", "/api/hello", "", nil).body; strings.Contains(hello, "thought") {
		t.Errorf("loaded again: %s", hello)
	}
	p.window.times.raise = time.Millisecond
	if err := p.window.Show(t.Context(), Prompt); err != nil || len(p.opened) != 3 {
		t.Errorf("a page that says nothing: %v, %q", err, p.opened)
	}
	for len(successor) > 0 {
		if line := <-successor; strings.Contains(line, "moved") {
			t.Error("the successor is told to go")
		}
	}
}

// Whatever is under way, nothing is left behind.
func TestRunLeavesNothing(t *testing.T) { //nolint:paralleltest // it counts goroutines
	asking, archived := make(chan struct{}), false
	f := &fake{ask: func(ctx context.Context, _, _ string, _ func(chat.Event)) (chat.Answer, string, error) {
		close(asking)
		<-ctx.Done()
		archived = true
		return chat.Answer{}, "", ctx.Err()
	}}
	ours := func() string {
		stacks := make([]byte, 1<<20)
		return string(stacks[:runtime.Stack(stacks, true)])
	}
	t.Run("open", func(t *testing.T) {
		p := enter(t, f, nil)
		lines, _ := p.events("")
		p.do("POST", "/api/ask", `{"text":"hi"}`, nil)
		<-asking
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := p.window.Run(ctx); err != nil {
			t.Error(err)
		}
		next(t, lines, `"code":"cancelled"`)
		if !archived || p.serves() {
			t.Errorf("archived %t, serves %t", archived, p.serves())
		}
		if err := p.window.Show(t.Context(), Prompt); !errors.Is(err, errClosed) {
			t.Errorf("shown after the end: %v", err)
		}
	})
	until(t, "no goroutine left", func() bool { return !strings.Contains(ours(), "window.(*served)") })
}
