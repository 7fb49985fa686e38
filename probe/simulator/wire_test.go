package simulator

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"

	pb "windsock/probe/languageserver"
	"windsock/probe/probetest"
	"windsock/probe/simulator/account"
)

// These tests send bodies written by hand, so that their proof does not rest on the
// generated code of the server.

var testTime = time.Date(2026, 2, 3, 10, 0, 0, 0, time.UTC)

func start(t *testing.T, cfg Config) *Server {
	t.Helper()
	s, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve(context.Background()) }()
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
		if err := <-served; err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	return s
}

const servicePath = "/exa.language_server_pb.LanguageServerService/"

// keyed is a request of GetUserStatus in the form that other clients send.
func keyed(key string) string {
	return `{"metadata":{"apiKey":"` + key + `","ideName":"windsurf","ideVersion":"3.4.27",` +
		`"extensionName":"windsurf","extensionVersion":"3.4.27"},"unknown":{"a":[1]}}`
}

type answer struct {
	Status int
	Type   string
	Body   string
}

// call posts JSON the way curl would.
func call(t *testing.T, s *Server, method, token, body string) answer {
	t.Helper()
	return send(t, s, http.MethodPost, servicePath+method, token, "application/json", body)
}

func send(t *testing.T, s *Server, verb, path, token, contentType, body string) answer {
	t.Helper()
	res, err := try(t, s, verb, path, token, contentType, body)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func try(t *testing.T, s *Server, verb, path, token, contentType, body string) (answer, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), verb, s.URL()+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	if token != "" {
		req.Header.Set("X-Codeium-Csrf-Token", token)
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	defer transport.CloseIdleConnections()
	res, err := (&http.Client{Transport: transport}).Do(req)
	if err != nil {
		return answer{}, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	return answer{res.StatusCode, res.Header.Get("Content-Type"), string(text)}, err
}

// code is the error code of an answer in Connect form.
func (a answer) code(t *testing.T) string {
	t.Helper()
	var e struct{ Code string }
	if err := json.Unmarshal([]byte(a.Body), &e); err != nil {
		t.Fatalf("not in connect form: %d %.80q", a.Status, a.Body)
	}
	return e.Code
}

// withoutModels is the answer's body as a map, without spacing and model list.
func (a answer) withoutModels(t *testing.T) map[string]any {
	t.Helper()
	var body map[string]any
	if err := json.Unmarshal([]byte(a.Body), &body); err != nil {
		t.Fatalf("not json: %d %.80q", a.Status, a.Body)
	}
	if status, ok := body["userStatus"].(map[string]any); ok {
		delete(status, "cascadeModelConfigData")
	}
	return body
}

func TestConnectJSON(t *testing.T) {
	t.Parallel()
	s := start(t, Config{Token: "t", At: testTime, Scenario: "quota_weekly_exhausted"})
	got := call(t, s, "GetUserStatus", "t", keyed("k"))
	if got.Status != 200 || got.Type != "application/json" {
		t.Fatalf("answer = %d %s", got.Status, got.Type)
	}
	status, _ := got.withoutModels(t)["userStatus"].(map[string]any)
	plan, _ := status["planStatus"].(map[string]any)
	delete(plan, "planInfo")
	want := map[string]any{
		"planStart": "2026-01-22T10:00:00Z", "planEnd": "2026-02-22T10:00:00Z",
		"availablePromptCredits": -1.0, "availableFlowCredits": -1.0, "availableFlexCredits": -1.0,
		"gracePeriodStatus":          "GRACE_PERIOD_STATUS_NONE",
		"dailyQuotaRemainingPercent": 100.0, // and no weekly one: it is 0
		"overageBalanceMicros":       "964220000",
		"dailyQuotaResetAtUnix":      fmt.Sprint(testTime.Add(12 * time.Hour).Unix()),
		"weeklyQuotaResetAtUnix":     fmt.Sprint(testTime.Add(84 * time.Hour).Unix()),
	}
	if diff := cmp.Diff(want, plan); diff != "" {
		t.Errorf("plan status (-want +got):\n%s", diff)
	}
}

func TestWithoutKey(t *testing.T) {
	t.Parallel()
	s := start(t, Config{Token: "t", At: testTime})
	for method, want := range map[string]map[string]any{
		"GetUnleashData": {"context": map[string]any{
			"sessionId":  "5f2c9d0e-0000-4000-8000-73696d756c61",
			"properties": map[string]any{"ide": "windsurf", "ideVersion": "3.4.27"},
		}},
	} {
		got := call(t, s, method, "t", "{}")
		if diff := cmp.Diff(want, got.withoutModels(t)); diff != "" || got.Status != 200 {
			t.Errorf("%s: %d (-want +got):\n%s", method, got.Status, diff)
		}
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	const status = servicePath + "GetUserStatus"
	tests := []struct {
		name                          string
		verb, path, token, kind, body string
		wantStatus                    int
		wantCode                      string // empty: not in Connect form
	}{
		{"get", http.MethodGet, status, "t", "", "", 405, ""},
		{"get_without_token", http.MethodGet, status, "", "", "", 405, ""},
		{"content_type", http.MethodPost, status, "t", "text/plain", "{}", 415, ""},
		{"content_type_without_token", http.MethodPost, status, "", "text/plain", "{}", 415, ""},
		{"streaming_as_unary", http.MethodPost, status, "t", "application/connect+json", "{}", 415, ""},
		{"unknown_method", http.MethodPost, servicePath + "GetTea", "t", "application/json", "{}", 404, ""},
		{"unknown_service", http.MethodPost, "/", "t", "application/json", "{}", 404, ""},
		{"no_token", http.MethodPost, status, "", "application/json", keyed("k"), 403, "permission_denied"},
		{"other_token", http.MethodPost, status, "T", "application/json", keyed("k"), 403, "permission_denied"},
		{"other_token_and_bad_body", http.MethodPost, status, "T", "application/json", "{", 403, "permission_denied"},
		{"bad_body", http.MethodPost, status, "t", "application/json", "{", 400, "invalid_argument"},
		{"wrong_type_in_body", http.MethodPost, status, "t", "application/json", `{"metadata":7}`, 400, "invalid_argument"},
		{"no_key", http.MethodPost, status, "t", "application/json", "{}", 401, "unauthenticated"},
		{"refused_key", http.MethodPost, status, "t", "application/json", keyed("old"), 401, "unauthenticated"},
	}
	s := start(t, Config{Token: "t", RefusedKeys: []string{"old"}})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := send(t, s, tt.verb, tt.path, tt.token, tt.kind, tt.body)
			if got.Status != tt.wantStatus {
				t.Errorf("status = %d, want %d", got.Status, tt.wantStatus)
			}
			if tt.wantCode == "" {
				if json.Valid([]byte(got.Body)) && got.Body != "" {
					t.Errorf("body is in connect form: %.80q", got.Body)
				}
				return
			}
			if code := got.code(t); code != tt.wantCode {
				t.Errorf("code = %q, want %q", code, tt.wantCode)
			}
		})
	}
}

