package system

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"windsock/probe/redact"
)

// lsof lists listening sockets with the program of that name. macOS has no other
// documented way. lsof shows the current user's processes only.
type lsof struct {
	program string // path of the program
}

// lsofTimeout bounds one run. A run for one process takes tens of milliseconds.
const lsofTimeout = 3 * time.Second

// lsofDelay is how long to wait for the output after lsof ended or was killed: a child
// may keep it open.
const lsofDelay = time.Second

// of returns the listening sockets of a process.
func (l lsof) of(ctx context.Context, pid int) ([]listener, error) {
	// Without -a it would list the process's files and the sockets of all processes.
	return l.list(ctx, "-a", "-p", strconv.Itoa(pid), "-iTCP")
}

// at returns the sockets of all processes that listen on a port.
func (l lsof) at(ctx context.Context, port uint16) ([]listener, error) {
	return l.list(ctx, "-iTCP:"+strconv.Itoa(int(port)))
}

// verify returns nil if the process accepts the connections to addr. A listing of all
// processes takes several times as long as that of one. So verify lists all only if
// another process can intercept the connection: a socket at one address takes
// precedence over one at all of them.
func (l lsof) verify(ctx context.Context, pid int, addr netip.AddrPort) error {
	own, err := l.of(ctx, pid)
	if err != nil {
		return err
	}
	for _, socket := range own {
		if socket.addr == addr {
			return nil
		}
	}
	if err := checkOwner(own, addr, heldBy(pid)); err != nil {
		return err
	}
	all, err := l.at(ctx, addr.Port())
	if err != nil {
		return err
	}
	return checkOwner(all, addr, heldBy(pid))
}

func (l lsof) list(ctx context.Context, selection ...string) ([]listener, error) {
	ctx, cancel := context.WithTimeout(ctx, lsofTimeout)
	defer cancel()
	// Numbers instead of names, no warnings; fields of PID, file, type and name.
	args := append([]string{"-nP", "-w", "-sTCP:LISTEN", "-F", "pftn"}, selection...)
	cmd := exec.CommandContext(ctx, l.program, args...)
	cmd.Env = []string{"LC_ALL=C"}
	cmd.WaitDelay = lsofDelay
	output, err := cmd.Output()
	// It also exits with 1 if a part of the selection does not exist.
	exit, ok := errors.AsType[*exec.ExitError](err)
	if err != nil && (!ok || exit.ExitCode() != 1 || len(output) == 0 && len(exit.Stderr) > 0) {
		return nil, fmt.Errorf("list sockets by lsof: %w", redact.Path(err))
	}
	return parseLsof(output), nil
}

// parseLsof reads lsof's fields, one a line. The first letter is the field: p (PID) for
// a process, and for each of its files f (descriptor), t (IPv4 or IPv6) and n
// ("127.0.0.1:42100", "[::1]:42100", "*:42100"). It ignores other forms, and
// connections ("… -> …").
func parseLsof(data []byte) []listener {
	var found []listener
	var holder uint64
	var kind string
	for line := range bytes.Lines(data) {
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			continue
		}
		value := string(line[1:])
		switch line[0] {
		case 'p':
			pid, err := strconv.ParseInt(value, 10, 32)
			holder, kind = uint64(max(pid, 0)), ""
			if err != nil {
				holder = 0
			}
		case 'f':
			kind = ""
		case 't':
			kind = value
		case 'n':
			if addr, ok := parseLsofName(kind, value); ok && holder != 0 {
				found = append(found, listener{addr: addr, holder: holder})
			}
		}
	}
	return found
}

// parseLsofName reads an address and a port. "*" is every address of its family.
func parseLsofName(kind, name string) (netip.AddrPort, bool) {
	every := "0.0.0.0:"
	if kind == "IPv6" {
		every = "[::]:"
	}
	if port, ok := strings.CutPrefix(name, "*:"); ok {
		name = every + port
	}
	addr, err := netip.ParseAddrPort(name)
	return netip.AddrPortFrom(addr.Addr().Unmap(), addr.Port()), err == nil && addr.Port() != 0
}
