package openai

import (
	"context"
	"log/slog"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"

	"windsock/probe/loopback"
	"windsock/probe/secret"
)

// handler logs a request, then checks its origin, then its key.
func (s *Server) handler() http.Handler {
	routes := http.NewServeMux()
	for pattern, serve := range map[string]http.HandlerFunc{
		"/health":                 only(http.MethodGet, serveHealth),
		"/v1/models":              s.keyed(only(http.MethodGet, s.serveModels)),
		"/v1/models/{model}":      s.keyed(only(http.MethodGet, s.serveModel)),
		"/v1/usage":               s.keyed(only(http.MethodGet, s.serveUsage)),
		"/v1/chat/completions":    s.keyed(only(http.MethodPost, s.answerIn(chatCompletions))),
		"/v1/responses":           s.keyed(only(http.MethodPost, s.answerIn(responses))),
		"/v1/responses/{rest...}": s.keyed(absent("The local API keeps no responses: each comes once, as the answer to its request.")),
		"/v1/completions":         s.keyed(absent(twoAPIs)),
		"/v1/messages":            s.keyed(absent(twoAPIs)),
		"/":                       s.keyed(absent("There is nothing here. The local API has /v1/chat/completions, /v1/responses, /v1/models, /v1/usage and /health.")),
	} {
		routes.HandleFunc(pattern, serve)
	}
	guard := loopback.Guard{Hosts: s.hosts, Refuse: func(w http.ResponseWriter, _ *http.Request, why loopback.Refusal) {
		refused(why).write(w)
	}}
	return s.logged(routes, guard.Wrap(routes))
}

const twoAPIs = "The local API speaks OpenAI's Chat Completions and Responses: set the program to one of them."

// absent answers that something does not exist here.
func absent(says string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		(&fault{status: http.StatusNotFound, kind: invalidRequest, code: "not_found", says: says, final: true}).write(w)
	}
}

// keyed lets requests with the key through.
func (s *Server) keyed(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		scheme, key, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		if !strings.EqualFold(scheme, "Bearer") || !s.key.Equal(secret.New(strings.TrimSpace(key))) {
			s.wrongKey().write(w)
			return
		}
		next(w, r)
	}
}

func only(method string, next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method != method {
			w.Header().Set("Allow", method)
			(&fault{status: http.StatusMethodNotAllowed, kind: invalidRequest, code: "method_not_allowed", says: "This takes " + method + " only.", final: true}).write(w)
			return
		}
		next(w, r)
	}
}

// serveHealth needs no key, so it reveals nothing else.
func serveHealth(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, []byte(`{"status":"ok"}`))
}

// serveUsage reports what is left of all plans. If no plan has fresh figures, the status
// says why, and so does the body in its own form.
func (s *Server) serveUsage(w http.ResponseWriter, r *http.Request) {
	usage, code := s.Usage(r.Context()), http.StatusOK
	switch {
	case r.Context().Err() != nil:
		fail(w, r, r.Context().Err())
		return
	case usage.Document == nil: // and none will come: the app is ending
		errEnding.write(w)
		return
	case usage.Err != nil:
		f := faultOf(r.Context(), usage.Err, false)
		note(w, f.code)
		code = f.status
	}
	writeJSON(w, code, encode(usage.Document))
}

// fail answers with the fault of an error.
func fail(w http.ResponseWriter, r *http.Request, err error) {
	faultOf(r.Context(), err, false).write(w)
}

func writeJSON(w http.ResponseWriter, status int, body []byte) {
	header := w.Header()
	header.Set("Content-Type", "application/json; charset=utf-8")
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(append(slices.Clip(body), '\n')) // the client has left
}

// logged writes one line for each request: no body, no header, and the route in place
// of the path, which may hold anything.
func (s *Server) logged(routes *http.ServeMux, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		seen := &response{ResponseWriter: w}
		seen.limit(time.Time{}) // the last request's
		r = cleaned(r)
		defer func() { //nolint:contextcheck // the request has its own
			failure := recover()
			if failure != nil && failure != http.ErrAbortHandler { //nolint:errorlint,err113 // a value that was thrown, not an error that was returned
				if seen.status == 0 {
					errBroken.write(seen)
				}
				s.Log.ErrorContext(r.Context(), "local API request broke")
			}
			s.log(r, routes, seen, time.Since(began))
			if failure != nil {
				panic(http.ErrAbortHandler) //nolint:forbidigo // how net/http is told to close the connection
			}
		}()
		next.ServeHTTP(seen, r)
	})
}

// cleaned returns a request without superfluous slashes, as from a pasted base URL that
// ends with one. ServeMux would redirect it, and clients would send key and prompt
// twice, or give up.
func cleaned(r *http.Request) *http.Request {
	clean := path.Clean("/" + r.URL.Path)
	if clean == r.URL.Path {
		return r
	}
	r = r.WithContext(r.Context()) // a copy
	url := *r.URL
	// A model's name may contain an escaped slash. net/url ignores an escaped path that
	// does not match the other one.
	url.Path, url.RawPath = clean, path.Clean("/"+r.URL.EscapedPath())
	r.URL = &url
	return r
}

func (s *Server) log(r *http.Request, routes *http.ServeMux, seen *response, took time.Duration) {
	method, status := r.Method, seen.status
	if status == 0 {
		status = statusGone
	}
	if !slices.Contains([]string{http.MethodGet, http.MethodPost, http.MethodHead, http.MethodOptions, http.MethodPut, http.MethodDelete, http.MethodPatch}, method) {
		method = "other"
	}
	_, route := routes.Handler(r)
	if route == "/" || route == "" {
		route = "other"
	}
	attrs := []slog.Attr{
		slog.String("method", method), slog.String("route", route), slog.Int("status", status),
		slog.Int64("duration_ms", took.Milliseconds()), slog.Int64("bytes", seen.bytes),
	}
	if seen.code != "" {
		attrs = append(attrs, slog.String("code", seen.code))
	}
	s.Log.LogAttrs(context.WithoutCancel(r.Context()), slog.LevelInfo, "local API request", attrs...)
}

// response records the response, and limits the client's time to read it.
type response struct {
	http.ResponseWriter

	status int
	bytes  int64
	code   string // of a fault
}

// note keeps the code of a fault for the log.
func note(w http.ResponseWriter, code string) {
	if seen, ok := w.(*response); ok {
		seen.code = code
	}
}

func (w *response) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *response) Write(data []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	w.limit(time.Now().Add(writeTime))
	n, err := w.ResponseWriter.Write(data)
	w.bytes += int64(n)
	return n, err
}

// Unwrap is for http.ResponseController.
func (w *response) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// limit sets the deadline for the client to read the response.
func (w *response) limit(until time.Time) {
	_ = http.NewResponseController(w.ResponseWriter).SetWriteDeadline(until) // a recorder has none
}
