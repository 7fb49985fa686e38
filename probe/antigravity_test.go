package probe

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/probe/jsoncheck"
	"windsock/probe/say"
	"windsock/probe/signin"
	"windsock/probe/simulator/simtest"
	"windsock/probe/system"
)

const (
	appArgs     = "--standalone --app_data_dir antigravity --csrf_token=" + appToken
	appToken    = "antigravity-token"
	summaryBody = `{"response":{"groups":[{"buckets":[{"bucketId":"gemini-5h","remainingFraction":0.5}]}]}}`
	statusBody  = `{"userStatus":{"name":"A Person","email":"a@example.com","userTier":{"id":"t"},` +
		`"planStatus":{"planInfo":{"planName":"Pro","monthlyPromptCredits":500}},"cascadeModelConfigData":{}}}`
	bothBody = `{"response":{"groups":[{"buckets":[{"bucketId":"gemini-5h","remainingFraction":0.5}]}]},` +
		`"userStatus":{"email":"a@example.com","planStatus":{"planInfo":{"planName":"Pro"}},"userTier":{"id":"t"}}}`
)

// sends is what a server answers to a method.
type sends struct {
	status int
	body   string
}

// antigravityServer answers as Antigravity's server does, and records what it was sent.
type antigravityServer struct {
	*httptest.Server

	summary, status sends

	mu   sync.Mutex
	sent []string // of each request: method, token and body
	all  []byte   // all requests as they came, their headers included
}

func serveAntigravity(t *testing.T, token string, summary, status sends) *antigravityServer {
	t.Helper()
	s := &antigravityServer{summary: summary, status: status}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		method, got := path.Base(r.URL.Path), r.Header.Get(csrfHeader)
		s.mu.Lock()
		s.sent = append(s.sent, method+" "+got+" "+compact(body))
		_ = r.Header.Write(writer(func(data []byte) { s.all = append(s.all, data...) }))
		s.all = append(s.all, body...)
		s.mu.Unlock()
		switch {
		case got == "":
			answer(w, 401, `{"code":"unauthenticated","message":"missing CSRF token"}`)
		case got != token:
			answer(w, 403, `{"code":"permission_denied","message":"Invalid CSRF token"}`)
		case method == "GetUnleashData":
			answer(w, 200, `{}`)
		case method == methodSummary:
			s.summary.write(w)
		default:
			s.status.write(w)
		}
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	t.Cleanup(s.Close)
	return s
}

// startAntigravity is a started server.
func startAntigravity(t *testing.T, token string, summary, status sends) *antigravityServer {
	t.Helper()
	s := serveAntigravity(t, token, summary, status)
	s.Start()
	return s
}

func (r sends) write(w http.ResponseWriter) {
	if !strings.HasPrefix(r.body, "{") {
		http.Error(w, r.body, r.status)
		return
	}
	answer(w, r.status, r.body)
}

// requests are what came, in alphabetic order: two calls are made at the same time.
func (s *antigravityServer) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	slices.Sort(s.sent)
	return s.sent
}

type writer func([]byte)

func (w writer) Write(data []byte) (int, error) { w(data); return len(data), nil }

