package system

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"windsock/probe/redact"
	"windsock/probe/system/sockdiag"
)

// procfs reads /proc directly: it is several times as fast as a portable library, and a
// test can use a root of its own.
type procfs struct {
	root string
	uid  int
	// listening lists the listening sockets of our own network namespace.
	listening func() ([]listener, error)
	// sinceBoot is the clock of the process start times.
	sinceBoot func() (time.Duration, error)
}

// New is the system that this program was built for.
func New() System {
	return procfs{root: "/proc", uid: os.Geteuid(), listening: tcpListeners, sinceBoot: sinceBoot}
}

// sinceBoot asks the kernel: in a container /proc/uptime may be the container's own
// (lxcfs), but start times are those of the host.
func sinceBoot() (time.Duration, error) {
	var now unix.Timespec
	err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &now)
	return time.Duration(now.Nano()), err
}

func tcpListeners() ([]listener, error) {
	sockets, err := sockdiag.Listeners()
	found := make([]listener, len(sockets))
	for i, s := range sockets {
		found[i] = listener{addr: s.Local, holder: s.Inode}
	}
	return found, err
}

// Sizes far above those of real files of /proc.
const (
	maxArgv    = 1 << 20
	maxEnviron = 4 << 20
)

// Processes implements System.
func (f procfs) Processes(ctx context.Context) ([]Process, error) {
	dir, err := os.Open(f.root)
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	names, err := dir.Readdirnames(-1)
	if err := errors.Join(err, dir.Close()); err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	// One after the other, hundreds of processes take as long as all the rest of a
	// `windsock status`. A second thread is worth its start for some of them.
	parts := slices.Collect(slices.Chunk(names, max(lookedAt, len(names)/runtime.GOMAXPROCS(0)+1)))
	found := make([][]Process, len(parts))
	var looking sync.WaitGroup // ends here
	for i, part := range parts {
		looking.Go(func() { found[i] = f.lookAll(ctx, part) })
	}
	looking.Wait()
	return slices.Concat(found...), ctx.Err()
}

// Listeners implements System.
func (f procfs) Listeners(_ context.Context, p Process) ([]netip.AddrPort, error) {
	owned, all, err := f.sockets(p)
	if err != nil {
		return nil, err
	}
	return reachable(all, owned), nil
}

// Verify implements System.
func (f procfs) Verify(_ context.Context, p Process, addr netip.AddrPort) error {
	_, started, err := f.parentAndStart(p.PID)
	if err != nil {
		return fmt.Errorf("look at process %d again: %w", p.PID, err)
	}
	if started != p.started {
		return errReplaced
	}
	owned, all, err := f.sockets(p)
	if err != nil {
		return err
	}
	return checkOwner(all, addr, owned)
}

// lookedAt is the least number of processes that is worth a goroutine.
const lookedAt = 100

// lookAll reads the processes among the names in /proc.
func (f procfs) lookAll(ctx context.Context, names []string) (found []Process) {
	buffer := make([]byte, 512)
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil || ctx.Err() != nil {
			continue
		}
		// A process that ends between two reads is skipped, not an error.
		if p, ok := f.look(pid, buffer); ok {
			found = append(found, p)
		}
	}
	return found
}

// look reads one process. The first bytes of argv rule out most processes; buffer is
// lent for them.
func (f procfs) look(pid int, buffer []byte) (Process, bool) {
	if !f.startsAsServer(pid, buffer) {
		return Process{}, false
	}
	argv, err := f.read(pid, "cmdline", maxArgv)
	if err != nil {
		return Process{}, false
	}
	args := splitNUL(argv)
	if len(args) == 0 {
		return Process{}, false
	}
	path := Program(args[0], args)
	if path == "" || !f.isOurs(pid) {
		return Process{}, false
	}
	parent, started, err := f.parentAndStart(pid)
	if err != nil {
		return Process{}, false
	}
	// Prefer the link to argv[0], which may be relative. The link ends in " (deleted)"
	// once an update has replaced the file.
	if exe, err := os.Readlink(f.file(pid, "exe")); err == nil && path == args[0] {
		path = strings.TrimSuffix(exe, " (deleted)")
	}
	environ, environErr := f.read(pid, "environ", maxEnviron)
	p := NewProcess(pid, started, path, args[1:], splitNUL(environ), environErr)
	p.Parent = parent
	// A start in the future comes from another clock and gives no age.
	now, err := f.sinceBoot()
	if start := time.Duration(started) * tick; err == nil && start <= now { //nolint:gosec // ticks since boot
		p = p.withAge(now - start)
	}
	return p, true
}

// tick is that of USER_HZ, which is 100 on every system that the editor supports.
const tick = time.Second / 100

