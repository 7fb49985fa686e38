package probe

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"windsock/probe/say"
	"windsock/probe/signin"
	"windsock/probe/system"
	"windsock/probe/system/systemtest"
)

// If a variant fails, the next is tried; if all fail, the furthest failure is reported.
func TestVariantsGiveWay(t *testing.T) {
	t.Parallel()
	signedOut := rpc(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, 401, `{"code":"unauthenticated"}`) })
	works := rpc(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, 200, "{}") })
	const windsurf, next = "--ide_name windsurf", "--ide_name windsurf-next"
	tests := []struct {
		name string
		lay  func(*fakeSystem)
		want string // PID of the server, or the failure's code and app
	}{
		{"windsurf_before_next", func(s *fakeSystem) { s.Add(windsurf, works.URL); s.Add(next, works.URL) }, "100"},
		{"next_alone", func(s *fakeSystem) { s.Add(next, works.URL) }, "100"},
		{"newest_first", func(s *fakeSystem) { s.Add(windsurf, works.URL); s.Add(windsurf, works.URL) }, "101"},
		{"twin_without_port", func(s *fakeSystem) { s.Add(windsurf, works.URL); s.Add(windsurf) }, "100"},
		{"signed_out_gives_way", func(s *fakeSystem) { s.Add(windsurf, signedOut.URL); s.Add(next, works.URL) }, "101"},
		{"nothing", func(*fakeSystem) {}, "not_running Windsurf (Devin Desktop)"},
		{"furthest_is_told", func(s *fakeSystem) { s.Add(windsurf); s.Add(next, signedOut.URL) }, "not_signed_in Windsurf Next"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			sys := &fakeSystem{}
			tt.lay(sys)
			_, session, err := sys.finder(t, testKey).UserStatus(t.Context(), Variants())
			var got string
			if failure, ok := errors.AsType[*Failure](err); ok {
				got = string(failure.code) + " " + failure.app
			} else {
				got = []string{"100", "101"}[session.Server().PID-100]
			}
			if got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// Ask again if a server is not ready, or has just started and does not answer the
// handshake yet.
func TestNotReadyIsAskedAgain(t *testing.T) {
	t.Parallel()
	t.Run("unavailable", func(t *testing.T) {
		t.Parallel()
		calls := 0
		server := rpc(t, func(w http.ResponseWriter, _ *http.Request) {
			if calls++; calls < 3 {
				answer(w, 503, `{"code":"unavailable"}`)
				return
			}
			answer(w, 200, "{}")
		})
		sys := windsurfAt(server.URL)
		if _, _, err := sys.finder(t, testKey).UserStatus(t.Context(), Variants()); err != nil || calls != 3 {
			t.Errorf("after %d calls: %v", calls, err)
		}
	})
	for _, starting := range []bool{true, false} {
		t.Run(map[bool]string{true: "starting", false: "old"}[starting], func(t *testing.T) {
			t.Parallel()
			var calls atomic.Int32
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if calls.Add(1) == 1 {
					http.NotFound(w, nil)
					return
				}
				answer(w, 200, "{}")
			}))
			defer server.Close()
			sys := windsurfAt(server.URL)
			sys.Procs[0].Starting = starting
			_, _, err := sys.finder(t, testKey).UserStatus(t.Context(), Variants())
			if (err == nil) != starting || (calls.Load() > 1) != starting {
				t.Errorf("after %d calls: %v", calls.Load(), err)
			}
		})
	}
}

// Do not wait for a server in another network namespace, however young it is.
func TestNamespaceIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sys := &fakeSystem{systemtest.Fake{NoPorts: system.ErrNamespace}}
		sys.Add("--ide_name windsurf")
		sys.Procs[0].Starting = true
		started := time.Now()
		finder := sys.finder(t, testKey)
		_, _, err := finder.UserStatus(t.Context(), Variants())
		_, each := finder.Servers(t.Context(), Variants())
		look := finder.Trace(t.Context(), Variants())
		if took := time.Since(started); took != 0 || !errors.Is(err, system.ErrNamespace) || !errors.Is(each, system.ErrNamespace) || !errors.Is(look.Failure, system.ErrNamespace) {
			t.Errorf("after %v: %v, of all servers %v, and to the doctor %v", took, err, each, look.Failure)
		}
	})
}

// By default a simulated server is ignored: its figures are made up.
func TestSimulatedServerIsNotFound(t *testing.T) {
	t.Parallel()
	server := rpc(t, func(w http.ResponseWriter, _ *http.Request) { answer(w, 200, "{}") })
	sys := windsurfAt(server.URL)
	sys.Procs[0].Simulated = true
	finder := sys.finder(t, testKey)
	_, _, err := finder.UserStatus(t.Context(), Variants())
	if failure, ok := errors.AsType[*Failure](err); !ok || failure.code != NotRunning {
		t.Errorf("UserStatus: %v, want not_running", err)
	}
	WithProcesses(func(int) bool { return true })(finder)
	if _, _, err := finder.UserStatus(t.Context(), Variants()); err != nil {
		t.Errorf("for one who asks for it: %v", err)
	}
}

