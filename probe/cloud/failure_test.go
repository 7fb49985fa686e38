package cloud

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"windsock/probe/probetest"
)

// wrong is an answer that is none, and the code that it leads to.
type wrong struct {
	ID   string
	HTTP struct {
		Status  int
		Body    json.RawMessage
		Headers map[string]string
	}
	State     Code
	KeepsLast bool `json:"keeps_last_good"`
}

func readWrong(t *testing.T, name string) []wrong {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	var all []wrong
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// write answers with it. A body that is a JSON string is text.
func (e wrong) write(w http.ResponseWriter) {
	body := []byte(e.HTTP.Body)
	var text string
	if json.Unmarshal(body, &text) == nil {
		body = []byte(text)
	}
	for name, value := range e.HTTP.Headers {
		w.Header().Set(name, value)
	}
	w.WriteHeader(e.HTTP.Status)
	_, _ = w.Write(body)
}

func TestWindsurfErrors(t *testing.T) {
	t.Parallel()
	all := readWrong(t, "errors_windsurf.json")
	if len(all) != 21 {
		t.Fatalf("%d errors", len(all))
	}
	for _, e := range all {
		t.Run(e.ID, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			source, m := h.devin(token, ""), newMaker(t, func(w http.ResponseWriter, _ *http.Request, _ string) { e.write(w) })
			client := m.client()
			switch e.ID {
			case "us-default-for-eu-key":
				h.editor(token, "https://eu.windsurf.com/_route/api_server")
			case "over-cap":
				m.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					_, _ = io.WriteString(w, `{"planStatus":{}}`+strings.Repeat(" ", maxAnswer))
				})
			case "no-network":
				m.Close()
			case "certificate":
				transport := client.Transport.(*http.Transport)
				transport.TLSClientConfig.RootCAs = x509.NewCertPool()
			}
			failure := askToFail(t, client, Question{Source: source, Host: "server.codeium.com"})
			if failure.Code != e.State {
				t.Errorf("%s, want %s: %s", failure.Code, e.State, failure.what)
			}
			if (failure.Code != Rejected) != e.KeepsLast {
				t.Error("the last figures")
			}
			if failure.Sign != source.Sign() || failure.Sign == "" {
				t.Errorf("sign %q", failure.Sign)
			}
			probetest.Golden(t, "failures/"+e.ID+".txt", []byte(sentences(failure)))
		})
	}
}

func TestCursorErrors(t *testing.T) {
	t.Parallel()
	for _, e := range readWrong(t, "errors_cursor.json") {
		t.Run(e.ID, func(t *testing.T) {
			t.Parallel()
			m := newMaker(t, func(w http.ResponseWriter, _ *http.Request, _ string) { e.write(w) })
			failure := askToFail(t, m.client(), Question{Source: newHome(t).cursor(jwt), Host: "api2.cursor.sh"})
			if failure.Code != e.State {
				t.Errorf("%s, want %s: %s", failure.Code, e.State, failure.what)
			}
			if got := len(m.requests()); got != 1 {
				t.Errorf("%d requests", got)
			}
			probetest.Golden(t, "failures/cursor-"+e.ID+".txt", []byte(sentences(failure)))
		})
	}
}

// sentences is all that a failure says.
func sentences(f *Failure) string {
	told := f.Tell()
	return fmt.Sprintf("%s (exit %d)\n%s\nwait: %v\n", told.Code, told.Exit, told.Sentence(), f.RetryAfter)
}

func askToFail(t *testing.T, c Client, q Question) *Failure {
	t.Helper()
	answer, err := c.Ask(t.Context(), q)
	failure, ok := errors.AsType[*Failure](err)
	if !ok {
		t.Fatalf("answer %q, error %v", answer.Raw, err)
	}
	return failure
}

// What a company's proxy, or the page of a Wi-Fi, answers ends no sign-in.
func TestOnlyTheServiceRefuses(t *testing.T) {
	t.Parallel()
	for _, status := range []int{401, 403} {
		for name, body := range map[string]string{"page": "<html>who are you?</html>", "other_json": `{"error":"denied"}`, "other_code": `{"code":"E17","message":"x"}`, "none": ""} {
			t.Run(fmt.Sprintf("%d_%s", status, name), func(t *testing.T) {
				t.Parallel()
				m := newMaker(t, func(w http.ResponseWriter, _ *http.Request, _ string) {
					w.WriteHeader(status)
					_, _ = io.WriteString(w, body)
				})
				if f := askToFail(t, m.client(), Question{Source: newHome(t).devin(token, ""), Host: "server.codeium.com"}); f.Code != BadResponse {
					t.Error(f.Code)
				}
			})
		}
	}
}

