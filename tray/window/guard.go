package window

import (
	"errors"
	"log/slog"
	"net/http"

	"windsock/probe/loopback"
)

// policy lets the page load what this server has, and nothing else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; font-src 'self'; " +
	"frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

// headers stand on every answer, refusals among them. None allows another origin
// anything, whatever is asked.
var headers = map[string]string{
	"Content-Security-Policy":      policy,
	"X-Content-Type-Options":       "nosniff",
	"X-Frame-Options":              "DENY", // what frame-ancestors says, for those that do not know it
	"Referrer-Policy":              "no-referrer",
	"Cache-Control":                "no-store",
	"Cross-Origin-Opener-Policy":   "same-origin",
	"Cross-Origin-Resource-Policy": "same-origin",
	"Cross-Origin-Embedder-Policy": "require-corp",
	"Permissions-Policy":           "camera=(), microphone=(), geolocation=()",
}

// guarded is the whole of the server, from the outside in.
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
		default: // OPTIONS among them: no page is told what it may do
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

// recovered keeps a mistake in one answer from being the end of a connection
// without a word. http.ErrAbortHandler is no mistake.
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

// ownPage lets our page through, an address that a person opens, and what is no
// browser at all, which the cookie and the account keep out. Other than
// http.CrossOriginProtection alone it refuses foreign pages a GET, too: what they ask
// for may have the cookie with it.
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

// comesIn reports whether a window or a tab goes to the page that trades the ticket,
// from a page of elsewhere, such as the file that the browser was started with. There
// is nothing in that page.
func comesIn(r *http.Request) bool {
	return r.Method == http.MethodGet && r.URL.Path == "/boot" && r.Header.Get("Sec-Fetch-Site") == "cross-site" &&
		r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
}
