package window

import (
	"errors"
	"log/slog"
	"net/http"

	"windsock/probe/loopback"
)

// policy lets the page load this server's files, and nothing else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; font-src 'self'; " +
	"frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

// headers are on every answer, also on refusals. They never allow another origin
// anything.
var headers = map[string]string{
	"Content-Security-Policy":      policy,
	"X-Content-Type-Options":       "nosniff",
	"X-Frame-Options":              "DENY", // like frame-ancestors, for browsers that do not know that
	"Referrer-Policy":              "no-referrer",
	"Cache-Control":                "no-store",
	"Cross-Origin-Opener-Policy":   "same-origin",
	"Cross-Origin-Resource-Policy": "same-origin",
	"Cross-Origin-Embedder-Policy": "require-corp",
	"Permissions-Policy":           "camera=(), microphone=(), geolocation=()",
}

// guarded is the whole server, from the outside in.
func (s *served) guarded() http.Handler {
	guard := loopback.Guard{
		Hosts:  []string{s.host},
		Page:   ownPage(),
		Refuse: func(w http.ResponseWriter, r *http.Request, why loopback.Refusal) { s.refuse(w, r, why) },
	}
	inner := guard.Wrap(s.routes())
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for name, value := range headers {
			w.Header().Set(name, value)
		}
		defer s.recovered(w, r)
		switch r.Method {
		case http.MethodGet, http.MethodHead, http.MethodPost:
			inner.ServeHTTP(w, r)
		default: // also OPTIONS: a page is never told what it may do
			w.Header().Set("Allow", "GET, HEAD, POST")
			fail(w, http.StatusMethodNotAllowed, "method", "This is not done here.")
		}
	})
}

func (s *served) refuse(w http.ResponseWriter, r *http.Request, why loopback.Refusal) {
	s.config.Log.WarnContext(r.Context(), "window refused a request", slog.String("why", string(why)))
	sentence := why.Sentence()
	if why == loopback.ForeignHost {
		sentence = "This address is not served here. Open the window from the tray, or with `windsock prompt`."
	}
	fail(w, http.StatusForbidden, string(why), sentence)
}

// recovered keeps a panic in one answer from silently closing the connection.
// http.ErrAbortHandler is no panic in this sense.
func (s *served) recovered(w http.ResponseWriter, r *http.Request) {
	found := recover()
	if found == nil {
		return
	}
	if err, ok := found.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		return
	}
	s.config.Log.ErrorContext(r.Context(), "window's answer broke off", slog.String("path", r.URL.Path), slog.Any("panic", found))
	fail(w, http.StatusInternalServerError, "broken", "Windsock could not do that.")
}

var errForeign = errors.New("request of a foreign page")

// ownPage admits our page, an address that a person opens, and programs that are no
// browser, which are left to the cookie and the account check. Unlike
// http.CrossOriginProtection alone, it also refuses GETs of foreign pages: their
// requests may carry the cookie.
func ownPage() func(*http.Request) error {
	var cross http.CrossOriginProtection
	return func(r *http.Request) error {
		site := r.Header.Values("Sec-Fetch-Site")
		if len(site) > 1 || len(site) == 1 && site[0] != "same-origin" && site[0] != "none" && !comesIn(r) {
			return errForeign
		}
		if origin := r.Header.Values("Origin"); len(origin) > 1 || len(origin) == 1 && origin[0] != "http://"+r.Host {
			return errForeign
		}
		return cross.Check(r)
	}
}

// comesIn reports whether a window or a tab navigates to the page that trades the
// ticket, from a foreign page, such as the browser's start file. That page contains no
// secret.
func comesIn(r *http.Request) bool {
	return r.Method == http.MethodGet && r.URL.Path == "/boot" && r.Header.Get("Sec-Fetch-Site") == "cross-site" &&
		r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
}
