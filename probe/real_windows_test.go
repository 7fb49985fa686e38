package probe

import (
	"context"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"windsock/probe/signin"
	"windsock/probe/simulator"
	"windsock/probe/simulator/simtest"
	"windsock/probe/system"
)

// knowing is the real system, except for the ports of a server: Wine has no PIDs for
// them.
type knowing struct {
	system.System

	pid  int
	port uint16
}

func (k knowing) Listeners(_ context.Context, p system.Process) ([]netip.AddrPort, error) {
	if p.PID != k.pid {
		return nil, nil
	}
	return []netip.AddrPort{netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), k.port)}, nil
}

func (k knowing) Verify(_ context.Context, p system.Process, addr netip.AddrPort) error {
	if p.PID != k.pid || addr.Port() != k.port {
		return system.ErrNotOwner
	}
	return nil
}

// The figures come from a real server process, in a directory with blanks and non-ASCII
// letters in its name.
func TestRealServer(t *testing.T) {
	t.Parallel()
	for name, options := range map[string]simulator.Options{
		"token_in_environment":  {},
		"token_on_command_line": {Token: simulator.TokenFlag},
		"parent_and_child":      {RunChild: true, Equals: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			options.Root, options.IDEName = filepath.Join(t.TempDir(), "Zoë Q"), "windsurf"
			if err := os.Mkdir(options.Root, 0o700); err != nil {
				t.Fatal(err)
			}
			server := simtest.Start(t, options)
			home := t.TempDir()
			if err := simtest.SignIn(filepath.Join(home, ".config", "Windsurf"), simtest.Auth{Key: testKey}); err != nil {
				t.Fatal(err)
			}
			pids := server.PIDs()
			listening := pids[len(pids)-1]
			finder := NewFinder(WithDirs(signin.Below(home)), WithProcesses(func(pid int) bool { return slices.Contains(pids, pid) }))
			finder.system = knowing{system.New(), listening, uint16(server.Ready().Port)}
			raw, session, err := finder.UserStatus(t.Context(), Variants())
			if err != nil {
				t.Fatal(err)
			}
			defer session.Close()
			if !strings.HasPrefix(string(raw), `{"userStatus":`) {
				t.Errorf("answer = %.80s…", raw)
			}
			if diff := cmp.Diff(Server{Variant: "windsurf", App: "Windsurf", PID: listening}, session.Server()); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff([]string{testKey}, server.Keys()); diff != "" {
				t.Errorf("keys that came to the server:\n%s", diff)
			}
		})
	}
}