// compact is JSON without the blanks that protojson adds at random.
func compact(data []byte) string {
	var value any
	if err := json.Unmarshal(data, &value); err != nil {
		return string(data)
	}
	text, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// antigravityAnswer is the last answer of all variants, which is Antigravity's. The
// others must find no server.
func antigravityAnswer(ctx context.Context, t *testing.T, f *Finder) Answer {
	t.Helper()
	answers := f.Answers(ctx, Variants())
	for i, v := range Variants() {
		if a := answers[i]; a.Product != v.Product || a.Server.Variant != v.ID || v.Product == Windsurf && a.Failure.code != NotRunning {
			t.Errorf("%s: %+v", v.ID, a)
		}
	}
	return answers[len(answers)-1]
}

// told is an answer as a test reads it.
func told(a Answer) string {
	if a.Failure != nil {
		return string(a.Failure.code) + ": " + say.Sentence(a.Failure, "")
	}
	return string(a.Raw)
}

// Command lines of other people's computers: which are looked at, as which program, and
// what token they are asked with. All have inherited a token of Windsurf's.
func TestAntigravityProcesses(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join("testdata", "antigravity_processes.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		ID, Kind, Token string
		Argv            []string
	}
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	apps := map[string]string{"app": "Antigravity", "ide": "Antigravity IDE", "cli": "Antigravity CLI"}
	for _, tt := range cases {
		t.Run(tt.ID, func(t *testing.T) {
			t.Parallel()
			server := startAntigravity(t, tt.Token, sends{200, summaryBody}, sends{200, statusBody})
			sys := &fakeSystem{}
			sys.AddProgram(tt.Argv[0], tt.Argv[1:], server.URL)
			answers := sys.finder(t, testKey).Answers(t.Context(), VariantsOf(Antigravity))
			got := answers[0]
			switch {
			case tt.Kind == "":
				if got.Failure == nil || got.Failure.code != NotRunning {
					t.Errorf("taken for Antigravity: %+v", got)
				}
				return
			case tt.Token == "":
				if got.Failure == nil || got.Failure.code != NoToken || len(server.requests()) > 0 {
					t.Errorf("%s, after %q", told(got), server.requests())
				}
			case told(got) != bothBody:
				t.Error(told(got))
			}
			if want := (Server{Variant: "antigravity", App: apps[tt.Kind], PID: 100}); got.Server != want {
				t.Errorf("server = %+v, want %+v", got.Server, want)
			}
		})
	}
}

// What the server answers, and what is made of it.
func TestAntigravityAnswers(t *testing.T) {
	t.Parallel()
	summary, status := sends{200, summaryBody}, sends{200, statusBody}
	signedOut := sends{500, `{"code":"internal","message":"error getting token source: You are not logged into Antigravity."}`}
	notFound := sends{404, "404 page not found"}
	const again = " Try again in a moment; if it stays so, restart Antigravity."
	const claim = "not_signed_in: Antigravity says that it is not signed in. Sign in to Antigravity, then try again."
	const refused = "rejected: The language server of Antigravity refuses the access token that it was started with. Restart Antigravity and try again."
	tests := []struct {
		name            string
		summary, status sends
		want            string
	}{
		{"both", summary, status, bothBody},
		{"account_is_not_told", summary, sends{500, `{"code":"internal"}`}, summaryBody},
		{"account_without_fields", summary, sends{200, `{"userStatus":{"email":"a@example.com"}}`}, strings.TrimSuffix(summaryBody, "}") + `,"userStatus":{"email":"a@example.com"}}`},
		{"account_is_no_object", summary, sends{200, `{"userStatus":[]}`}, summaryBody},
		{"empty_summary", sends{200, `{}`}, status, `{"userStatus":{"email":"a@example.com","planStatus":{"planInfo":{"planName":"Pro"}},"userTier":{"id":"t"}}}`},
		{"no_summary", notFound, status, statusBody},
		{"summary_not_implemented", sends{501, `{"code":"unimplemented"}`}, status, statusBody},
		{"nothing_of_both", notFound, notFound, "bad_response: Antigravity gave an answer that cannot be used: GetUserStatus sent something that is no Connect answer." + again},
		{"summary_fails", sends{500, `{"code":"internal","message":"x"}`}, status, "bad_response: Antigravity gave an answer that cannot be used: RetrieveUserQuotaSummary ended with the error internal." + again},
		{"error_in_200", sends{200, `{"code":13,"message":"x"}`}, status, "bad_response: Antigravity gave an answer that cannot be used: RetrieveUserQuotaSummary ended with the error internal." + again},
		{"error_in_200_as_text", sends{200, `{"code":"internal"}`}, status, "bad_response: Antigravity gave an answer that cannot be used: RetrieveUserQuotaSummary ended with the error internal." + again},
		{"unknown_error_in_200", sends{200, `{"code":"E_NEW"}`}, status, "bad_response: Antigravity gave an answer that cannot be used: RetrieveUserQuotaSummary ended with the error unknown." + again},
		{"unauthenticated_in_200", sends{200, `{"code":16}`}, status, claim},
		{"unauthenticated_in_200_as_text", sends{200, `{"code":"16"}`}, status, claim},
		{"code_zero_is_fine", notFound, sends{200, `{"code":0,"userStatus":{}}`}, `{"code":0,"userStatus":{}}`},
		{"error_in_the_status", notFound, sends{200, `{"code":16}`}, claim},
		{"signed_out", signedOut, signedOut, claim},
		{"signed_out_without_a_summary", notFound, signedOut, claim},
		{"token_is_refused_later", sends{401, `{"code":"unauthenticated","message":"missing CSRF token"}`}, status, refused},
		{"token_is_wrong_later", sends{403, `{"code":"permission_denied","message":"Invalid CSRF token"}`}, status, refused},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			sys := &fakeSystem{}
			sys.Add(appArgs, startAntigravity(t, appToken, tt.summary, tt.status).URL)
			if got := told(antigravityAnswer(t.Context(), t, sys.finder(t, testKey))); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// Nothing of Windsurf is sent to Antigravity: no key, wherever one lies, and not the
// token that Windsurf has left in its environment. The requests hold nothing personal.
func TestAntigravityGetsNothingOfWindsurf(t *testing.T) {
	t.Parallel()
	server := startAntigravity(t, appToken, sends{404, "no"}, sends{200, statusBody})
	sys := &fakeSystem{}
	sys.Add(appArgs, server.URL)
	home := t.TempDir()
	for _, dir := range []string{"Windsurf", "Antigravity", "Antigravity IDE"} {
		if err := simtest.SignIn(filepath.Join(home, ".config", dir), simtest.Auth{Key: testKey + dir}); err != nil {
			t.Fatal(err)
		}
	}
	f := sys.finder(t, testKey)
	f.dirs.Config = filepath.Join(home, ".config")
	if got := told(antigravityAnswer(t.Context(), t, f)); got != statusBody {
		t.Error(got)
	}
	look := f.Trace(t.Context(), Variants())
	if look.Failure != nil || len(look.Traces[0].SignIns) > 0 {
		t.Errorf("the doctor: %v, %v", look.Failure, look.Traces[0].SignIns)
	}
	const metadata = `{"metadata":{"extensionName":"antigravity","ideName":"antigravity","locale":"en"}}`
	one := []string{"GetUnleashData " + appToken + " {}", "GetUserStatus " + appToken + " " + metadata, methodSummary + " " + appToken + " {}"}
	want := slices.Sorted(slices.Values(append(one, one...)))
	if diff := cmp.Diff(want, server.requests()); diff != "" {
		t.Error(diff)
	}
	for _, planted := range []string{testKey, testToken} {
		if strings.Contains(string(server.all), planted) {
			t.Errorf("%q was sent", planted)
		}
	}
	// Nor is a sign-in read for it, or what it keeps itself.
	v, _ := LookupVariant("antigravity")
	if found := f.SignIns(t.Context(), v); len(found) > 0 {
		t.Errorf("sign-ins: %v", found)
	}
	for c, err := range f.Caches(t.Context(), []Variant{v}) {
		t.Errorf("cache: %v, %v", c, err)
	}
}

// Beside the RPC ports, for HTTPS and HTTP, there is one that speaks another protocol.
func TestAntigravityPorts(t *testing.T) {
	t.Parallel()
	secure := serveAntigravity(t, appToken, sends{200, summaryBody}, sends{200, statusBody})
	secure.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
	secure.StartTLS()
	lsp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer lsp.Close()
	go func() { // ends when the listener closes
		for {
			conn, err := lsp.Accept()
			if err != nil {
				return
			}
			_ = conn.Close()
		}
	}()
	plain := startAntigravity(t, appToken, sends{200, summaryBody}, sends{200, statusBody})
	for name, urls := range map[string][]string{
		"https": {"tcp://" + lsp.Addr().String(), secure.URL}, "http": {"tcp://" + lsp.Addr().String(), plain.URL},
		"all": {secure.URL, "tcp://" + lsp.Addr().String(), plain.URL},
	} {
		sys := &fakeSystem{}
		sys.Add(appArgs, urls...)
		if got := told(antigravityAnswer(t.Context(), t, sys.finder(t))); got != bothBody {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// The app comes before the command line, and that before the IDE, whose answer holds
// the least. A command line without a token gives way.
func TestAntigravityPrefersTheApp(t *testing.T) {
	t.Parallel()
	works := startAntigravity(t, appToken, sends{200, summaryBody}, sends{200, statusBody})
	app := func(s *fakeSystem) { s.Add(appArgs, works.URL) }
	ide := func(s *fakeSystem) { s.Add("--app_data_dir antigravity-ide --csrf_token "+appToken, works.URL) }
	cli := func(s *fakeSystem) {
		s.AddProgram("/usr/local/bin/agy", []string{"--csrf_token", appToken}, works.URL)
	}
	mute := func(s *fakeSystem) { s.AddProgram("/usr/local/bin/agy", nil, works.URL) }
	const noToken = "no_token: agy runs, but since version 1.2.2 it keeps its access token to itself. " +
		"Turn on its status line with `windsock antigravity install`, or open the Antigravity app."
	for _, tt := range []struct {
		name string
		lay  []func(*fakeSystem)
		want string
	}{
		{"app_before_all", []func(*fakeSystem){app, cli, ide}, "Antigravity"},
		{"cli_before_ide", []func(*fakeSystem){cli, ide}, "Antigravity CLI"},
		{"ide_alone", []func(*fakeSystem){ide}, "Antigravity IDE"},
		{"mute_cli_gives_way", []func(*fakeSystem){ide, mute}, "Antigravity IDE"},
		{"mute_cli_alone", []func(*fakeSystem){mute}, noToken},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			sys := &fakeSystem{}
			for _, add := range tt.lay {
				add(sys)
			}
			got := antigravityAnswer(t.Context(), t, sys.finder(t))
			if told(got) != tt.want && (got.Failure != nil || got.Server.App != tt.want) {
				t.Errorf("%s from %+v", told(got), got.Server)
			}
		})
	}
}

// A server's errors of its first 15 seconds are waited out; those of an older one count.
func TestAntigravityStarting(t *testing.T) {
	t.Parallel()
	signedOut := `{"code":"internal","message":"You are not logged into Antigravity."}`
	var calls atomic.Int32
	server := startAntigravity(t, appToken, sends{500, signedOut}, sends{200, statusBody})
	later := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if path.Base(r.URL.Path) == methodSummary && calls.Add(1) == 1 {
			answer(w, 500, signedOut)
			return
		}
		answer(w, 200, summaryBody)
	}))
	t.Cleanup(later.Close)
	const starting = "no_port: Antigravity has just started, and its language server is not ready. Try again in a moment."
	for _, tt := range []struct {
		name, url, want string
		age             time.Duration
	}{
		{"young_and_soon_ready", later.URL, summaryBody, 3 * time.Second},
		{"young", server.URL, starting, 3 * time.Second},
		{"older", server.URL, "not_signed_in: Antigravity says that it is not signed in. Sign in to Antigravity, then try again.", 15 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			sys := &fakeSystem{}
			sys.Add(appArgs, tt.url)
			sys.Procs[0].Age, sys.Procs[0].Starting = tt.age, true
			if got := told(antigravityAnswer(t.Context(), t, sys.finder(t))); got != tt.want {
				t.Error(got)
			}
		})
	}
}

