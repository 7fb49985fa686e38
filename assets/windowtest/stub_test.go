package windowtest

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"path"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"windsock/assets"
)

// stub serves the page, and a test's data in place of the program's: rare states of
// the program, and figures that never change.
type stub struct {
	*httptest.Server

	over chan struct{} // closed at the end; a page comes again for a stream until it is gone

	mu      sync.Mutex        // guards what follows
	answers map[string]any    // by method and path: a value, or a refusal
	asked   map[string]string // the last body of each
	streams map[chan string]bool
	held    map[string]chan struct{} // by path: answered once the channel is closed
	files   map[string]string        // by path: what is served in a file's place; the file itself has "?real" behind its name
	prompts int                      // that were taken
	ended   int                      // of them
}

// refusal is an answer that is an error.
type refusal struct {
	status         int
	code, sentence string
}

// policy is the server's own (chat/window).
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; font-src 'self'; " +
	"frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

func newStub(tb testing.TB) *stub {
	tb.Helper()
	s := &stub{over: make(chan struct{}), answers: figures(), asked: map[string]string{}, streams: map[chan string]bool{}, held: map[string]chan struct{}{}, files: map[string]string{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { file(w, "index.html") })
	mux.HandleFunc("GET /boot", func(w http.ResponseWriter, _ *http.Request) { file(w, "boot.html") })
	mux.HandleFunc("GET /assets/{file...}", func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		text, replaced := s.files[r.PathValue("file")]
		s.mu.Unlock()
		if !replaced || r.URL.RawQuery == "real" {
			file(w, r.PathValue("file"))
			return
		}
		w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
		_, _ = fmt.Fprint(w, text)
	})
	mux.HandleFunc("GET /api/events", s.events)
	mux.HandleFunc("/", s.answer)
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", policy)
		w.Header().Set("Cache-Control", "no-store")
		s.mu.Lock()
		held := s.held[r.URL.Path]
		s.mu.Unlock()
		if held != nil {
			select {
			case <-held:
			case <-s.over:
			case <-r.Context().Done():
			}
		}
		mux.ServeHTTP(w, r)
	}))
	tb.Cleanup(func() { close(s.over); s.CloseClientConnections(); s.Close() })
	return s
}

func file(w http.ResponseWriter, name string) {
	data, err := fs.ReadFile(assets.Window, name)
	if err != nil {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", map[string]string{
		".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".mjs": "text/javascript; charset=utf-8",
		".css": "text/css; charset=utf-8", ".png": "image/png",
	}[path.Ext(name)])
	_, _ = w.Write(data)
}

func (s *stub) answer(w http.ResponseWriter, r *http.Request) {
	var body strings.Builder
	_, _ = fmt.Fprint(&body, r.URL.RawQuery)
	if r.Method == http.MethodPost {
		var raw json.RawMessage
		_ = json.NewDecoder(r.Body).Decode(&raw)
		body.Write(raw)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	name := r.Method + " " + r.URL.Path
	s.asked[name] = body.String()
	value, known := s.answers[name]
	w.Header().Set("Content-Type", "application/json")
	if strings.HasSuffix(r.URL.Path, "/cancel") || strings.HasSuffix(r.URL.Path, "/close") {
		value, known = nil, true
	}
	switch value := value.(type) {
	case refusal:
		w.WriteHeader(value.status)
		_, _ = w.Write(encoded(object{"error": object{"code": value.code, "sentence": value.sentence}}))
	default:
		if name == "POST /api/ask" {
			s.prompts++
			value = object{"id": "a" + strconv.Itoa(s.prompts)}
		}
		if !known {
			w.WriteHeader(http.StatusNotFound)
		}
		_, _ = w.Write(encoded(value))
	}
}

// set changes an answer.
func (s *stub) set(name string, value any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers[name] = value
}

// heard waits for a body, or a query, to come to an address.
func (s *stub) heard(t *testing.T, name, want string) {
	t.Helper()
	for deadline := time.Now().Add(patience); ; <-time.After(10 * time.Millisecond) {
		s.mu.Lock()
		got := s.asked[name]
		s.mu.Unlock()
		switch {
		case got == want:
			return
		case time.Now().After(deadline):
			t.Fatalf("%s had %s, want %s", name, got, want)
		}
	}
}

func (s *stub) events(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	_, over := s.answers["GET /api/events"]
	s.mu.Unlock()
	if over {
		s.answer(w, r)
		return
	}
	stream := make(chan string, 64)
	s.mu.Lock()
	s.streams[stream] = true
	s.asked["GET /api/events"] = r.URL.RawQuery
	usage := encoded(s.answers["usage"])
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.streams, stream)
	}()
	w.Header().Set("Content-Type", "text/event-stream")
	control := http.NewResponseController(w)
	// A browser waits for seconds before it reconnects, unless the stream sets the
	// delay.
	_, _ = fmt.Fprintf(w, "retry: 50\nevent: usage\ndata: %s\n\n", usage)
	for {
		if control.Flush() != nil {
			return
		}
		select {
		case <-s.over:
			return
		case <-r.Context().Done():
			return
		case text := <-stream:
			_, _ = fmt.Fprint(w, text)
		}
	}
}

// listened waits for a page's stream.
func (s *stub) listened(tb testing.TB) {
	tb.Helper()
	for deadline := time.Now().Add(patience); ; <-time.After(10 * time.Millisecond) {
		s.mu.Lock()
		listens := len(s.streams) > 0
		s.mu.Unlock()
		switch {
		case listens:
			return
		case time.Now().After(deadline):
			tb.Fatal("the page listens to no stream")
		}
	}
}

// tell sends an event to every page.
func (s *stub) tell(name string, value any) {
	data := encoded(value)
	s.mu.Lock()
	defer s.mu.Unlock()
	for stream := range s.streams {
		stream <- "event: " + name + "\ndata: " + string(data) + "\n\n"
	}
}

// ask sends the outcome of the page's prompt, once the prompt has arrived and a stream
// is open. The event may come before the page has the prompt's id.
func (s *stub) ask(kind string, more map[string]any) {
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); <-time.After(10 * time.Millisecond) {
		s.mu.Lock()
		ready := s.prompts > s.ended && len(s.streams) > 0
		s.mu.Unlock()
		if ready {
			break
		}
	}
	s.mu.Lock()
	event := map[string]any{"id": "a" + strconv.Itoa(s.prompts), "kind": kind}
	if kind == "done" || kind == "failed" {
		s.ended = s.prompts
	}
	s.mu.Unlock()
	maps.Copy(event, more)
	s.tell("ask", event)
}

// encoded is a value of a test's own, which always can be.
func encoded(value any) []byte {
	data, err := json.Marshal(value)
	if err != nil {
		return []byte("null")
	}
	return data
}

func quote(text string) string { return strconv.Quote(text) }

// open shows the page of a stub.
func (b *browser) open(s *stub) {
	b.t.Helper()
	b.do(navigate(s.URL))
	b.until("document.querySelector('main section')")
}

var noon = time.Date(2026, 2, 3, 12, 0, 0, 0, time.UTC)
