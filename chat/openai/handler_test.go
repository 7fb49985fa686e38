package openai

import (
	"net/http"
	"strings"
	"testing"
)

// A base URL that ends with a slash works as well. The key is required for every
// spelling of a path.
func TestPaths(t *testing.T) {
	t.Parallel()
	s := run(t, says("Hi."), nil)
	for _, to := range []struct{ method, path, body, says string }{
		{"GET", "/v1/models/", "", `"object":"list"`},
		{"GET", "//v1//models", "", `"object":"list"`},
		{"GET", "/v1/models/gpt-5.2:high/", "", `"id":"gpt-5.2:high"`},
		{"POST", "/v1//chat/completions", helloBody, "Hi."},
		{"POST", "/v1/chat/completions/", strings.Replace(helloBody, "gpt-5.2:high", "high-gpt-5.2", 1), "Hi."}, // as the 404 proposes
		{"GET", "/v1/models/GPT-5.2%2FHigh", "", `"id":"gpt-5.2:high"`},                                         // a slash of the name's own
		{"GET", "/v1//models/GPT-5.2%2FHigh/", "", `"id":"gpt-5.2:high"`},
		{"GET", "/health/", "", "ok"},
	} {
		if a := s.do(t, to.method, to.path, to.body); a.status != 200 || !strings.Contains(a.body, to.says) {
			t.Errorf("%s: %d, %s", to.path, a.status, a.body)
		}
	}
	s.key = "wrong"
	for _, path := range []string{"/v1/models/", "//v1/models", "/health/../v1/models", "/health/%2e%2e/v1/models", "/health//..//v1/models/.", "/health/..", "/v1/responses"} {
		if a := s.do(t, http.MethodGet, path, ""); a.status != 401 {
			t.Errorf("%s: %d, %s", path, a.status, a.body)
		}
	}
}