// protocols over one port, in clear and in TLS.
func TestProtocols(t *testing.T) {
	t.Parallel()
	for _, secure := range []bool{false, true} {
		s := start(t, Config{Token: "t", TLS: secure, At: testTime})
		for _, tt := range []struct {
			name    string
			http2   bool
			options []connect.ClientOption
		}{
			{"connect_json_http1", false, []connect.ClientOption{connect.WithProtoJSON()}},
			{"connect_proto_http1", false, nil},
			{"connect_gzip_http1", false, []connect.ClientOption{connect.WithSendGzip()}},
			{"connect_json_http2", true, []connect.ClientOption{connect.WithProtoJSON()}},
			{"grpc_http2", true, []connect.ClientOption{connect.WithGRPC()}},
			{"grpc_gzip_http2", true, []connect.ClientOption{connect.WithGRPC(), connect.WithSendGzip()}},
			{"grpc_web_http1", false, []connect.ClientOption{connect.WithGRPCWeb()}},
		} {
			t.Run(fmt.Sprintf("%s_tls_%v", tt.name, secure), func(t *testing.T) {
				transport := &http.Transport{
					TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, Protocols: new(http.Protocols),
				}
				defer transport.CloseIdleConnections()
				transport.Protocols.SetHTTP1(!tt.http2)
				transport.Protocols.SetHTTP2(tt.http2)
				transport.Protocols.SetUnencryptedHTTP2(tt.http2)
				client := pb.NewLanguageServerServiceClient(&http.Client{Transport: transport}, s.URL(), tt.options...)

				before := len(s.Keys())
				req := connect.NewRequest(&pb.GetUserStatusRequest{Metadata: &pb.Metadata{ApiKey: tt.name}})
				req.Header().Set("x-codeium-csrf-token", "t")
				res, err := client.GetUserStatus(t.Context(), req)
				if err != nil {
					t.Fatal(err)
				}
				want := account.Scenarios()[0].Answer(account.Clock{Start: testTime, Now: testTime}, "")
				if !proto.Equal(res.Msg, want) {
					t.Errorf("answer differs: plan = %v", res.Msg.GetUserStatus().GetPlanStatus())
				}
				if got := s.Keys()[before:]; !cmp.Equal(got, []string{tt.name}) {
					t.Errorf("keys seen = %q", got)
				}

				req.Header().Set("x-codeium-csrf-token", "T")
				if _, err = client.GetUserStatus(t.Context(), req); connect.CodeOf(err) != connect.CodePermissionDenied {
					t.Errorf("other token: %v", err)
				}
			})
		}
	}
}

