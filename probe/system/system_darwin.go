package system

import (
	"context"
	"fmt"
	"net/netip"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// darwin reads processes with sysctl(3), and sockets with lsof.
type darwin struct {
	uid     int
	sockets lsof
}

// New is the system that this program was built for.
func New() System {
	return darwin{uid: os.Geteuid(), sockets: lsof{program: "/usr/sbin/lsof"}}
}

// stateZombie is SZOMB of sys/proc.h.
const stateZombie = 5

// Processes implements System.
func (d darwin) Processes(ctx context.Context) ([]Process, error) {
	all, err := unix.SysctlKinfoProcSlice("kern.proc.uid", d.uid) // of that effective UID
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	var found []Process
	for i := range all {
		// The kernel truncates the name to 16 bytes, exactly the length of
		// language_server_.
		name := unix.ByteSliceToString(all[i].Proc.P_comm[:])
		if !serverName(name) && name != nodeName || ctx.Err() != nil {
			continue
		}
		// A process that ends between two reads is skipped, not an error.
		if p, ok := look(all[i].Proc); ok {
			p.Parent = int(all[i].Eproc.Ppid)
			found = append(found, p)
		}
	}
	return found, ctx.Err()
}

func look(kernel unix.ExternProc) (Process, bool) {
	pid := int(kernel.P_pid)
	started, ok := startOf(kernel)
	if !ok {
		return Process{}, false
	}
	// The kernel refuses it with EINVAL for a process that just starts or ends.
	data, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil {
		return Process{}, false
	}
	args, err := parseProcArgs(data)
	if err != nil {
		return Process{}, false
	}
	path := Program(args.path, args.args)
	if path == "" {
		return Process{}, false
	}
	p := NewProcess(pid, started, path, args.args, args.environ, args.environErr())
	return p.withAge(time.Since(time.UnixMicro(int64(started)))), true //nolint:gosec // microseconds of this age
}

// startOf returns the start of a process, in microseconds since 1970; ok is false if it
// has ended.
func startOf(kernel unix.ExternProc) (started uint64, ok bool) {
	at := time.Unix(kernel.P_starttime.Unix())
	return uint64(at.UnixMicro()), kernel.P_stat != stateZombie && at.Unix() > 0
}

// Listeners implements System.
func (d darwin) Listeners(ctx context.Context, p Process) ([]netip.AddrPort, error) {
	all, err := d.sockets.of(ctx, p.PID)
	if err != nil {
		return nil, err
	}
	return reachable(all, heldBy(p.PID)), nil
}

// Verify implements System.
func (d darwin) Verify(ctx context.Context, p Process, addr netip.AddrPort) error {
	now, err := unix.SysctlKinfoProc("kern.proc.pid", p.PID)
	if err != nil {
		return fmt.Errorf("look at process %d again: %w", p.PID, err)
	}
	started, ok := startOf(now.Proc)
	if !ok {
		return fmt.Errorf("look at process %d again: %w", p.PID, errEnded)
	}
	if started != p.started {
		return errReplaced
	}
	return d.sockets.verify(ctx, p.PID, addr)
}
