package cloud

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"testing"
)

// Whatever a service answers, the question ends with one JSON object that has nothing of
// a user but what tells accounts apart, or with a Failure.
func FuzzAnswer(f *testing.F) {
	for _, body := range []string{planAnswer, userAnswer, pools, sentinel, oneTeam, `{"code":"unauthenticated"}`, `{}`, `[]`, `{"userStatus":{"planStatus":1}}`, "\xff", `{"a":`, `{"planStatus":{},"planStatus":[]}`} {
		for which := range 3 {
			f.Add(uint(which), 200, body, "120")
		}
	}
	for _, status := range []int{401, 403, 404, 429, 500} {
		f.Add(uint(0), status, `{"code":"unauthenticated"}`, "120")
	}
	h := newHome(f)
	questions := []Question{
		{Source: h.devin(token, ""), Host: "server.codeium.com"},
		{Source: h.devin(token, ""), Host: "server.codeium.com", Identify: true},
		{Source: h.cursor(jwt), Host: "api2.cursor.sh"},
	}
	f.Fuzz(func(t *testing.T, which uint, status int, body, wait string) {
		client := Client{Transport: roundTrip(func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: status, Header: http.Header{"Retry-After": {wait}}, Body: io.NopCloser(bytes.NewReader([]byte(body)))}, nil
		})}
		q := questions[which%3]
		answer, err := client.Ask(t.Context(), q)
		if err != nil {
			failure, ok := errors.AsType[*Failure](err)
			if !ok || failure.what == "" || failure.cure == "" || failure.RetryAfter != 0 && (failure.RetryAfter < shortestWait || failure.RetryAfter > longestWait) {
				t.Errorf("%#v", err)
			}
			return
		}
		if q.Source.Product == cursor {
			var whole map[string]any
			if json.Unmarshal(answer.Raw, &whole) != nil {
				t.Errorf("answer %q", answer.Raw)
			}
			return
		}
		var members map[string]map[string]any
		if json.Unmarshal(answer.Raw, &members) != nil {
			t.Errorf("answer %q", answer.Raw)
		}
		for name := range members["userStatus"] {
			switch name {
			case "planStatus", "userId", "email", "teamId":
			default:
				t.Errorf("%q is kept", name)
			}
		}
	})
}
