package cloud

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/probe/probetest"
)

const (
	usToken     = "devin-session-token$us"
	euToken     = "devin-session-token$eu"
	cursorToken = "eyJhbGciOiJub25lIn0.cursor.sig"
	seat        = "/exa.seat_management_pb.SeatManagementService/"
	board       = "/aiserver.v1.DashboardService/"
)

func start(t *testing.T, accounts ...Account) *Server {
	t.Helper()
	now := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
	s, err := New(Config{Accounts: accounts, Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// A question is a request as a client without any code of Windsock's writes it.
type question struct {
	method, url, body string
	header            map[string]string
}

// planOf asks for a plan's status, userOf for a user's.
func planOf(host, token string) question {
	return question{http.MethodPost, "https://" + host + seat + "GetPlanStatus", "{}", map[string]string{"X-Auth-Token": token}}
}

func userOf(host, token string) question {
	return question{
		http.MethodPost, "https://" + host + seat + "GetUserStatus",
		`{"metadata":{"apiKey":"` + token + `","ideName":"windsock","ideVersion":"1.0.0","extensionName":"windsock","extensionVersion":"1.0.0","locale":"en"}}`, nil,
	}
}

func cursorOf(method, token, body string) question {
	return question{http.MethodPost, "https://api2.cursor.sh" + board + method, body, map[string]string{"Authorization": "Bearer " + token}}
}

func (q question) with(name, value string) question {
	q.header = maps.Clone(q.header)
	q.header[name] = value
	return q
}

func (q question) at(url string) question {
	q.url = url
	return q
}

// ask asks once, without following a redirect.
func ask(ctx context.Context, s *Server, q question) (int, http.Header, string, error) {
	request, err := http.NewRequestWithContext(ctx, q.method, q.url, strings.NewReader(q.body))
	if err != nil {
		return 0, nil, "", err
	}
	if q.method == http.MethodPost {
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Connect-Protocol-Version", "1")
	}
	request.Header.Set("User-Agent", "windsock/1.0")
	for name, value := range q.header {
		request.Header.Set(name, value)
	}
	transport := s.Transport()
	defer transport.CloseIdleConnections()
	client := http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Do(request)
	if err != nil {
		return 0, nil, "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return response.StatusCode, response.Header, string(body), err
}

// TestAnswers compares whole answers with testdata/<name>.json; the models are left out.
func TestAnswers(t *testing.T) {
	t.Parallel()
	cursor := func(scenario string) Account { return Account{Token: cursorToken, Cursor: scenario} }
	usage := question{http.MethodGet, "https://api2.cursor.sh/auth/usage", "", map[string]string{"Authorization": "Bearer " + cursorToken}}
	tests := []struct {
		name string
		of   Account
		ask  question
	}{
		{"plan_quota", Account{Token: usToken, Windsurf: "quota_weekly_exhausted"}, planOf(hostUS, usToken)},
		{"plan_on_top", Account{Token: usToken, Windsurf: "quota_plan_on_top"}, planOf(hostSelfServe, usToken)},
		{"plan_top_up", Account{Token: usToken, Windsurf: "exhausted"}, question{
			http.MethodPost, "https://" + hostUS + seat + "GetPlanStatus", `{"include_top_up_status":true}`, map[string]string{"X-Auth-Token": usToken},
		}},
		{"plan_without_top_up", Account{Token: usToken, Windsurf: "exhausted"}, planOf(hostUS, usToken)},
		{"user", Account{Token: euToken, Host: "eu.windsurf.com", Windsurf: "acu", Owner: "sam"}, userOf("eu.windsurf.com/_route/api_server", euToken)},
		{"cursor_individual", cursor("individual"), cursorOf("GetCurrentPeriodUsage", cursorToken, "{}")},
		{"cursor_free", cursor("free"), cursorOf("GetCurrentPeriodUsage", cursorToken, "{}")},
		{"cursor_on_demand_capped", cursor("on_demand_capped"), cursorOf("GetCurrentPeriodUsage", cursorToken, "{}")},
		{"cursor_sentinel", cursor("team_sentinel"), cursorOf("GetCurrentPeriodUsage", cursorToken, "{}")},
		{"cursor_teams", cursor("team_sentinel"), cursorOf("GetTeams", cursorToken, "{}")},
		{"cursor_seat", cursor("team_sentinel"), cursorOf("GetCurrentPeriodUsage", cursorToken, `{"teamId":4711}`)},
		{"cursor_no_teams", cursor("individual"), cursorOf("GetTeams", cursorToken, "{}")},
		{"cursor_plan", cursor("individual"), cursorOf("GetPlanInfo", cursorToken, "{}")},
		{"cursor_limit_off", cursor("individual"), cursorOf("GetHardLimit", cursorToken, "{}")},
		{"cursor_limit_on", cursor("on_demand"), cursorOf("GetHardLimit", cursorToken, "{}")},
		{"cursor_requests", cursor("requests"), usage},
		{"cursor_requests_frozen", cursor("individual"), usage},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := start(t, tt.of)
			status, header, body, err := ask(t.Context(), s, tt.ask)
			if err != nil || status != http.StatusOK || header.Get("Content-Type") != "application/json" {
				t.Fatalf("status %d, %v, %v: %s", status, header, err, body)
			}
			var answer map[string]any
			if err := json.Unmarshal([]byte(body), &answer); err != nil {
				t.Fatal(err)
			}
			if user, ok := answer["userStatus"].(map[string]any); ok {
				delete(user, "cascadeModelConfigData")
			}
			text, err := json.MarshalIndent(answer, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			probetest.Golden(t, tt.name+".json", append(text, '\n'))
			if found := s.Requests()[0].Violations; found != nil {
				t.Errorf("violations %q", found)
			}
		})
	}
}

// TestRefusals covers what the services do not answer, and what of it is the client's
// fault.
func TestRefusals(t *testing.T) {
	t.Parallel()
	const eu = "eu.windsurf.com/_route/api_server"
	plan, user, period := planOf(hostUS, usToken), userOf(hostUS, usToken), cursorOf("GetCurrentPeriodUsage", cursorToken, "{}")
	tests := []struct {
		name       string
		ask        question
		status     int
		body       string // a part of it
		violations []string
	}{
		{"unknown_token", planOf(hostUS, "devin-session-token$gone"), 401, `"unauthenticated"`, nil},
		{"no_token", question{method: http.MethodPost, url: plan.url, body: "{}"}, 401, `"unauthenticated"`, nil},
		{"authorization", plan.with("Authorization", "Bearer "+usToken), 401, "bad Authorization header", []string{"header Authorization", "a token in several places"}},
		{"key_in_a_header", question{http.MethodPost, user.url, "{}", map[string]string{"X-Api-Key": usToken}}, 400, "invalid_argument", []string{"header X-Api-Key"}},
		{"no_key", question{method: http.MethodPost, url: user.url, body: "{}"}, 400, "invalid_argument", nil},
		{"no_versions", question{method: http.MethodPost, url: user.url, body: `{"metadata":{"apiKey":"` + usToken + `"}}`}, 400, "versions are required", nil},
		{"no_json", question{http.MethodPost, plan.url, "?", plan.header}, 400, "invalid_argument", nil},
		{"cookie", plan.with("Cookie", "a=b"), 400, "invalid_argument", []string{"header Cookie"}},
		{"other_program", plan.with("User-Agent", "curl/8"), 200, "planStatus", []string{"user agent curl/8"}},
		{"more_headers", plan.with("X-Session-Id", "1"), 200, "planStatus", []string{"header X-Session-Id"}},
		{"key_in_the_path", plan.at(plan.url + "?" + usToken), 200, "planStatus", []string{"a token in several places"}},
		{"us_key_in_europe", planOf(eu, usToken), 500, "failed to validate Devin token", []string{"a token at another account's host"}},
		{"european_key_in_the_us", planOf(hostUS, euToken), 403, "permission_denied", []string{"a token at another account's host"}},
		{"path_without_prefix", planOf("eu.windsurf.com", euToken), 404, "404 page not found", nil},
		{"prefix_in_the_us", planOf(hostUS+"/_route/api_server", usToken), 404, "404 page not found", nil},
		{"other_method", plan.at("https://" + hostUS + "/exa.language_server_pb.LanguageServerService/GetUserStatus"), 404, "404 page not found", nil},
		{"get", question{method: http.MethodGet, url: plan.url, header: plan.header}, 405, "", nil},
		{"protobuf", plan.with("Content-Type", "application/proto"), 415, "", nil},
		{"cursor_unknown_token", cursorOf("GetPlanInfo", "gone", "{}"), 401, "ERROR_NOT_LOGGED_IN", nil},
		{"cursor_cookie", period.with("Cookie", "WorkosCursorSessionToken=u%3A%3A"+cursorToken), 400, "invalid_argument", []string{"header Cookie", "a token in several places"}},
		{"cursor_checksum", period.with("X-Cursor-Checksum", "1"), 200, "planUsage", []string{"header X-Cursor-Checksum"}},
		{"cursor_other_team", cursorOf("GetCurrentPeriodUsage", cursorToken, `{"teamId":1}`), 400, "invalid_argument", nil},
		{"cursor_spend", cursorOf("GetTeamSpend", cursorToken, "{}"), 404, "", nil},
		{"cursor_get", question{http.MethodGet, period.url, "", period.header}, 405, "", nil},
		{"cursor_chat", period.at("https://api2.cursor.sh/aiserver.v1.ChatService/StreamUnifiedChatWithTools"), 404, "", nil},
		{"windsurf_token_at_cursor", cursorOf("GetPlanInfo", usToken, "{}"), 401, "ERROR_NOT_LOGGED_IN", []string{"a token at another account's host"}},
		{"dashboard_of_cursor", period.at("https://cursor.com/api/usage-summary"), 404, "", []string{"header Authorization", "a token at a foreign host"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := start(t, Account{Token: usToken, Windsurf: "quota_fresh"},
				Account{Token: euToken, Host: "eu.windsurf.com", Windsurf: "acu"}, Account{Token: cursorToken, Cursor: "individual"})
			status, _, body, err := ask(t.Context(), s, tt.ask)
			if err != nil || status != tt.status || !strings.Contains(body, tt.body) {
				t.Errorf("status %d, %v: %s", status, err, body)
			}
			if diff := cmp.Diff(tt.violations, s.Requests()[0].Violations); diff != "" {
				t.Errorf("violations (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	body := func(part string) func(*testing.T, int, http.Header, string, error) {
		return func(t *testing.T, status int, _ http.Header, body string, err error) {
			t.Helper()
			if err != nil || !strings.Contains(body, part) {
				t.Errorf("status %d, %v: %.200s", status, err, body)
			}
		}
	}
	header := func(status int, name, value string) func(*testing.T, int, http.Header, string, error) {
		return func(t *testing.T, got int, h http.Header, body string, err error) {
			t.Helper()
			if err != nil || got != status || h.Get(name) != value {
				t.Errorf("status %d, %v, %v: %.200s", got, h, err, body)
			}
		}
	}
	fails := func(part string) func(*testing.T, int, http.Header, string, error) {
		return func(t *testing.T, status int, _ http.Header, _ string, err error) {
			t.Helper()
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("status %d, error %v, want one with %q", status, err, part)
			}
		}
	}
	size := func(atLeast int) func(*testing.T, int, http.Header, string, error) {
		return func(t *testing.T, _ int, _ http.Header, body string, err error) {
			t.Helper()
			if err != nil || len(body) < atLeast {
				t.Errorf("%d bytes, %v", len(body), err)
			}
		}
	}
	checks := map[Fault]func(*testing.T, int, http.Header, string, error){
		FaultOffline:       fails("EOF"),
		FaultProxyLogin:    fails("Proxy Authentication Required"),
		FaultUntrusted:     fails("unknown authority"),
		FaultInvalid:       body(`"invalid_argument"`),
		FaultNotKnown:      header(401, "Content-Type", "application/json"),
		FaultErrorIn200:    body(`"unauthenticated"`),
		FaultCanceled:      body("has been canceled"),
		FaultDisabled:      body("Disabled by Team"),
		FaultForbidden:     header(403, "Content-Type", "application/json"),
		FaultNoMethod:      header(404, "Content-Type", "text/plain; charset=utf-8"),
		FaultUnimplemented: body("unimplemented"),
		FaultTooMany:       header(429, "Retry-After", "120"),
		FaultTooManyUntil:  header(429, "Retry-After", "Mon, 23 Nov 2026 09:05:00 GMT"),
		FaultInternal:      header(500, "Content-Type", "text/plain; charset=utf-8"),
		FaultUnavailable:   header(503, "Content-Type", "text/html"),
		FaultRedirect:      header(307, "Location", "https://login.example.net"+seat+"GetPlanStatus"),
		FaultPage:          header(200, "Content-Type", "text/html"),
		FaultEmpty:         body("{}"),
		FaultCutOff:        body(`"planName":"Pr`),
		FaultHuge:          size(2 << 20),
		FaultBomb:          size(16 << 20),
		FaultDrip:          fails("deadline"),
		FaultHang:          fails("deadline"),
	}
	for _, fault := range Faults() {
		t.Run(string(fault), func(t *testing.T) {
			t.Parallel()
			s := start(t, Account{Token: usToken, Windsurf: "quota_fresh"})
			if err := s.Fail(fault, ""); err != nil {
				t.Fatal(err)
			}
			ctx := t.Context()
			if fault == FaultDrip || fault == FaultHang {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, 300*time.Millisecond)
				defer cancel()
			}
			status, h, text, err := ask(ctx, s, planOf(hostUS, usToken))
			checks[fault](t, status, h, text, err)
			if err := s.Fail(FaultNone, ""); err != nil {
				t.Fatal(err)
			}
			if status, _, text, err := ask(t.Context(), s, planOf(hostUS, usToken)); err != nil || status != http.StatusOK {
				t.Errorf("after the fault: status %d, %v: %s", status, err, text)
			}
		})
	}
}

// A fault may affect one method alone.
func TestFaultOfOneMethod(t *testing.T) {
	t.Parallel()
	s := start(t, Account{Token: usToken, Windsurf: "quota_fresh"})
	if err := s.Fail(FaultNoMethod, "GetPlanStatus"); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		ask  question
		want int
	}{{planOf(hostUS, usToken), 404}, {userOf(hostUS, usToken), 200}} {
		if status, _, _, err := ask(t.Context(), s, tt.ask); err != nil || status != tt.want {
			t.Errorf("%s: status %d, %v, want %d", tt.ask.url, status, err, tt.want)
		}
	}
	if err := s.Fail("rust", ""); err == nil {
		t.Error("an unknown fault is taken")
	}
}

// A client that follows a redirect is seen to carry its token there.
func TestTrap(t *testing.T) {
	t.Parallel()
	s := start(t, Account{Token: usToken, Windsurf: "quota_fresh"})
	if err := s.Fail(FaultRedirect, "GetUserStatus"); err != nil {
		t.Fatal(err)
	}
	_, h, _, err := ask(t.Context(), s, userOf(hostUS, usToken))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Fail(FaultNone, ""); err != nil {
		t.Fatal(err)
	}
	if status, _, _, err := ask(t.Context(), s, userOf(hostUS, usToken).at(h.Get("Location"))); err != nil || status != http.StatusNotFound {
		t.Errorf("status %d, %v", status, err)
	}
	last := s.Requests()[1]
	want := Request{Host: TrapHost, Method: "GetUserStatus", Token: usToken, Sent: last.Sent, Violations: []string{"a token at a foreign host"}}
	if diff := cmp.Diff(want, last); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A token dies, and a test that renews it at that moment is told of it.
func TestRevoked(t *testing.T) {
	t.Parallel()
	var s *Server
	told := 0
	s, err := New(Config{
		Accounts: []Account{{Token: usToken, Windsurf: "quota_fresh"}},
		Refused: func() {
			told++
			if err := s.Open(Account{Token: euToken, Windsurf: "quota_fresh"}); err != nil {
				t.Error(err)
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	s.Revoke(usToken)
	var got []int
	for _, token := range []string{usToken, euToken, usToken} {
		status, _, _, err := ask(t.Context(), s, planOf(hostUS, token))
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, status)
	}
	if diff := cmp.Diff([]int{401, 200, 401}, got); diff != "" || told != 2 {
		t.Errorf("told %d times, statuses (-want +got):\n%s", told, diff)
	}
}

// A test may know what was told: what the client gets, with the token and the method.
func TestTold(t *testing.T) {
	t.Parallel()
	var told []string
	s, err := New(Config{
		Accounts: []Account{{Token: usToken, Windsurf: "quota_fresh"}},
		Told:     func(token, method string, answer []byte) { told = append(told, token+" "+method+" "+string(answer)) },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	_, _, body, err := ask(t.Context(), s, planOf(hostUS, usToken))
	if want := []string{usToken + " GetPlanStatus " + body}; err != nil || !slices.Equal(want, told) {
		t.Errorf("%v, told %q, want %q", err, told, want)
	}
	told = nil
	if err := s.Fail(FaultPage, ""); err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := ask(t.Context(), s, planOf(hostUS, usToken)); err != nil || told != nil {
		t.Errorf("%v, of a fault told %q", err, told)
	}
}

// A test may answer itself.
func TestAnswerOfTheTest(t *testing.T) {
	t.Parallel()
	s, err := New(Config{
		Accounts: []Account{{Token: usToken, Windsurf: "quota_fresh"}},
		Answer: func(w http.ResponseWriter, r *http.Request) bool {
			if !strings.HasSuffix(r.URL.Path, "/GetPlanStatus") {
				return false
			}
			if body, err := io.ReadAll(r.Body); err == nil && string(body) == "{}" {
				w.WriteHeader(http.StatusTeapot)
			}
			return true
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, tt := range []struct {
		ask  question
		want int
	}{{planOf(hostUS, usToken), http.StatusTeapot}, {userOf(hostUS, usToken), http.StatusOK}} {
		if status, _, _, err := ask(t.Context(), s, tt.ask); err != nil || status != tt.want {
			t.Errorf("%s: status %d, %v, want %d", tt.ask.url, status, err, tt.want)
		}
	}
}

// The proxy leads to port 443 by CONNECT, and to nothing else.
func TestProxy(t *testing.T) {
	t.Parallel()
	s := start(t, Account{Token: cursorToken, Cursor: "individual"})
	if status, _, body, err := ask(t.Context(), s, cursorOf("GetPlanInfo", cursorToken, "{}")); err != nil || status != http.StatusOK {
		t.Errorf("status %d, %v: %s", status, err, body)
	}
	if _, _, _, err := ask(t.Context(), s, planOf(hostUS+":8443", usToken)); err == nil || !strings.Contains(err.Error(), "Forbidden") {
		t.Errorf("port 8443: %v", err)
	}
	if status, _, _, err := ask(t.Context(), s, question{method: http.MethodGet, url: "http://example.com/"}); err != nil || status != http.StatusMethodNotAllowed {
		t.Errorf("without TLS: status %d, %v", status, err)
	}
	want := []string{"api2.cursor.sh:443", hostUS + ":8443", "http://example.com/"}
	if diff := cmp.Diff(want, s.Asked()); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
}

// Another program reaches the services by its environment and the root's file.
func TestCurl(t *testing.T) {
	t.Parallel()
	probetest.NeedTools(t, "curl")
	s := start(t, Account{Token: usToken, Windsurf: "quota_fresh"})
	root := filepath.Join(t.TempDir(), "root.pem")
	if err := os.WriteFile(root, s.Root(), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "curl", "-sS", "--cacert", root, "-H", "Content-Type: application/json", "-H", "X-Auth-Token: "+usToken,
		"-d", "{}", "https://"+hostUS+seat+"GetPlanStatus")
	cmd.Env = []string{"HTTPS_PROXY=" + s.ProxyURL()}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if out, err := cmd.Output(); err != nil || !bytes.Contains(out, []byte(`"planName"`)) {
		t.Errorf("%v\n%s%s", err, out, stderr.String())
	}
}

func TestNewUnknownScenario(t *testing.T) {
	t.Parallel()
	for _, a := range []Account{{Token: "t", Windsurf: "riches"}, {Token: "t", Cursor: "riches"}, {Token: "t"}} {
		if s, err := New(Config{Accounts: []Account{a}}); err == nil {
			s.Close()
			t.Errorf("New took %+v", a)
		}
	}
}

// Close ends a request that waits.
func TestClose(t *testing.T) {
	t.Parallel()
	s := start(t)
	if err := s.Fail(FaultHang, ""); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		_, _, _, err := ask(t.Context(), s, planOf(hostUS, usToken))
		ended <- err
	}()
	for len(s.Requests()) == 0 {
		select {
		case err := <-ended:
			t.Fatal(err)
		case <-time.After(time.Millisecond):
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := <-ended; err == nil || errors.Is(err, tls.RecordHeaderError{}) {
		t.Errorf("error %v", err)
	}
}
