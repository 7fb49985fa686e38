package probe

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"windsock/probe/system/systemtest"
)

const (
	testToken = systemtest.Token
	testKey   = "sk-ws-01-test-key"
)

// fakeSystem is a system of plain values.
type fakeSystem struct{ systemtest.Fake }

// windsurfAt is a system with one server of Windsurf, which listens at these URLs.
func windsurfAt(urls ...string) *fakeSystem {
	s := &fakeSystem{}
	s.Add("--ide_name windsurf", urls...)
	return s
}

// finder returns a Finder on the fake system, with these API keys signed in.
func (s *fakeSystem) finder(t *testing.T, keys ...string) *Finder {
	t.Helper()
	return NewFinder(WithDirs(systemtest.SignIn(t, keys...)), WithSystem(s))
}

// rpc answers GetUnleashData like a server and passes GetUserStatus on.
func rpc(t *testing.T, status http.HandlerFunc) *httptest.Server {
	t.Helper()
	return systemtest.Serve(t, testToken, status)
}

// deep is JSON with that nesting.
func deep(times int) string {
	return `{"a":` + strings.Repeat("[", times) + strings.Repeat("]", times) + `}`
}

func answer(w http.ResponseWriter, status int, body string) { systemtest.Answer(w, status, body) }
