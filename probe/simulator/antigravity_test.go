package simulator

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"

	pb "windsock/probe/languageserver"
)

// bucketsOf are the fractions and the resets of a summary, by the bucket's id. An
// absent fraction is -1.
func (a answer) bucketsOf(t *testing.T) map[string][2]any {
	t.Helper()
	var body struct {
		Response struct {
			Groups []struct {
				Buckets []struct {
					BucketID, ResetTime string
					RemainingFraction   *float64
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(a.Body), &body); err != nil || a.Status != http.StatusOK {
		t.Fatalf("%d %.200q: %v", a.Status, a.Body, err)
	}
	found := map[string][2]any{}
	for _, group := range body.Response.Groups {
		for _, b := range group.Buckets {
			left := -1.0
			if b.RemainingFraction != nil {
				left = *b.RemainingFraction
			}
			found[b.BucketID] = [2]any{left, b.ResetTime}
		}
	}
	return found
}

// The reset of a quota in use stands still, that of an unused one goes with the clock.
func TestAntigravitySummary(t *testing.T) {
	t.Parallel()
	now := testTime
	s := start(t, Config{Token: "t", Antigravity: AntigravityApp, Now: func() time.Time { return now }})
	ask := func() map[string][2]any { return call(t, s, methodSummary, "t", "{}").bucketsOf(t) }
	want := map[string][2]any{
		"gemini-weekly": {0.856594, "2026-02-10T08:00:00Z"},
		"gemini-5h":     {0.619567, "2026-02-03T13:00:00Z"},
		"3p-weekly":     {1.0, "2026-02-10T10:00:00Z"},
		"3p-5h":         {1.0, "2026-02-03T15:00:00Z"},
	}
	if diff := cmp.Diff(want, ask()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	now = now.Add(time.Hour)
	want["3p-weekly"] = [2]any{1.0, "2026-02-10T11:00:00Z"}
	want["3p-5h"] = [2]any{1.0, "2026-02-03T16:00:00Z"}
	if diff := cmp.Diff(want, ask()); diff != "" {
		t.Errorf("an hour later (-want +got):\n%s", diff)
	}
	if err := s.Set("exhausted", FaultNone); err != nil {
		t.Fatal(err)
	}
	if got := ask()["gemini-5h"][0]; got != 0.0 {
		t.Errorf("used up: %v left", got)
	}
	if err := s.Set("five_buckets", FaultNone); err != nil {
		t.Fatal(err)
	}
	if got := ask(); len(got) != 5 {
		t.Errorf("five buckets: %v", got)
	}
}

// The status has five-hour quotas only, leaves a zero out, and is long.
func TestAntigravityStatus(t *testing.T) {
	t.Parallel()
	s := start(t, Config{Token: "t", At: testTime, Antigravity: AntigravityIDE, Scenario: "exhausted", Account: "sam"})
	got := call(t, s, methodStatus, "t", "{}")
	if size := len(got.Body); size < 100_000 || size > 200_000 {
		t.Errorf("%d bytes", size)
	}
	var body struct {
		UserStatus struct {
			Email                  string
			UserTier               struct{ Name string }
			CascadeModelConfigData struct {
				ClientModelConfigs []struct {
					Label     string
					QuotaInfo map[string]any
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(got.Body), &body); err != nil {
		t.Fatal(err)
	}
	told := []any{body.UserStatus.Email, body.UserStatus.UserTier.Name}
	for _, model := range body.UserStatus.CascadeModelConfigData.ClientModelConfigs {
		if strings.Contains(model.Label, "(Thinking)") || strings.Contains(model.Label, "Flash (Low)") {
			told = append(told, model.Label, model.QuotaInfo)
		}
	}
	claude := map[string]any{"remainingFraction": 0.5, "resetTime": "2026-02-03T13:00:00Z"}
	want := []any{
		"sam@example.com", "Google AI Pro",
		"Gemini 3.5 Flash (Low)",
		map[string]any{"resetTime": "2026-02-03T12:00:00Z"},
		"Claude Opus 4.6 (Thinking)", claude, "Claude Sonnet 4.6 (Thinking)", claude,
	}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAntigravityErrors(t *testing.T) {
	t.Parallel()
	const signedOut = `{"code":"internal","message":"error getting token source: You are not logged into Antigravity."}`
	tests := []struct {
		name          string
		cfg           Config
		method, token string
		status        int
		body          string // empty: any
	}{
		{"probe", Config{}, methodProbe, "t", 200, ""},
		{"no_token", Config{}, methodProbe, "", 401, `{"code":"unauthenticated","message":"missing CSRF token"}`},
		{"other_token", Config{}, methodProbe, "T", 403, `{"code":"permission_denied","message":"Invalid CSRF token"}`},
		{"wrong_token", Config{Fault: FaultWrongToken}, methodStatus, "t", 403, ""},
		{"unknown_method", Config{}, "StartCascade", "t", 404, ""},
		{"ide_has_no_summary", Config{Antigravity: AntigravityIDE}, methodSummary, "t", 404, ""},
		{"ide_fault", Config{Antigravity: AntigravityIDE, Fault: FaultError500}, methodStatus, "t", 500, ""},
		{"no_method", Config{Fault: FaultNoMethod}, methodSummary, "t", 404, ""},
		{"no_method_is_one", Config{Fault: FaultNoMethod}, methodStatus, "t", 200, ""},
		{"error_in_200", Config{Fault: FaultErrorIn200}, methodSummary, "t", 200, `{"code":16}`},
		{"not_logged_in", Config{Fault: FaultNotLoggedIn}, methodStatus, "t", 500, signedOut},
		{"not_ready", Config{Fault: FaultNotReady, SlowStart: time.Hour}, methodSummary, "t", 500, signedOut},
		{"ready", Config{Fault: FaultNotReady, SlowStart: 1}, methodSummary, "t", 200, ""},
		{"signed_out", Config{Scenario: "signed_out"}, methodSummary, "t", 500, signedOut},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.cfg.Token = "t"
			if tt.cfg.Antigravity == "" {
				tt.cfg.Antigravity = AntigravityCLI
			}
			got := call(t, start(t, tt.cfg), tt.method, tt.token, "{}")
			if got.Status != tt.status || tt.body != "" && got.Body != tt.body {
				t.Errorf("%d %.300s", got.Status, got.Body)
			}
		})
	}
	if s, err := New(Config{Antigravity: "web"}); err == nil {
		t.Error("New took an unknown kind")
		_ = s.Close()
	}
	if s, err := New(Config{Fault: FaultErrorIn200}); err == nil {
		t.Error("Windsurf took a fault of Antigravity")
		_ = s.Close()
	}
}

func TestAntigravityViolations(t *testing.T) {
	t.Parallel()
	s := start(t, Config{Token: "t", Antigravity: AntigravityApp})
	call(t, s, methodSummary, "t", `{"forceRefresh":true}`)
	call(t, s, methodStatus, "t", `{"metadata":{"ideName":"antigravity","extensionName":"antigravity"}}`)
	call(t, s, methodStatus, "t", keyed("k"))
	const secret = "sk-ws-01-secret"
	binary, err := proto.Marshal(&pb.GetUserStatusRequest{Metadata: &pb.Metadata{ApiKey: secret}})
	if err != nil {
		t.Fatal(err)
	}
	if got := send(t, s, http.MethodPost, servicePath+methodStatus, "t", "application/proto", string(binary)); got.Status != 415 {
		t.Errorf("protobuf: %d", got.Status)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, baseURL(false, s.HTTPPort())+servicePath+methodProbe, strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"Content-Type", "X-Codeium-Csrf-Token", "Connect-Protocol-Version", "Authorization", "Cookie"} {
		request.Header.Set(name, "application/json")
	}
	response, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	want := []string{
		"GetUserStatus: an api key to antigravity", "GetUserStatus: an api key to antigravity",
		"GetUnleashData: the header Authorization to antigravity", "GetUnleashData: the header Cookie to antigravity",
	}
	if diff := cmp.Diff(want, s.Violations()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Only the variants with the same owner tell of the same account.
func TestAccounts(t *testing.T) {
	t.Parallel()
	owner := func(c Config) [3]any {
		c.Token = "t"
		status, _ := call(t, start(t, c), methodStatus, "t", keyed("k")).withoutModels(t)["userStatus"].(map[string]any)
		return [3]any{status["userId"], status["name"], status["email"]}
	}
	if diff := cmp.Diff(owner(Config{}), owner(Config{Scenario: "acu", Account: "robin"})); diff != "" {
		t.Errorf("one account (-first +second):\n%s", diff)
	}
	want := [3]any{"user-a68db5c5b88b5822836dbc799a59f5ac", "Sam Example", "sam@example.com"}
	if diff := cmp.Diff(want, owner(Config{Account: "sam"})); diff != "" {
		t.Errorf("another one (-want +got):\n%s", diff)
	}
}
