package probe

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windsock/probe/jsonpick"
	"windsock/probe/languageserver"
	"windsock/probe/say"
)

// recorder is a server with a response for each method. It records the methods and
// bodies.
type recorder struct {
	*httptest.Server

	mu     sync.Mutex // guards the fields below
	seen   []string
	answer map[string]func(http.ResponseWriter)
}

func record(t *testing.T, answers map[string]func(http.ResponseWriter)) *recorder {
	t.Helper()
	r := &recorder{answer: answers}
	r.Server = rpc(t, func(w http.ResponseWriter, request *http.Request) {
		method := path.Base(request.URL.Path)
		r.mu.Lock()
		r.seen = append(r.seen, method)
		do := r.answer[method]
		r.mu.Unlock()
		if do == nil {
			answer(w, http.StatusOK, "{}")
			return
		}
		do(w)
	})
	return r
}

func (r *recorder) calls() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string(nil), r.seen...)
}

func says(status int, body string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) { answer(w, status, body) }
}

func startCascade(m *languageserver.Metadata) *languageserver.StartCascadeRequest {
	return &languageserver.StartCascadeRequest{Metadata: m}
}

func archiveCascade(*languageserver.Metadata) *languageserver.ArchiveCascadeTrajectoryRequest {
	return &languageserver.ArchiveCascadeTrajectoryRequest{CascadeId: "c", IsArchived: true}
}

const (
	startProcedure   = languageserver.LanguageServerServiceStartCascadeProcedure
	archiveProcedure = languageserver.LanguageServerServiceArchiveCascadeTrajectoryProcedure
)

func open(t *testing.T, sys *fakeSystem) *Session {
	t.Helper()
	_, s, err := sys.finder(t, testKey).UserStatus(t.Context(), Variants())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func TestCall(t *testing.T) {
	t.Parallel()
	server := record(t, map[string]func(http.ResponseWriter){"StartCascade": says(200, `{"cascadeId":"c1","future":1}`)})
	sys := windsurfAt(server.URL)
	s := open(t, sys)
	got, err := Call[languageserver.StartCascadeRequest, languageserver.StartCascadeResponse](t.Context(), s, RPC{Procedure: startProcedure, Once: true}, startCascade)
	if err != nil || got.GetCascadeId() != "c1" {
		t.Errorf("got %v, %v", got, err)
	}
	raw, err := Call[languageserver.StartCascadeRequest, RawJSON](t.Context(), s, RPC{Procedure: startProcedure}, startCascade)
	if err != nil || string(raw.Data) != `{"cascadeId":"c1","future":1}` {
		t.Errorf("got %s, %v", raw.Data, err)
	}
}

func TestCallErrors(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name        string
		answer      func(http.ResponseWriter)
		words       string
		unsupported bool
		refused     bool
		sentence    string
	}{
		{"bare_404", func(w http.ResponseWriter) { http.NotFound(w, httptest.NewRequest(http.MethodGet, "/", nil)) }, "", true, false, "no Connect answer"},
		{"unimplemented", says(501, `{"code":"unimplemented","message":"gone"}`), "gone", true, true, "unimplemented"},
		{"not_found", says(404, `{"code":"not_found","message":"cascade not found"}`), "cascade not found", false, true, "not_found"},
		{"with_words", says(400, `{"code":"failed_precondition","message":"Your daily usage quota has been exhausted"}`), "Your daily usage quota has been exhausted", false, true, "failed_precondition"},
		{"repeats_the_key", says(400, `{"code":"internal","message":"bad key `+testKey+`"}`), "", false, true, "internal"},
		{"repeats_the_token", says(400, `{"code":"internal","message":"bad token `+testToken+`"}`), "", false, true, "internal"},
		{"empty", says(200, ""), "", false, false, "no Connect answer"},
		{"deep", says(200, deep(6_000_000)), "", false, false, "no Connect answer"},
		{"no_connect", says(500, `<html>`), "", false, false, "no Connect answer"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			server := record(t, map[string]func(http.ResponseWriter){"StartCascade": tt.answer})
			sys := windsurfAt(server.URL)
			_, err := Call[languageserver.StartCascadeRequest, RawJSON](t.Context(), open(t, sys), RPC{Procedure: startProcedure, Once: true}, startCascade)
			failed, ok := errors.AsType[*Failure](err)
			if !ok {
				t.Fatalf("error %v", err)
			}
			if failed.Words() != tt.words || failed.Unsupported() != tt.unsupported || failed.Refused() != tt.refused {
				t.Errorf("words %q, unsupported %v, refused %v", failed.Words(), failed.Unsupported(), failed.Refused())
			}
			if !strings.Contains(say.Sentence(failed, ""), tt.sentence) {
				t.Errorf("sentence %q", say.Sentence(failed, ""))
			}
			for _, told := range []string{err.Error(), say.Sentence(failed, "")} {
				for _, secret := range []string{testKey, testToken, "exhausted", "bad "} {
					if strings.Contains(told, secret) {
						t.Errorf("%q tells %q", told, secret)
					}
				}
			}
		})
	}
}