// A failure tells nothing that the service or the sign-in wrote.
func TestFailuresTellNoSecret(t *testing.T) {
	t.Parallel()
	const mail = "planted@example.com"
	said := func(code string) string {
		return fmt.Sprintf(`{"code":%q,"message":"planted %s %s %s subscription has been canceled","details":[{"debug":{"error":"planted"}}]}`, code, token, jwt, mail)
	}
	odd := map[string]func(w http.ResponseWriter){
		"text_200": func(w http.ResponseWriter) { _, _ = io.WriteString(w, "planted "+token) },
		"redirect": func(w http.ResponseWriter) {
			w.Header().Set("Location", "https://planted.example/"+token)
			w.WriteHeader(302)
		},
		"retry":     func(w http.ResponseWriter) { w.Header().Set("Retry-After", "planted"); w.WriteHeader(429) },
		"plain_500": func(w http.ResponseWriter) { w.WriteHeader(500); _, _ = io.WriteString(w, "planted "+mail) },
		"garbled": func(w http.ResponseWriter) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err == nil {
				_, _ = io.WriteString(conn, "planted "+token+"\r\n\r\n")
				_ = conn.Close()
			}
		},
		"odd_header": func(w http.ResponseWriter) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err == nil {
				_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: planted"+token+"\r\n\r\n")
				_ = conn.Close()
			}
		},
	}
	for _, code := range []string{"unauthenticated", "permission_denied", "invalid_argument", "resource_exhausted", "unimplemented", "internal", "unavailable", "planted"} {
		odd[code] = func(w http.ResponseWriter) {
			w.WriteHeader(max(statusOf(code), 400))
			_, _ = io.WriteString(w, said(code))
		}
		odd[code+"_in_200"] = func(w http.ResponseWriter) { _, _ = io.WriteString(w, said(code)) }
	}
	for name, write := range odd {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMaker(t, func(w http.ResponseWriter, _ *http.Request, _ string) { write(w) })
			for _, q := range []Question{
				{Source: newHome(t).editor(token, ""), Host: "server.codeium.com"},
				{Source: newHome(t).cursor(jwt), Host: "api2.cursor.sh"},
			} {
				answer, err := m.client().Ask(t.Context(), q)
				if err == nil { // an answer without figures, or with a code that is none
					if name != "planted_in_200" {
						t.Errorf("answer %s", answer.Raw)
					}
					continue
				}
				failure, _ := errors.AsType[*Failure](err)
				told := failure.Tell()
				text := fmt.Sprintf("%v %+v %#v %+v %v %s", err, failure, failure, told, errors.Unwrap(err), sentences(failure))
				for _, secret := range []string{"planted", mail, "example.com"} {
					if strings.Contains(text, secret) {
						t.Errorf("%s: %q is in %s", q.Source.Name, secret, text)
					}
				}
			}
		})
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	tests := map[string]time.Duration{
		"": 0, "120": 2 * time.Minute, "0": time.Minute, "59": time.Minute, "3600": time.Hour, "86400": time.Hour,
		"18446744073709551615": time.Hour, "-5": 0, "1.5": 0, "soon": 0,
		"Sun, 22 Nov 2026 12:05:00 GMT": 5 * time.Minute, "Sunday, 22-Nov-26 12:05:00 GMT": 5 * time.Minute,
		"Sun, 22 Nov 2026 11:00:00 GMT": time.Minute, "Mon, 23 Nov 2026 12:00:00 GMT": time.Hour,
	}
	for text, want := range tests {
		if got := retryAfter(http.Header{"Retry-After": {text}}, noon); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

// A question that was given up is no failure of the service.
func TestCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	m := newMaker(t, func(_ http.ResponseWriter, r *http.Request, _ string) {
		cancel()
		<-r.Context().Done()
	})
	_, err := m.client().Ask(ctx, Question{Source: newHome(t).devin(token, ""), Host: "server.codeium.com"})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if f, ok := errors.AsType[*Failure](err); ok {
		t.Errorf("a failure: %v", f)
	}
}
