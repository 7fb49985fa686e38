package simulator

import (
	"errors"
	"net/http"
	"runtime"
	"syscall"
	"testing"
	"time"
)

// errReset is ECONNRESET, and on Windows WSAECONNRESET, which has a name there only.
var errReset = map[bool]error{false: syscall.ECONNRESET, true: syscall.Errno(10054)}[runtime.GOOS == "windows"]

const statusPath = servicePath + "GetUserStatus"

// A fault hits its method and leaves the handshake alone.
func TestFaults(t *testing.T) {
	t.Parallel()
	tests := []struct {
		fault     Fault
		handshake int
		check     func(t *testing.T, a answer, err error)
	}{
		{FaultNone, 200, func(t *testing.T, a answer, err error) {
			t.Helper()
			if err != nil || a.Status != 200 {
				t.Errorf("%d, %v", a.Status, err)
			}
		}},
		{FaultReset, 200, func(t *testing.T, _ answer, err error) {
			t.Helper()
			if !errors.Is(err, errReset) {
				t.Errorf("error = %v, want a reset", err)
			}
		}},
		{FaultResetAfter, 200, func(t *testing.T, _ answer, err error) {
			t.Helper()
			if !errors.Is(err, errReset) {
				t.Errorf("error = %v, want a reset", err)
			}
		}},
		{FaultGarbage, 200, func(t *testing.T, a answer, err error) {
			t.Helper()
			if err != nil || a.Status != 200 || a.Type != "application/json" || a.Body[0] != '<' {
				t.Errorf("%d %s %.40q, %v", a.Status, a.Type, a.Body, err)
			}
		}},
		{FaultError500, 200, func(t *testing.T, a answer, err error) {
			t.Helper()
			if err != nil || a.Status != 500 || a.Body != "Internal Server Error\n" {
				t.Errorf("%d %.40q, %v", a.Status, a.Body, err)
			}
		}},
		{FaultHuge, 200, func(t *testing.T, a answer, err error) {
			t.Helper()
			if err != nil || a.Status != 200 || len(a.Body) < 64<<20 || a.Body[len(a.Body)-1] != '}' {
				t.Errorf("%d, %d bytes, %v", a.Status, len(a.Body), err)
			}
		}},
		{FaultReject, 200, func(t *testing.T, a answer, err error) {
			t.Helper()
			if err != nil || a.Status != 403 || a.code(t) != "permission_denied" {
				t.Errorf("%d %.40q, %v", a.Status, a.Body, err)
			}
		}},
		{FaultWrongToken, 403, func(t *testing.T, a answer, err error) {
			t.Helper()
			if err != nil || a.Status != 403 || a.code(t) != "permission_denied" {
				t.Errorf("%d %.40q, %v", a.Status, a.Body, err)
			}
		}},
	}
	for _, tt := range tests {
		for _, secure := range []bool{false, true} {
			if secure && tt.fault == FaultHuge {
				continue // it is slow, and no different
			}
			name := string(tt.fault)
			if secure {
				name += "_tls"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				s := start(t, Config{Token: "t", Fault: tt.fault, TLS: secure})
				a, err := try(t, s, http.MethodPost, statusPath, "t", "application/json", keyed("k"))
				tt.check(t, a, err)
				if got := call(t, s, "GetUnleashData", "t", "{}").Status; got != tt.handshake {
					t.Errorf("handshake: %d, want %d", got, tt.handshake)
				}
			})
		}
	}
}

func TestFaultOfAnotherMethod(t *testing.T) {
	t.Parallel()
	s := start(t, Config{Token: "t", Fault: FaultError500, FaultRPC: "Heartbeat"})
	if got := call(t, s, "Heartbeat", "t", "{}").Status; got != 500 {
		t.Errorf("Heartbeat: %d", got)
	}
	if got := call(t, s, "GetUserStatus", "t", keyed("k")).Status; got != 200 {
		t.Errorf("GetUserStatus: %d", got)
	}
}

// A hanging answer ends with the client, or with the server.
func TestHang(t *testing.T) {
	t.Parallel()
	s := start(t, Config{Token: "t", Fault: FaultHang})
	ended := make(chan error, 1)
	go func() {
		_, err := try(t, s, http.MethodPost, statusPath, "t", "application/json", keyed("k"))
		ended <- err
	}()
	if got := call(t, s, "GetUnleashData", "t", "{}").Status; got != 200 {
		t.Errorf("handshake: %d", got)
	}
	eventually(t, "the call", func() bool { return s.Count()["GetUserStatus"] > 0 })
	select {
	case err := <-ended:
		t.Fatalf("it did not hang: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := <-ended; err == nil {
		t.Error("answered after all")
	}
}

func TestSlowStartAndDelay(t *testing.T) {
	t.Parallel()
	const wait = 200 * time.Millisecond
	for _, cfg := range []Config{
		{Token: "t", Fault: FaultSlowStart, SlowStart: wait},
		{Token: "t", Delay: wait},
	} {
		began := time.Now()
		s := start(t, cfg)
		if got := call(t, s, "GetUnleashData", "t", "{}").Status; got != 200 {
			t.Errorf("%+v: %d", cfg, got)
		}
		if took := time.Since(began); took < wait {
			t.Errorf("%+v: answered after %v", cfg, took)
		}
	}
}