// restarted is a system whose second list has other processes than its first.
type restarted struct {
	fakeSystem

	looks  int
	second fakeSystem
}

func (r *restarted) Processes(ctx context.Context) ([]system.Process, error) {
	if r.looks++; r.looks > 1 {
		return r.second.Processes(ctx)
	}
	return r.fakeSystem.Processes(ctx)
}

func (r *restarted) Listeners(ctx context.Context, p system.Process) ([]netip.AddrPort, error) {
	return r.fakeSystem.Listeners(ctx, p)
}

// A refused token is refused for good only if a second look finds no other.
func TestAntigravityTokenIsLookedUpAgain(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		appToken: bothBody,
		"other": "rejected: The language server of Antigravity refuses the access token that it was started with. " +
			"Restart Antigravity and try again.",
	} {
		server := startAntigravity(t, appToken, sends{200, summaryBody}, sends{200, statusBody})
		sys := &restarted{}
		sys.Add("--app_data_dir antigravity --csrf_token old", server.URL)
		sys.second.Add("--app_data_dir antigravity --csrf_token "+name, server.URL)
		f := NewFinder(WithDirs(signin.Below(t.TempDir())), WithSystem(sys))
		if got := told(antigravityAnswer(t.Context(), t, f)); got != want || sys.looks != 2 {
			t.Errorf("after %d looks: %s", sys.looks, got)
		}
	}
}

