package window

import (
	"io/fs"
	"log/slog"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"
)

// routes are all routes. All except the page that trades the ticket, and the files
// that are the same for everybody, need the session.
func (s *served) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /boot", func(w http.ResponseWriter, r *http.Request) { s.file(w, r, "boot.html") })
	mux.HandleFunc("POST /enter", s.enter)
	mux.HandleFunc("GET /assets/{file...}", func(w http.ResponseWriter, r *http.Request) { s.file(w, r, r.PathValue("file")) })
	inside := func(pattern string, handle http.HandlerFunc) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			if !s.entered(r) {
				fail(w, http.StatusUnauthorized, "ended", "This window's session is over. Open it again from the tray, or with `windsock prompt`.")
				return
			}
			handle(w, r)
		})
	}
	inside("GET /{$}", func(w http.ResponseWriter, r *http.Request) { s.file(w, r, "index.html") })
	inside("GET /api/hello", s.hello)
	inside("GET /api/events", s.events)
	inside("POST /api/raised", s.answerRaise)
	inside("GET /api/models", s.models)
	inside("POST /api/engine", s.chooseEngine)
	inside("POST /api/ask", s.asks.ask)
	inside("POST /api/ask/{id}/cancel", s.asks.stop)
	inside("POST /api/ask/{id}/close", s.cards.close)
	inside("GET /api/usage/chart", s.chart)
	inside("GET /api/usage/history.csv", s.csv)
	inside("GET /api/usage/spend", s.spender.show)
	inside("GET /api/usage/spend.csv", s.spender.csv)
	inside("POST /api/usage/spend/read", s.spender.read)
	inside("GET /api/clean/plan", s.cleaner.plan)
	inside("POST /api/clean/run", s.cleaner.run)
	inside("POST /api/clean/undo", s.cleaner.undo)
	inside("GET /api/settings", s.readSettings)
	inside("POST /api/settings/check", s.checkSettings)
	inside("POST /api/settings", s.saveSettings)
	inside("GET /api/cloud", s.readConsent)
	inside("POST /api/cloud/offer", s.offerConsent)
	inside("POST /api/cloud/allow", s.allow)
	inside("POST /api/cloud/deny", s.deny)
	inside("POST /api/autostart", s.autostart)
	inside("POST /api/notify/test", s.notify)
	inside("POST /api/mutes", s.mute)
	return mux
}

// enter trades a ticket for the session.
func (s *served) enter(w http.ResponseWriter, r *http.Request) {
	body, ok := s.body(w, r, maxEntry)
	if !ok {
		return
	}
	form, err := url.ParseQuery(string(body))
	if err != nil {
		fail(w, http.StatusBadRequest, "bad_request", "There is no ticket in this.")
		return
	}
	s.mu.Lock()
	became := s.tickets.redeem(form.Get("t"), time.Now())
	if became == goodTicket {
		s.wantFor(s.times.enter)
	}
	s.mu.Unlock()
	switch became {
	case goodTicket:
		http.SetCookie(w, &s.cookie)
		w.WriteHeader(http.StatusNoContent)
		return
	case spentTicket:
		// Another program has read it, and it is unknown which of the two came first.
		s.config.Log.WarnContext(r.Context(), "a spent ticket was used again: the window's session ends")
		s.revoke()
	default:
		s.config.Log.InfoContext(r.Context(), "a ticket was refused", slog.Bool("old", became == oldTicket))
	}
	fail(w, http.StatusForbidden, "ticket", "This ticket was used already, or is too old. Open the window again.")
}

// revoke ends the session and the run; the next Show gets another port.
func (s *served) revoke() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.served == s {
		s.served = nil
	}
	s.close()
}

// types are the MIME types of the page's files. The system's table is not used: on
// Windows any program can change it.
var types = map[string]string{
	".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".mjs": "text/javascript; charset=utf-8",
	".css": "text/css; charset=utf-8", ".png": "image/png", ".json": "application/json; charset=utf-8",
}

func (s *served) file(w http.ResponseWriter, r *http.Request, name string) {
	content, err := fs.ReadFile(s.config.Page, path.Clean(name))
	if err != nil || strings.HasSuffix(name, "/") {
		fail(w, http.StatusNotFound, "not_found", "There is no such page.")
		return
	}
	kind := types[path.Ext(name)]
	if kind == "" {
		kind = "text/plain; charset=utf-8"
	}
	w.Header().Set("Content-Type", kind)
	if r.Method != http.MethodHead {
		_, _ = w.Write(content) // a lost client is ignored
	}
}