// What is picked from a response may stand among far more than another response holds.
func TestCallPicks(t *testing.T) {
	t.Parallel()
	const ballast = "planted "
	big := strings.Repeat(ballast, 2*maxMessage/len(ballast))
	tests := []struct {
		name   string
		answer func(http.ResponseWriter)
		want   string
		fails  string
	}{
		{"big", says(200, `{"x":"`+big+`","cascadeId":"c1","y":[1]}`), `{"cascadeId":"c1"}`, ""},
		{"cut", says(200, `{"x":"`+ballast), "", "no Connect answer"},
		{"too_much", says(200, `{"cascadeId":"`+big+`"}`), "", "far more than an answer holds"},
		{"error", says(404, `{"code":"unimplemented","message":"gone"}`), "", "unimplemented"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			server := record(t, map[string]func(http.ResponseWriter){"StartCascade": tt.answer})
			rpc := RPC{Procedure: startProcedure, Pick: jsonpick.Fields{"cascadeId": nil}}
			raw, err := Call[languageserver.StartCascadeRequest, RawJSON](t.Context(), open(t, windsurfAt(server.URL)), rpc, startCascade)
			if tt.fails == "" {
				if err != nil || string(raw.Data) != tt.want {
					t.Errorf("got %s, %v", raw.Data, err)
				}
				return
			}
			if err == nil || !strings.Contains(say.Sentence(err, ""), tt.fails) || strings.Contains(err.Error(), "planted") {
				t.Errorf("error %v", err)
			}
		})
	}
}

// After a restart a repeatable call finds the new server. A call with Once is made
// again only if no byte of it can have left.
func TestCallAfterARestart(t *testing.T) {
	t.Parallel()
	breaks := func(w http.ResponseWriter) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			_ = conn.Close()
		}
	}
	tests := []struct {
		name   string
		method string
		breaks bool // during the call; otherwise the old server ends before it
		old    []string
		fresh  []string
		fails  bool
	}{
		{"archive_breaks", "archive", true, []string{"GetUserStatus", "ArchiveCascadeTrajectory"}, []string{"GetUserStatus", "ArchiveCascadeTrajectory"}, false},
		{"archive_is_refused", "archive", false, []string{"GetUserStatus"}, []string{"GetUserStatus", "ArchiveCascadeTrajectory"}, false},
		{"start_breaks", "start", true, []string{"GetUserStatus", "StartCascade"}, nil, true},
		{"start_is_refused", "start", false, []string{"GetUserStatus"}, []string{"GetUserStatus", "StartCascade"}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			old := record(t, map[string]func(http.ResponseWriter){"StartCascade": breaks, "ArchiveCascadeTrajectory": breaks})
			fresh := record(t, nil)
			sys := windsurfAt(old.URL)
			s := open(t, sys)
			sys.Add("--ide_name windsurf", fresh.URL)
			if !tt.breaks {
				s.Close() // otherwise the call would reuse the connection
				old.Close()
			}
			var err error
			if tt.method == "start" {
				_, err = Call[languageserver.StartCascadeRequest, RawJSON](t.Context(), s, RPC{Procedure: startProcedure, Once: true}, startCascade)
			} else {
				_, err = Call[languageserver.ArchiveCascadeTrajectoryRequest, RawJSON](t.Context(), s, RPC{Procedure: archiveProcedure}, archiveCascade)
			}
			if (err != nil) != tt.fails {
				t.Errorf("error %v", err)
			}
			if diff := cmp.Diff(tt.old, old.calls()); diff != "" {
				t.Errorf("old server: %s", diff)
			}
			if diff := cmp.Diff(tt.fresh, fresh.calls()); diff != "" {
				t.Errorf("new server: %s", diff)
			}
		})
	}
}

