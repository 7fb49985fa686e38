package process

import (
	"bytes"
	"os"

	"golang.org/x/sys/unix"
)

// marked returns the processes of this user that were started with that variable. The
// environment stands behind the arguments. The system does not show that of its own
// programs.
func marked(variable string) (pids []int) {
	all, err := unix.SysctlKinfoProcSlice("kern.proc.uid", os.Geteuid())
	if err != nil {
		return nil
	}
	for i := range all {
		pid := int(all[i].Proc.P_pid)
		if pid == os.Getpid() {
			continue
		}
		data, err := unix.SysctlRaw("kern.procargs2", pid)
		if err == nil && bytes.Contains(data, []byte("\x00"+variable+"\x00")) {
			pids = append(pids, pid)
		}
	}
	return pids
}
