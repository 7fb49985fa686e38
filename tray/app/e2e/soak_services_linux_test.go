package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"windsock/probe/simulator/cloud"
	"windsock/probe/simulator/simtest"
)

// soakCursor is the token of Cursor's sign-in.
var soakCursor = cursorToken(time.Time{})

// signsIn signs in with what has figures without an editor: Cursor, and the command line of
// Devin, with an account of its own.
func (w *soak) signsIn(t *testing.T, who string) {
	t.Helper()
	for _, s := range w.sessions {
		var err error
		if who == "cursor" {
			err = simtest.SignIn(filepath.Join(s.home(), ".config", "Cursor"), simtest.Auth{Rows: []simtest.Row{{Key: "cursorAuth/accessToken", Value: soakCursor}}})
		} else {
			file := filepath.Join(s.home(), devinFile)
			if err = os.MkdirAll(filepath.Dir(file), 0o700); err == nil {
				err = os.WriteFile(file, fmt.Appendf(nil, "windsurf_api_key = %q\napi_server_url = %q\n", devinToken, "https://"+devinHost), 0o600)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// opens makes the services know an account.
func (w *soak) opens(t *testing.T, who string) {
	t.Helper()
	a := cloud.Account{Token: devinToken, Windsurf: "quota_weekly_exhausted", Owner: "kim"}
	if who == "cursor" {
		a = cloud.Account{Token: soakCursor, Cursor: w.cursorState}
	}
	if err := w.services.Open(a); err != nil {
		t.Fatal(err)
	}
}

// askServices makes the apps ask the services within a second, instead of in minutes.
func (w *soak) askServices(t *testing.T) {
	t.Helper()
	for _, s := range w.sessions {
		for _, who := range []string{"cursor", "devin-cli"} {
			if err := os.Remove(filepath.Join(s.state(), "cloud-"+who+".json")); err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
		}
	}
}

func (w *soak) cloudStep(t *testing.T, s step) (end func()) {
	t.Helper()
	var back func()
	fail := func(fault cloud.Fault) {
		t.Helper()
		if err := w.services.Fail(fault, ""); err != nil {
			t.Fatal(err)
		}
	}
	switch s.kind {
	case serviceFails:
		fail(cloud.Fault(s.what))
		back = func() { fail(cloud.FaultNone) }
	case editorsHidden:
		fail(cloud.Fault(s.what))
		w.list(t, func() { w.hidden = true })
		back = func() {
			fail(cloud.FaultNone)
			w.list(t, func() { w.hidden = false })
		}
	case tokenRevoked:
		w.services.Revoke(map[string]string{"cursor": soakCursor, "devin-cli": devinToken}[s.what])
		back = func() { w.opens(t, s.what) }
	case signedOut:
		for _, session := range w.sessions {
			_ = os.Remove(filepath.Join(session.home(), map[string]string{"cursor": cursorFile, "devin-cli": devinFile}[s.what])) // it may be gone
		}
		back = func() { w.signsIn(t, s.what) }
	default: // otherCursor
		w.cursorState = s.what
		w.opens(t, "cursor")
		back = func() {}
	}
	w.askServices(t)
	return func() {
		back()
		w.askServices(t)
	}
}

// serve makes the services that the sessions reach over the internet.
func (w *soak) serve(t *testing.T) {
	t.Helper()
	var err error
	w.services, err = cloud.New(cloud.Config{
		Now:  func() time.Time { return w.lapse.At(time.Now()) },
		Told: func(token, method string, answer []byte) { w.serviceTold(t, token, method, answer) },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.services.Close(); err != nil {
			t.Error(err)
		}
	})
}