// A second failure holds the first.
func TestCallTellsBothFailures(t *testing.T) {
	t.Parallel()
	old := record(t, nil)
	sys := windsurfAt(old.URL)
	s := open(t, sys)
	s.Close()
	old.Close()
	_, err := Call[languageserver.ArchiveCascadeTrajectoryRequest, RawJSON](t.Context(), s, RPC{Procedure: archiveProcedure}, archiveCascade)
	failed, ok := errors.AsType[*Failure](err)
	if !ok || !strings.HasPrefix(err.Error(), "no_port: ") || !strings.Contains(err.Error(), "before the fresh discovery: call ArchiveCascadeTrajectory: ") {
		t.Errorf("error %v", err)
	}
	if ok && say.Exit(failed) != 3 {
		t.Errorf("exit code %d", say.Exit(failed))
	}
}

// No two requests have the same id, and ids grow within a goroutine. (The arrival order
// of concurrent requests is undefined.)
func TestCallNumbersRequests(t *testing.T) {
	t.Parallel()
	server := record(t, nil)
	sys := windsurfAt(server.URL)
	s := open(t, sys)
	const each = 50
	sent := make([][]uint64, 8)
	var calling sync.WaitGroup
	for i := range sent {
		calling.Go(func() {
			for range each {
				_, err := Call[languageserver.StartCascadeRequest, RawJSON](t.Context(), s, RPC{Procedure: startProcedure}, func(m *languageserver.Metadata) *languageserver.StartCascadeRequest {
					sent[i] = append(sent[i], m.GetRequestId())
					return startCascade(m)
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	calling.Wait()
	seen := map[uint64]bool{}
	for _, ids := range sent {
		last := uint64(0)
		for _, id := range ids {
			if id <= last || seen[id] {
				t.Fatalf("id %d after %d, sent before: %v", id, last, seen[id])
			}
			last, seen[id] = id, true
		}
	}
	if len(seen) != len(sent)*each {
		t.Errorf("%d ids", len(seen))
	}
}

func TestServers(t *testing.T) {
	t.Parallel()
	a, b := record(t, nil), record(t, nil)
	dead := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(dead.Close)
	sys := &fakeSystem{}
	sys.Add("--ide_name windsurf --codeium_dir .codeium/elsewhere", a.URL)
	sys.Add("--ide_name windsurf") // the parent of one
	sys.Add("--ide_name windsurf", b.URL)
	f := sys.finder(t, testKey)
	all, err := f.Servers(t.Context(), Variants())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range all {
		dir, err := filepath.Rel(f.dirs.Home, s.CodeiumDir())
		if err != nil {
			t.Error(err)
		}
		got = append(got, filepath.ToSlash(dir))
		s.Close()
	}
	if diff := cmp.Diff([]string{".codeium/windsurf", ".codeium/elsewhere"}, got); diff != "" {
		t.Error(diff)
	}
	sys.Add("--ide_name windsurf", dead.URL)
	if _, err := f.Servers(t.Context(), Variants()); err == nil {
		t.Error("a server that cannot be asked is passed over")
	}
	windows, failed := f.Windows(t.Context(), Variants()[0])
	if len(windows) != 2 || len(failed) != 1 || say.Code(failed[0]) != string(NoPort) {
		t.Errorf("%d windows, failed %v", len(windows), failed)
	}
	for _, s := range windows {
		s.Close()
	}
	if windows, failed := f.Windows(t.Context(), Variants()[1]); windows != nil || len(failed) != 1 || say.Code(failed[0]) != string(NotRunning) {
		t.Errorf("without a server: %d windows, failed %v", len(windows), failed)
	}
}
