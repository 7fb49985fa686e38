package probe

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"windsock/probe/signin"
	"windsock/probe/system/systemtest"
)

const (
	testToken = systemtest.Token
	testKey   = "sk-ws-01-test-key"
)

// fakeSystem is a system of plain values.
type fakeSystem struct{ systemtest.Fake }

// finder returns a Finder on the fake system, with that API key signed in.
func (s *fakeSystem) finder(t *testing.T, keys ...string) *Finder {
	t.Helper()
	home := t.TempDir()
	f := NewFinder(WithDirs(signin.Below(home)))
	f.dirs.Data = filepath.Join(home, "data")
	f.system = s
	for i, key := range keys {
		dir := filepath.Join([]string{f.dirs.Home, f.dirs.Data}[i], ".codeium")
		if err := errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(filepath.Join(dir, "config.json"), []byte(`{"apiKey":"`+key+`"}`), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

// rpc answers GetUnleashData as a server does and hands GetUserStatus on.
func rpc(t *testing.T, status http.HandlerFunc) *httptest.Server {
	t.Helper()
	return systemtest.Serve(t, testToken, status)
}

// deep is JSON that nests so many times.
func deep(times int) string {
	return `{"a":` + strings.Repeat("[", times) + strings.Repeat("]", times) + `}`
}

func answer(w http.ResponseWriter, status int, body string) { systemtest.Answer(w, status, body) }