// If the environment cannot be read, the error gives the reason and a cure.
func TestNoToken(t *testing.T) {
	t.Parallel()
	const start = "Windsurf runs, but its language server shows no access token: process 7: "
	const restart = " Run Windsock as the user who started Windsurf, then restart Windsurf and try again."
	tests := []struct {
		name string
		args string
		err  error
		want string
	}{
		{"none", "", nil, start + "neither its environment nor its command line has one." + restart},
		{"refused", "", errors.New("permission denied"), start + "permission denied." + restart},
		{"hardened", "", system.ErrHardened, start + "macOS hides the environment of a hardened program. Windsock cannot read this version of Windsurf; please report it."},
		{"elevated", "", system.ErrElevated, start + "Windows does not let Windsock read a program that runs as administrator. Start Windsurf without administrator rights and try again."},
		{"bitness", "", system.ErrBitness, start + "it is a 32-bit program, which Windsock cannot read. Install the 64-bit version of Windsurf and try again."},
		{"hardened_with_a_flag", "--csrf_token a", system.ErrHardened, "Windsurf runs, but its language server does not answer: process 7 listens on no port of this computer. " +
			"If Windsurf has just started, try again in a moment; else restart Windsurf."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			args := strings.Fields("--ide_name windsurf " + tt.args)
			sys := &fakeSystem{systemtest.Fake{Procs: []system.Process{system.NewProcess(7, 1, "/opt/windsurf/language_server", args, nil, tt.err)}}}
			_, _, err := sys.finder(t).UserStatus(t.Context(), Variants())
			if failure, ok := errors.AsType[*Failure](err); !ok || say.Sentence(failure, "") != tt.want || failure.Server().PID != 7 {
				t.Errorf("UserStatus: %v, want %s", err, tt.want)
			}
		})
	}
}

// A failed look is not reported as an editor that is not running; neither is a look
// that ran out of time.
func TestProcessesCannotBeListed(t *testing.T) {
	t.Parallel()
	over, cancel := context.WithCancel(t.Context())
	cancel()
	tests := []struct {
		name string
		ctx  context.Context //nolint:containedctx // the case is the context
		err  error
		want string
	}{
		{"other_system", t.Context(), system.ErrUnsupported, "Windsock cannot look for a language server: " + system.ErrUnsupported.Error() + ". This version runs on Linux, macOS and Windows."},
		{"refused", t.Context(), errors.New("list processes: permission denied"), "Windsock cannot look for a language server: list processes: permission denied. Try again in a moment."},
		{"no_time", over, system.ErrUnsupported, "Windsurf (Devin Desktop) did not answer in time: looking for it took too long. Try again in a moment; if it stays so, restart Windsurf (Devin Desktop)."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			finder := NewFinder(WithDirs(signin.Below(t.TempDir())))
			finder.system = &systemtest.Fake{NoProcesses: tt.err}
			_, _, err := finder.UserStatus(tt.ctx, Variants())
			if failure, ok := errors.AsType[*Failure](err); !ok || say.Sentence(failure, "") != tt.want {
				t.Errorf("UserStatus: %v, want %s", err, tt.want)
			}
		})
	}
}

func TestViaSudo(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		uid  int
		env  map[string]string
		want bool
	}{
		{"sudo", 0, map[string]string{"SUDO_USER": "alice"}, true},
		{"doas", 0, map[string]string{"DOAS_USER": "alice"}, true},
		{"pkexec", 0, map[string]string{"PKEXEC_UID": "1000"}, true},
		{"root_of_a_container", 0, nil, false},
		{"sudo_to_another_user", 1001, map[string]string{"SUDO_USER": "alice"}, false},
		{"windows", -1, nil, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := viaSudo(tt.uid, func(name string) string { return tt.env[name] }); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

// As root through sudo, each kind of search explains why nothing is found.
func TestFindViaSudo(t *testing.T) {
	t.Parallel()
	const want = "Windsurf (Devin Desktop) is not running as root. Windsock sees the editors of the user that it runs as: run it without sudo."
	f := (&fakeSystem{}).finder(t)
	f.viaSudo = true
	_, _, err := f.UserStatus(t.Context(), Variants())
	_, serversErr := f.Servers(t.Context(), Variants())
	for name, got := range map[string]string{
		"UserStatus": say.Sentence(err, ""), "Servers": say.Sentence(serversErr, ""),
		"Trace": say.Sentence(f.Trace(t.Context(), Variants()).Failure, ""),
	} {
		if got != want {
			t.Errorf("%s says %q", name, got)
		}
	}
}