func (f procfs) file(pid int, name string) string {
	return filepath.Join(f.root, strconv.Itoa(pid), name)
}

func (f procfs) read(pid int, name string, limit int64) ([]byte, error) {
	file, err := os.Open(f.file(pid, name))
	if err != nil {
		return nil, redact.Path(err)
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, limit))
	return data, redact.Path(err)
}

// startsAsServer reads only the first strings of argv, without os.File, which would
// double the system calls: there are hundreds of processes and one to find. All but the
// first string matter for Node alone.
func (f procfs) startsAsServer(pid int, buffer []byte) bool {
	file, err := unix.Open(f.file(pid, "cmdline"), unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return errors.Is(err, unix.EINTR) // look reads the whole argv later
	}
	n, err := unix.Read(file, buffer)
	_ = unix.Close(file)
	if err != nil {
		return errors.Is(err, unix.EINTR)
	}
	first, _, ended := bytes.Cut(buffer[:n], []byte{0})
	if !ended && n == len(buffer) {
		return true // longer than the buffer: as above
	}
	name := baseName(string(first))
	if name != nodeName {
		return serverName(name)
	}
	args := splitNUL(buffer[:n])[1:]
	if n == len(buffer) {
		if args = args[:len(args)-1]; nodeScript(args) == "" { // the last one may be cut off
			return true
		}
	}
	return cliScript(nodeScript(args))
}

// isOurs reports whether the process runs as the current user. It reads the effective
// UID from status, because root owns /proc/PID of an undumpable process.
func (f procfs) isOurs(pid int) bool {
	status, err := f.read(pid, "status", 64<<10)
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(status)) {
		if fields := strings.Fields(line); len(fields) > 2 && fields[0] == "Uid:" {
			uid, err := strconv.Atoi(fields[2])
			return err == nil && uid == f.uid
		}
	}
	return false
}

// parentAndStart returns the parent of a process and its start in clock ticks since
// boot: fields 4 and 22 of stat, counted from behind the name, which may hold blanks
// and brackets. A zombie is an error: it cannot answer.
func (f procfs) parentAndStart(pid int) (parent int, started uint64, _ error) {
	stat, err := f.read(pid, "stat", 16<<10)
	if err != nil {
		return 0, 0, err
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) < 20 {
		return 0, 0, errors.New("stat has too few fields")
	}
	if fields[0] == "Z" || fields[0] == "X" {
		return 0, 0, errEnded
	}
	parent, err = strconv.Atoi(fields[1])
	if err != nil {
		return 0, 0, err
	}
	started, err = strconv.ParseUint(fields[19], 10, 64)
	return parent, started, err
}

// sockets returns every listening socket of p's network namespace, and which of them
// are p's. The namespace must be ours: in another one 127.0.0.1 is another host.
func (f procfs) sockets(p Process) (owned func(listener) bool, listening []listener, err error) {
	here, err := os.Readlink(filepath.Join(f.root, "self", "ns", "net"))
	if err != nil {
		return nil, nil, fmt.Errorf("read own network namespace: %w", redact.Path(err))
	}
	there, err := os.Readlink(f.file(p.PID, "ns/net"))
	if err != nil {
		return nil, nil, fmt.Errorf("read network namespace of process %d: %w", p.PID, redact.Path(err))
	}
	if here != there {
		return nil, nil, ErrNamespace
	}
	inodes, err := f.socketInodes(p.PID)
	if err != nil {
		return nil, nil, fmt.Errorf("read sockets of process %d: %w", p.PID, err)
	}
	listening, err = f.listening()
	return func(l listener) bool { return inodes[l.holder] }, listening, err
}

func (f procfs) socketInodes(pid int) (map[uint64]bool, error) {
	dir, err := os.Open(f.file(pid, "fd"))
	if err != nil {
		return nil, redact.Path(err)
	}
	names, err := dir.Readdirnames(-1)
	if err := errors.Join(err, dir.Close()); err != nil {
		return nil, redact.Path(err)
	}
	inodes := make(map[uint64]bool, len(names))
	for _, name := range names {
		link, err := os.Readlink(f.file(pid, "fd/"+name))
		if err != nil {
			continue // closed meanwhile
		}
		if inode, ok := socketInode(link); ok {
			inodes[inode] = true
		}
	}
	return inodes, nil
}

// socketInode reads the target of a link in /proc/PID/fd.
func socketInode(link string) (uint64, bool) {
	text, ok := strings.CutPrefix(link, "socket:[")
	if !ok {
		return 0, false
	}
	text, ok = strings.CutSuffix(text, "]")
	if !ok {
		return 0, false
	}
	inode, err := strconv.ParseUint(text, 10, 64)
	return inode, err == nil
}
