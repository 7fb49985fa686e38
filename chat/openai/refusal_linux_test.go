package openai

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"windsock/probe/probetest"
	"windsock/probe/secret"
)

// curl, as somebody, with arguments; it prints the status behind the body.
func curl(t *testing.T, uid uint32, args ...string) string {
	t.Helper()
	probetest.NeedTools(t, "curl")
	cmd := exec.CommandContext(t.Context(), "curl", append([]string{"-s", "-m", "60", "-w", "%{http_code}"}, args...)...)
	cmd.Dir = "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{}
	if int(uid) != os.Getuid() {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uid, Gid: uid}
	}
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestCurlRefused(t *testing.T) {
	t.Parallel()
	s := run(t, says("Hi."), nil)
	port := s.base[strings.LastIndex(s.base, ":")+1:]
	self := uint32(os.Getuid())
	key := "Authorization: Bearer " + s.key
	tests := []struct {
		name string
		uid  uint32
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
		{"other_user", 65534, []string{"-H", key}, "403", "foreign_user"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.uid != self && self != 0 {
				t.Skip("only root can be somebody else")
			}
			for _, path := range []string{"/v1/models", "/health"} {
				got := curl(t, tt.uid, append(tt.args, s.base+path)...)
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