func TestModelListSize(t *testing.T) {
	t.Parallel()
	s := start(t, Config{Token: "t"})
	body := call(t, s, "GetUserStatus", "t", keyed("k")).Body
	if got, want := float64(len(body)), 150e3; got < 0.9*want || got > 1.1*want {
		t.Errorf("answer has %.0f bytes, want %.0f ±10 %%", got, want)
	}
	seen := map[string]bool{}
	for _, m := range account.Models().GetClientModelConfigs() {
		for _, name := range []string{"label " + m.GetLabel(), "uid " + m.GetModelUid()} {
			if seen[name] {
				t.Errorf("twice: %s", name)
			}
			seen[name] = true
		}
	}
	for _, sort := range account.Models().GetClientModelSorts() {
		for _, group := range sort.GetGroups() {
			for _, label := range group.GetModelLabels() {
				if !seen["label "+label] {
					t.Errorf("sorted, but not there: %s", label)
				}
			}
		}
	}
}

func TestCallsAndKeys(t *testing.T) {
	t.Parallel()
	s := start(t, Config{Token: "t"})
	call(t, s, "GetUnleashData", "t", "{}")
	call(t, s, "GetUserStatus", "t", keyed("right"))
	call(t, s, "GetUserStatus", "T", keyed("to the wrong server"))
	call(t, s, "CheckUserMessageRateLimit", "t", `{"metadata":{"api_key":"snake"}}`)
	want := []Call{
		{RPC: "GetUnleashData"},
		{RPC: "GetUserStatus", Key: "right"},
		{RPC: "GetUserStatus", Key: "to the wrong server"},
		{RPC: "CheckUserMessageRateLimit", Key: "snake"},
	}
	if diff := cmp.Diff(want, s.Calls()); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"right", "to the wrong server", "snake"}, s.Keys()); diff != "" {
		t.Errorf("keys (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]int{"GetUnleashData": 1, "GetUserStatus": 2, "CheckUserMessageRateLimit": 1}, s.Count()); diff != "" {
		t.Errorf("count (-want +got):\n%s", diff)
	}
}

// The other port accepts everything, answers nothing, and records what it was sent.
func TestLSPPort(t *testing.T) {
	t.Parallel()
	s := start(t, Config{Token: "t"})
	var dialer net.Dialer
	conn, err := dialer.DialContext(t.Context(), "tcp", fmt.Sprintf("127.0.0.1:%d", s.LSPPort()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "POST / HTTP/1.1\r\nHost: x\r\n\r\n%s", keyed("stray"))
	probetest.Eventually(t, "the call", func() bool { return len(s.Keys()) > 0 })
	conn.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
	if n, err := conn.Read(make([]byte, 1)); n != 0 || !isTimeout(err) {
		t.Errorf("it answered: %d bytes, %v", n, err)
	}
	if diff := cmp.Diff([]Call{{RPC: "lsp", Key: "stray"}}, s.Calls()); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

func isTimeout(err error) bool {
	netErr, ok := err.(net.Error) //nolint:errorlint // net's own, unwrapped
	return ok && netErr.Timeout()
}

// In a time-lapse, late on the second day the quota is used up and hence not sent, and
// the dates have moved on.
func TestLapseOnTheWire(t *testing.T) {
	t.Parallel()
	began := testTime.Add(-2400 * time.Hour)
	s := start(t, Config{
		Token: "t", Scenario: "quota_fresh", Now: func() time.Time { return began.Add(time.Hour) },
		Lapse: account.Lapse{Start: began, Speed: 46}, // the first reset was after 23 hours
	})
	answer := call(t, s, "GetUserStatus", "t", keyed("k")).withoutModels(t)
	plan := answer["userStatus"].(map[string]any)["planStatus"].(map[string]any)
	delete(plan, "planInfo")
	want := map[string]any{
		"planStart": began.Add(-12 * 24 * time.Hour).Format(time.RFC3339), "planEnd": began.Add(19 * 24 * time.Hour).Format(time.RFC3339),
		"availablePromptCredits": -1.0, "availableFlowCredits": -1.0, "availableFlexCredits": -1.0,
		"gracePeriodStatus":           "GRACE_PERIOD_STATUS_NONE",
		"weeklyQuotaRemainingPercent": 60.0,
		"dailyQuotaResetAtUnix":       unix(began.Add(47 * time.Hour)),
		"weeklyQuotaResetAtUnix":      unix(began.Add(164 * time.Hour)),
	}
	if diff := cmp.Diff(want, plan); diff != "" {
		t.Errorf("plan status (-want +got):\n%s", diff)
	}
}

func unix(t time.Time) string { return strconv.FormatInt(t.Unix(), 10) }
