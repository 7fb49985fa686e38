package cloud

import (
	"errors"
	"io"
	"net/http"
	"path"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	planAnswer = `{"planStatus":{"planInfo":{"planName":"Pro"},"dailyQuotaRemainingPercent":72}}`
	userAnswer = `{"userStatus":{"name":"Planted Name","userId":"u1","email":"planted@example.com","teamId":"t1","teamsTier":"X",` +
		`"cascadeModelConfigData":{"clientModelConfigs":[{"label":"m"}]},"planStatus":{"dailyQuotaRemainingPercent":72}},"planInfo":{"planName":"Pro"}}`
	userWhole = `{"planInfo":{"planName":"Pro"},"userStatus":{"email":"planted@example.com","planStatus":{"dailyQuotaRemainingPercent":72},"teamId":"t1","userId":"u1"}}`
)

// seatAnswers answers each method with a body.
func seatAnswers(t *testing.T, answers map[string]string) *maker {
	t.Helper()
	return newMaker(t, func(w http.ResponseWriter, r *http.Request, _ string) {
		status, body := 200, answers[path.Base(r.URL.Path)]
		switch body {
		case "":
			status, body = 404, "404 page not found"
		case "501":
			status, body = 501, `{"code":"unimplemented","message":"not implemented"}`
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	})
}

// What is sent, to the letter (PROTOCOL.md 9.1), and what is made of the answer.
func TestWindsurfRequests(t *testing.T) {
	t.Parallel()
	plan := func(host, prefix string) asked {
		return asked{
			Method: "POST", Host: host, Path: prefix + "/exa.seat_management_pb.SeatManagementService/GetPlanStatus",
			Header: map[string]string{
				"Accept": "application/json", "Accept-Encoding": "gzip", "Connect-Protocol-Version": "1", "Content-Length": "30",
				"Content-Type": "application/json", "User-Agent": "windsock/1.2.3", "X-Auth-Token": token,
			},
			Body: `{"include_top_up_status":true}`,
		}
	}
	user := func(token, length string) asked {
		return asked{
			Method: "POST", Host: "server.codeium.com", Path: "/exa.seat_management_pb.SeatManagementService/GetUserStatus",
			Header: map[string]string{
				"Accept": "application/json", "Accept-Encoding": "gzip", "Connect-Protocol-Version": "1", "Content-Length": length,
				"Content-Type": "application/json", "User-Agent": "windsock/1.2.3",
			},
			Body: `{"metadata":{"apiKey":"` + token + `","ideName":"windsock","ideVersion":"1.2.3","extensionName":"windsock","extensionVersion":"1.2.3","locale":"en"}}`,
		}
	}
	both := map[string]string{"GetPlanStatus": planAnswer, "GetUserStatus": userAnswer}
	us := plan("server.codeium.com", "")
	const bare = `{"userStatus":{"planStatus":{"planInfo":{"planName":"Pro"},"dailyQuotaRemainingPercent":72}}}`
	tests := []struct {
		name       string
		token, url string
		host       string
		identify   bool
		answers    map[string]string
		want       []asked
		raw        string
	}{
		{name: "plan", token: token, host: "server.codeium.com", answers: both, want: []asked{us}, raw: bare},
		{
			name: "eu", token: token, url: "https://eu.windsurf.com/_route/api_server/", host: "eu.windsurf.com", answers: both,
			want: []asked{plan("eu.windsurf.com", "/_route/api_server")}, raw: bare,
		},
		{
			name: "portal", token: token, url: "https://portal.example/_route/api_server", host: "portal.example", answers: both,
			want: []asked{plan("portal.example", "/_route/api_server")}, raw: bare,
		},
		{name: "identify", token: token, host: "server.codeium.com", identify: true, answers: both, want: []asked{user(token, "169")}, raw: userWhole},
		{name: "old_key", token: oldToken, host: "server.codeium.com", answers: both, want: []asked{user(oldToken, "158")}, raw: userWhole},
		{
			name: "no_such_method", token: token, host: "server.codeium.com", answers: map[string]string{"GetUserStatus": userAnswer},
			want: []asked{us, user(token, "169")}, raw: userWhole,
		},
		{
			name: "not_implemented", token: token, host: "server.codeium.com", answers: map[string]string{"GetPlanStatus": "501", "GetUserStatus": userAnswer},
			want: []asked{us, user(token, "169")}, raw: userWhole,
		},
		{
			name: "empty", token: token, host: "server.codeium.com", answers: map[string]string{"GetPlanStatus": "{}", "GetUserStatus": userAnswer},
			want: []asked{us, user(token, "169")}, raw: userWhole,
		},
		{
			name: "both_empty", token: token, host: "server.codeium.com", answers: map[string]string{"GetPlanStatus": "{}", "GetUserStatus": "{}"},
			want: []asked{us, user(token, "169")}, raw: `{"userStatus":{}}`,
		},
		{
			name: "user_without_plan", token: oldToken, host: "server.codeium.com", answers: map[string]string{"GetUserStatus": `{"userStatus":{"email":"a@example.com","userId":7}}`},
			want: []asked{user(oldToken, "158")}, raw: `{"userStatus":{"email":"a@example.com"}}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := seatAnswers(t, tt.answers)
			source := newHome(t).devin(tt.token, tt.url)
			answer, err := m.client().Ask(t.Context(), Question{Source: source, Host: tt.host, Identify: tt.identify})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, m.requests()); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(Answer{Raw: []byte(tt.raw), Sign: source.Sign()}, answer); diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
		})
	}
}

// An editor's sign-in tells whose it is, so that the shorter answer does.
func TestWindsurfEditor(t *testing.T) {
	t.Parallel()
	m := seatAnswers(t, map[string]string{"GetPlanStatus": planAnswer})
	source := newHome(t).editor(token, "")
	answer, err := m.client().Ask(t.Context(), Question{Source: source, Host: "server.codeium.com", Identify: true})
	if err != nil {
		t.Fatal(err)
	}
	with, failure := source.read(t.Context())
	if failure != nil {
		t.Fatal(failure)
	}
	want := `{"userStatus":` + strings.TrimSuffix(sorted(t, with.user), "}") + `,"planStatus":{"planInfo":{"planName":"Pro"},"dailyQuotaRemainingPercent":72}}}`
	if diff := cmp.Diff(sorted(t, []byte(want)), sorted(t, answer.Raw)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// A token of one account never goes to another host, whatever the settings say.
func TestOtherHost(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, url, host, want string
	}{
		{"moved", "https://eu.windsurf.com/_route/api_server", "server.codeium.com", "eu.windsurf.com"},
		{"default", "", "eu.windsurf.com", "server.codeium.com"},
		{"odd_url", "https://server.codeium.com:8443", "server.codeium.com", ""},
		{"other_path", "https://portal.example/", "portal.example", ""},
		{"nothing_allowed", "", "", "server.codeium.com"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := seatAnswers(t, map[string]string{"GetPlanStatus": planAnswer})
			source := newHome(t).devin(token, tt.url)
			_, err := m.client().Ask(t.Context(), Question{Source: source, Host: tt.host})
			var failure *Failure
			if !errors.As(err, &failure) || failure.Code != HostNotAllowed || failure.Sign != source.Sign() {
				t.Fatalf("got %v", err)
			}
			told := failure.Tell()
			if sentence := told.Sentence(); !strings.Contains(sentence, tt.want) || tt.want != "" && !strings.Contains(sentence, tt.host) {
				t.Errorf("says %q", sentence)
			}
			if got := m.requests(); len(got) != 0 {
				t.Errorf("asked %v", got)
			}
		})
	}
	t.Run("cursor", func(t *testing.T) {
		t.Parallel()
		m := seatAnswers(t, map[string]string{"GetCurrentPeriodUsage": `{}`})
		_, err := m.client().Ask(t.Context(), Question{Source: newHome(t).cursor(jwt), Host: "server.codeium.com"})
		var failure *Failure
		if !errors.As(err, &failure) || failure.Code != HostNotAllowed || len(m.requests()) != 0 {
			t.Fatalf("got %v, asked %v", err, m.requests())
		}
	})
}
