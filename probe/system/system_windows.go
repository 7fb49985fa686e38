package system

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// win lists processes from a snapshot, reads the memory of those that are servers, and
// lists all listening sockets from one table.
//
// Under Wine the Wine server holds the sockets of all programs, so the table names no
// process for them: no server has a known port there.
type win struct {
	listening func() ([]listener, error)
}

// New is the system that this program was built for.
func New() System { return win{listening: tcpListeners} }

// Processes implements System.
func (w win) Processes(ctx context.Context) ([]Process, error) {
	snapshot, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPPROCESS, 0)
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	defer windows.CloseHandle(snapshot) //nolint:errcheck // what was only read has nothing to tell
	us, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return nil, fmt.Errorf("read own user: %w", err)
	}
	var found []Process
	entry := windows.ProcessEntry32{Size: uint32(unsafe.Sizeof(windows.ProcessEntry32{}))}
	for err = windows.Process32First(snapshot, &entry); err == nil; err = windows.Process32Next(snapshot, &entry) {
		name := baseName(windows.UTF16ToString(entry.ExeFile[:]))
		if !serverName(name) && name != nodeName || ctx.Err() != nil {
			continue
		}
		// A process that ends between two reads is skipped, not an error.
		if p, ok := look(entry.ProcessID, us.User.Sid); ok {
			p.Parent = int(entry.ParentProcessID)
			found = append(found, p)
		}
	}
	if !errors.Is(err, windows.ERROR_NO_MORE_FILES) {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	return found, ctx.Err()
}

// look reads one process, if it is the user's.
func look(pid uint32, user *windows.SID) (Process, bool) {
	const readable = windows.PROCESS_QUERY_INFORMATION | windows.PROCESS_VM_READ
	handle, openErr := windows.OpenProcess(readable, false, pid)
	if openErr != nil {
		var err error
		if handle, err = windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, pid); err != nil {
			return Process{}, false
		}
	}
	defer windows.CloseHandle(handle) //nolint:errcheck // what was only read has nothing to tell
	started, err := startOf(handle)
	if err != nil || !isOurs(handle, pid, user) {
		return Process{}, false
	}
	path, err := imagePath(handle)
	if err != nil {
		return Process{}, false
	}
	var args, environ []string
	environErr := error(ErrElevated)
	if openErr == nil {
		args, environ, environErr = startParameters(handle)
	}
	if path = Program(path, args); path == "" {
		return Process{}, false
	}
	p := NewProcess(int(pid), started, path, args, environ, environErr)
	return p.withAge(time.Since(time.Unix(0, int64(started)))), true //nolint:gosec // nanoseconds of this age
}

// isOurs reports whether a process runs as the user. A process with more rights may
// refuse to tell. On our own desktop it counts as the user's: the user gave it those
// rights.
func isOurs(process windows.Handle, pid uint32, user *windows.SID) bool {
	var token windows.Token
	if err := windows.OpenProcessToken(process, windows.TOKEN_QUERY, &token); err != nil {
		var theirs, ours uint32
		err := errors.Join(
			windows.ProcessIdToSessionId(pid, &theirs),
			windows.ProcessIdToSessionId(windows.GetCurrentProcessId(), &ours),
		)
		return err == nil && theirs == ours
	}
	defer token.Close() //nolint:errcheck // what was only read has nothing to tell
	them, err := token.GetTokenUser()
	return err == nil && them.User.Sid.Equals(user)
}

// startOf returns the start of a process, in nanoseconds since 1970. A process that has
// ended exists as long as another one has a handle to it; that is an error.
func startOf(process windows.Handle) (uint64, error) {
	const stillActive = 259
	var code uint32
	if err := windows.GetExitCodeProcess(process, &code); err != nil {
		return 0, err
	}
	if code != stillActive {
		return 0, errEnded
	}
	var created, exited, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(process, &created, &exited, &kernel, &user); err != nil {
		return 0, err
	}
	return uint64(max(created.Nanoseconds(), 0)), nil
}

// imagePath returns the path of the executable, in upper and lower case as on the disk.
func imagePath(process windows.Handle) (string, error) {
	size := uint32(windows.MAX_LONG_PATH)
	buffer := make([]uint16, size)
	if err := windows.QueryFullProcessImageName(process, 0, &buffer[0], &size); err != nil {
		return "", err
	}
	return windows.UTF16ToString(buffer[:size]), nil
}

// Listeners implements System.
func (w win) Listeners(_ context.Context, p Process) ([]netip.AddrPort, error) {
	all, err := w.listening()
	if err != nil {
		return nil, err
	}
	return reachable(all, heldBy(p.PID)), nil
}

// Verify implements System.
func (w win) Verify(_ context.Context, p Process, addr netip.AddrPort) error {
	handle, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(p.PID)) //nolint:gosec // a PID
	if err != nil {
		return fmt.Errorf("look at process %d again: %w", p.PID, err)
	}
	defer windows.CloseHandle(handle) //nolint:errcheck // what was only read has nothing to tell
	started, err := startOf(handle)
	if err != nil {
		return fmt.Errorf("look at process %d again: %w", p.PID, err)
	}
	if started != p.started {
		return errReplaced
	}
	all, err := w.listening()
	if err != nil {
		return err
	}
	return checkOwner(all, addr, heldBy(p.PID))
}
