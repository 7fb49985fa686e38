package system

import (
	"bytes"
	"encoding/binary"
	"errors"
)

// procArgs is what macOS reports of a process with kern.procargs2.
type procArgs struct {
	path    string   // of the executable, as it was started
	args    []string // argv, its first string included
	environ []string // nil where the system hides it
}

// environErr is ErrHardened where the environment is hidden.
func (a procArgs) environErr() error {
	if a.environ == nil {
		return ErrHardened
	}
	return nil
}

var errProcArgs = errors.New("the arguments are not in the form that macOS gives them")

// parseProcArgs reads the value of kern.procargs2 (sysctl_procargsx in
// bsd/kern/kern_sysctl.c of XNU): the number of arguments in 32 bits, little-endian on
// every Mac of today, then strings that each end in a NUL. First comes the path, padded
// with NULs to a multiple of the word. Then come the arguments (all but the first may
// be empty: the kernel, too, takes NULs after the path for padding), the environment
// and, in the same form, the kernel's information for the loader. If the environment is
// hidden, nothing follows the arguments.
func parseProcArgs(data []byte) (procArgs, error) {
	if len(data) < 4 {
		return procArgs{}, errProcArgs
	}
	count := binary.LittleEndian.Uint32(data)
	path, rest, ok := bytes.Cut(data[4:], []byte{0})
	if !ok || len(path) == 0 {
		return procArgs{}, errProcArgs
	}
	found := procArgs{path: string(path)}
	rest = bytes.TrimLeft(rest, "\x00")
	for range count {
		var arg []byte
		if arg, rest, ok = bytes.Cut(rest, []byte{0}); !ok {
			return procArgs{}, errProcArgs
		}
		found.args = append(found.args, string(arg))
	}
	for _, entry := range splitNUL(rest) {
		if entry != "" {
			found.environ = append(found.environ, entry)
		}
	}
	return found, nil
}