// FuzzQuota: whatever the server sends, one JSON object stays one, with the summary as
// it was and nothing of the status but the account.
func FuzzQuota(f *testing.F) {
	f.Add([]byte(summaryBody), []byte(statusBody))
	f.Add([]byte(`{}`), []byte(`{"userStatus":{"email":1,"planStatus":[]}}`))
	f.Add([]byte(`{"code":16}`), []byte(`{"userStatus":null}`))
	f.Fuzz(func(t *testing.T, summary, status []byte) {
		_ = errorInside(summary)
		both := withStatus(summary, status)
		if !jsoncheck.Valid(summary) {
			if string(both) != string(summary) {
				t.Errorf("%q became %q", summary, both)
			}
			return
		}
		var before, after map[string]any
		if json.Unmarshal(summary, &before) != nil || before == nil {
			return
		}
		if err := json.Unmarshal(both, &after); err != nil {
			t.Fatalf("%q: %v", both, err)
		}
		if _, own := before["userStatus"]; !own {
			if account, ok := after["userStatus"].(map[string]any); ok {
				for name := range account {
					if !slices.Contains([]string{"email", "userTier", "planStatus"}, name) {
						t.Errorf("%q is kept", name)
					}
				}
			}
			delete(after, "userStatus")
		}
		if diff := cmp.Diff(before, after); diff != "" {
			t.Error(diff)
		}
	})
}
