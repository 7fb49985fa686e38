package probe

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"windsock/probe/say"
)

func TestUserStatusRequest(t *testing.T) {
	t.Parallel()
	const body = `{"userStatus":{"future":{"x":[1,2.50]}},  "planInfo":{}}`
	var requests []map[string]any
	server := rpc(t, func(w http.ResponseWriter, r *http.Request) {
		var message struct{ Metadata map[string]any }
		if err := json.NewDecoder(r.Body).Decode(&message); err != nil {
			t.Error(err)
		}
		message.Metadata["path"], message.Metadata["type"] = r.URL.Path, r.Header.Get("Content-Type")
		requests = append(requests, message.Metadata)
		answer(w, 200, body)
	})
	sys := &fakeSystem{}
	sys.Add("--ide_name windsurf-next --windsurf_version 1.9.5", server.URL)
	raw, session, err := sys.finder(t, testKey).UserStatus(t.Context(), Variants())
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	again, err := session.UserStatus(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, got := range [][]byte{raw, again} {
		if string(got) != body {
			t.Errorf("answer = %s, want it untouched", got)
		}
	}
	if diff := cmp.Diff(Server{Variant: "windsurf-next", App: "Windsurf Next", PID: 100}, session.Server()); diff != "" {
		t.Error(diff)
	}
	want := map[string]any{
		"path": "/exa.language_server_pb.LanguageServerService/GetUserStatus", "type": "application/json",
		"apiKey": testKey, "ideName": "windsurf-next", "extensionName": "windsurf-next",
		"ideVersion": "1.9.5", "extensionVersion": "1.9.5", "ideType": "desktop", "locale": "en", "planName": "Unset",
		"extensionPath": "/opt",
	}
	fresh := []string{"requestId", "sessionId", "triggerId", "lsTimestamp", "os", "hardware"}
	for _, request := range requests {
		for _, field := range fresh {
			if text, ok := request[field].(string); !ok || text == "" {
				t.Errorf("%s = %v", field, request[field])
			}
		}
		ignore := cmpopts.IgnoreMapEntries(func(k string, _ any) bool { return strings.Contains(strings.Join(fresh, " "), k) })
		if diff := cmp.Diff(want, request, ignore); diff != "" {
			t.Error(diff)
		}
	}
	first, second := requests[0]["requestId"].(string), requests[1]["requestId"].(string)
	if len(requests) != 2 || first >= second || requests[0]["triggerId"] == requests[1]["triggerId"] || requests[0]["sessionId"] != requests[1]["sessionId"] {
		t.Errorf("ids of two requests: %v, %v", requests[0], requests[1])
	}
}

// However many Sessions a process opens, for example one for each poll, the server sees
// one session of one device with consecutive request numbers.
func TestOneSessionAProcess(t *testing.T) {
	t.Parallel()
	type ids struct{ SessionID, DeviceFingerprint, RequestID string }
	var seen []ids
	server := rpc(t, func(w http.ResponseWriter, r *http.Request) {
		var message struct{ Metadata ids }
		if err := json.NewDecoder(r.Body).Decode(&message); err != nil {
			t.Error(err)
		}
		seen = append(seen, message.Metadata)
		answer(w, 200, "{}")
	})
	for range 5 {
		sys := windsurfAt(server.URL)
		_, session, err := sys.finder(t, testKey).UserStatus(t.Context(), Variants())
		if err != nil {
			t.Fatal(err)
		}
		session.Close()
	}
	for i, now := range seen {
		if now.SessionID == "" || now.SessionID != seen[0].SessionID || now.DeviceFingerprint != "" {
			t.Errorf("request %d: %+v, and %+v before", i, now, seen[0])
		}
		if i > 0 && now.RequestID <= seen[i-1].RequestID {
			t.Errorf("request %s after %s", now.RequestID, seen[i-1].RequestID)
		}
	}
	if len(seen) != 5 {
		t.Errorf("%d requests", len(seen))
	}
}

// If the server does not know a key, the next one is tried. The key that works is tried
// first afterwards.
func TestKeysGiveWay(t *testing.T) {
	t.Parallel()
	for name, refusal := range map[string]string{
		"unauthenticated": `{"code":"unauthenticated"}`,
		"sentence":        `{"code":"internal","message":"failed to get primary API key: none"}`,
		"denied_sentence": `{"code":"permission_denied","message":"Invalid token"}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var seen []string
			server := rpc(t, func(w http.ResponseWriter, r *http.Request) {
				data, _ := io.ReadAll(r.Body)
				if strings.Contains(string(data), "old-key") {
					seen = append(seen, "old")
					answer(w, 401, refusal)
					return
				}
				seen = append(seen, "new")
				answer(w, 200, "{}")
			})
			sys := windsurfAt(server.URL)
			_, session, err := sys.finder(t, "old-key", "new-key").UserStatus(t.Context(), Variants())
			if err != nil {
				t.Fatal(err)
			}
			if _, err := session.UserStatus(t.Context()); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]string{"old", "new", "new"}, seen); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Later calls of a Session behave like the first: the next key if the server no longer
// knows one, another try if it is not ready, and the same size limit.
func TestUserStatusAgain(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		// again answers the second call and later ones; n is the number of calls.
		again func(w http.ResponseWriter, n int, key string)
		want  string
		err   string
		asked int
	}{
		{"next_key", func(w http.ResponseWriter, _ int, key string) {
			if key == "old" {
				answer(w, 401, `{"code":"unauthenticated"}`)
				return
			}
			answer(w, 200, `{"of":"new"}`)
		}, `{"of":"new"}`, "", 3},
		{"not_ready", func(w http.ResponseWriter, n int, _ string) {
			if n == 2 {
				answer(w, 503, `{"code":"unavailable"}`)
				return
			}
			answer(w, 200, `{"of":"old"}`)
		}, `{"of":"old"}`, "", 3},
		{"too_long", func(w http.ResponseWriter, _ int, _ string) {
			answer(w, 200, `{"of":"`+strings.Repeat("x", maxStatus)+`"}`)
		}, "", "GetUserStatus", 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			asked := 0
			server := rpc(t, func(w http.ResponseWriter, r *http.Request) {
				data, _ := io.ReadAll(r.Body)
				key := "new"
				if strings.Contains(string(data), "old-key") {
					key = "old"
				}
				if asked++; asked == 1 {
					answer(w, 200, "{}")
					return
				}
				tt.again(w, asked, key)
			})
			sys := windsurfAt(server.URL)
			_, session, err := sys.finder(t, "old-key", "new-key").UserStatus(t.Context(), Variants())
			if err != nil {
				t.Fatal(err)
			}
			raw, err := session.UserStatus(t.Context())
			if string(raw) != tt.want || (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) || asked != tt.asked {
				t.Errorf("%.40s, %v, asked %d times", raw, err, asked)
			}
		})
	}
}

func TestRestartBetweenCalls(t *testing.T) {
	t.Parallel()
	down := map[string]func(old *httptest.Server){
		"refused": (*httptest.Server).Close,
		"reset": func(old *httptest.Server) {
			old.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				conn, _, err := http.NewResponseController(w).Hijack()
				if err != nil {
					return
				}
				_ = conn.(*net.TCPConn).SetLinger(0)
				_ = conn.Close()
			})
		},
		"broken_off": func(old *httptest.Server) {
			old.Config.Handler = http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
		},
		"new_token": func(old *httptest.Server) {
			old.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				answer(w, 403, `{"code":"permission_denied"}`)
			})
		},
	}
	for name, takeDown := range down {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			old := rpc(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, 200, `{"from":"old"}`) })
			sys := windsurfAt(old.URL)
			_, session, err := sys.finder(t, testKey).UserStatus(t.Context(), Variants())
			if err != nil {
				t.Fatal(err)
			}
			session.Close()
			takeDown(old)
			_, err = session.UserStatus(t.Context())
			if err == nil || !strings.Contains(err.Error(), "before the fresh discovery: call GetUserStatus: ") {
				t.Fatalf("a call of a server that is gone: %v; want both errors", err)
			}
			// Another variant does not count as a restart of this one.
			sys.Add("--ide_name windsurf-next", rpc(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, 200, `{"from":"next"}`) }).URL)
			if raw, err := session.UserStatus(t.Context()); err == nil {
				t.Fatalf("another variant's figures: %s", raw)
			}
			fresh := rpc(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, 200, `{"from":"new"}`) })
			sys.Add("--ide_name windsurf", fresh.URL)
			raw, err := session.UserStatus(t.Context())
			if err != nil || string(raw) != `{"from":"new"}` || session.Server().PID != 102 {
				t.Errorf("after the restart: %s, %v, %v", raw, err, session.Server())
			}
		})
	}
}

// Every failure of a server: the code that is reported, without any secret or content
// of the response.
func TestUserStatusFailures(t *testing.T) {
	t.Parallel()
	leak := "leak-" + testKey + testToken
	reply := func(status int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { answer(w, status, body) }
	}
	tests := []struct {
		name    string
		status  http.HandlerFunc
		want    Code
		finding string
	}{
		{"hang", func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body) // otherwise the end of the connection stays unnoticed
			<-r.Context().Done()
		}, Timeout, "took too long"},
		{"reset", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, BadResponse, "connection broke"},
		{"status_line", func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				return
			}
			_, _ = io.WriteString(conn, "HTTP/1.1 500 "+leak+"\r\nContent-Length: 0\r\n\r\n")
			_ = conn.Close()
		}, BadResponse, "no Connect answer"},
		{"malformed_http", func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				return
			}
			_, _ = io.WriteString(conn, "HTTP/1.1 "+leak+"\r\n\r\n")
			_ = conn.Close()
		}, BadResponse, "connection broke"},
		{"content_type", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/"+leak)
		}, BadResponse, "no Connect answer"},
		{"content_encoding", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", leak)
			answer(w, 200, "{}")
		}, BadResponse, "no Connect answer"},
		{"bare_500", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, leak, 500) }, BadResponse, "no Connect answer"},
		{"garbage_200", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, leak) }, BadResponse, "no Connect answer"},
		{"huge", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			for range 17 {
				_, _ = w.Write(make([]byte, 1<<20))
			}
		}, BadResponse, "far more than an answer holds"},
		{"redirect", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://127.0.0.1:1/"+leak, http.StatusTemporaryRedirect)
		}, BadResponse, "no Connect answer"},
		{"internal", reply(500, `{"code":"internal","message":"`+leak+`"}`), BadResponse, "the error internal"},
		{"unauthenticated", reply(401, `{"code":"unauthenticated","message":"`+leak+`"}`), NotSignedIn, "knows no account"},
		{"status_is_nil", reply(500, `{"code":"unknown","message":"user status is nil"}`), NotSignedIn, "knows no account"},
		{"permission_denied", reply(403, `{"code":"permission_denied","message":"`+leak+`"}`), Rejected, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			server := rpc(t, tt.status)
			sys := windsurfAt(server.URL)
			limit := time.Minute
			if tt.want == Timeout {
				limit = 2 * time.Second
			}
			ctx, cancel := context.WithTimeout(t.Context(), limit)
			defer cancel()
			raw, _, err := sys.finder(t, testKey).UserStatus(ctx, Variants())
			failure, ok := errors.AsType[*Failure](err)
			if !ok {
				t.Fatalf("UserStatus = %s, %v; want a Failure", raw, err)
			}
			if failure.code != tt.want || !strings.Contains(say.Sentence(failure, ""), tt.finding) {
				t.Errorf("%s: %s; want %s: %s", failure.code, say.Sentence(failure, ""), tt.want, tt.finding)
			}
			for _, told := range []string{say.Sentence(failure, ""), failure.Error()} {
				if strings.Contains(told, "leak") || strings.Contains(told, testKey) || strings.Contains(told, testToken) {
					t.Errorf("tells a secret: %s", told)
				}
			}
		})
	}
}

// A discarded Session leaves no connection open.
func TestNoConnectionIsLeft(t *testing.T) {
	t.Parallel()
	var open atomic.Int32
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/GetUnleashData") {
			answer(w, 200, "{}")
			return
		}
		answer(w, 401, `{"code":"unauthenticated"}`)
	}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			open.Add(1)
		}
		if state == http.StateClosed {
			open.Add(-1)
		}
	}
	server.Start()
	defer server.Close()
	sys := windsurfAt(server.URL)
	for range 5 {
		if _, _, err := sys.finder(t, testKey).UserStatus(t.Context(), Variants()); err == nil {
			t.Fatal("a refused key passed")
		}
	}
	for deadline := time.Now().Add(time.Minute); open.Load() > 0; {
		if time.Now().After(deadline) {
			t.Fatalf("%d connections are open", open.Load())
		}
		runtime.Gosched()
	}
}
