package openai

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"windsock/probe/probetest"
	"windsock/probe/secret"
)

func TestCurlRefused(t *testing.T) {
	t.Parallel()
	s := run(t, says("Hi."), nil)
	port := s.base[strings.LastIndex(s.base, ":")+1:]
	self := os.Getuid()
	key := "Authorization: Bearer " + s.key
	tests := []struct {
		name string
		uid  int
		args []string
		want string // how the output ends
		code string
	}{
		{"fine", self, []string{"-H", key}, "200", `"object":"list"`},
		{"by_name", self, []string{"-H", key, "-H", "Host: localhost:" + port}, "200", `"object":"list"`},
		{"without_key", self, nil, "401", "invalid_api_key"},
		{"wrong_key", self, []string{"-H", key + "x"}, "401", "invalid_api_key"},
		{"key_cut_off", self, []string{"-H", key[:len(key)-1]}, "401", "invalid_api_key"},
		{"key_alone", self, []string{"-H", "Authorization: " + s.key}, "401", "invalid_api_key"},
		{"basic", self, []string{"-u", "x:" + s.key}, "401", "invalid_api_key"},
		{"wrong_host", self, []string{"-H", key, "-H", "Host: windsock.example"}, "403", "foreign_host"},
		{"rebound_host", self, []string{"-H", key, "-H", "Host: evil.example:" + port}, "403", "foreign_host"},
		{"origin", self, []string{"-H", key, "-H", "Origin: https://evil.example"}, "403", "foreign_page"},
		{"own_origin", self, []string{"-H", key, "-H", "Origin: " + s.base}, "403", "foreign_page"},
		{"preflight", self, []string{"-X", "OPTIONS", "-H", "Origin: null", "-H", "Access-Control-Request-Method: POST"}, "403", "foreign_page"},
		{"other_user", probetest.Nobody, []string{"-H", key}, "403", "foreign_user"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, path := range []string{"/v1/models", "/health"} {
				got := probetest.Curl(t, tt.uid, append([]string{"-w", "%{http_code}", s.base + path}, tt.args...)...)
				want, code := tt.want, tt.code
				if path == "/health" && want != "403" {
					want, code = "200", `{"status":"ok"}`
				}
				if !strings.HasSuffix(got, want) || !strings.Contains(got, code) {
					t.Errorf("%s: %s", path, got)
				}
			}
		})
	}
}

// The key appears neither in a list of processes nor in the responses.
func TestKeyUnseen(t *testing.T) {
	t.Parallel()
	s := run(t, says("Hi."), nil)
	for _, file := range []string{"cmdline", "environ"} {
		data, err := os.ReadFile("/proc/self/" + file)
		if err != nil || strings.Contains(string(data), s.key) {
			t.Error(file, err)
		}
	}
	held := struct{ key secret.Secret }{s.Server.key}
	if text := fmt.Sprintf("%+v %#v %v", held, held, held); strings.Contains(text, s.key) {
		t.Error(text)
	}
}
