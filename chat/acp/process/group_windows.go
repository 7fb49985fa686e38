package process

import (
	"fmt"
	"os/exec"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// group is a job object: it has the program and all that this starts, and ends them
// when its last handle is closed, also that of a killed Windsock.
type group struct {
	job   windows.Handle
	close func()
}

// startGroup starts the program suspended, so that it starts nothing before it is in
// the job. It has no console; one would flash up.
func startGroup(cmd *exec.Cmd) (group, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return group{close: func() {}}, fmt.Errorf("make job: %w", err)
	}
	g := group{job, sync.OnceFunc(func() { _ = windows.CloseHandle(job) })}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE},
	}
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err != nil {
		g.close()
		return g, fmt.Errorf("limit job: %w", err)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.CREATE_NO_WINDOW | windows.CREATE_SUSPENDED}
	if err := cmd.Start(); err != nil {
		g.close()
		return g, err
	}
	if err := g.admit(uint32(cmd.Process.Pid)); err != nil { //nolint:gosec // the system's number
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it has done nothing
		g.close()
		return g, err
	}
	return g, nil
}

// admit puts a suspended process into the job, and lets it run.
func (g group) admit(pid uint32) error {
	process, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, pid)
	if err != nil {
		return fmt.Errorf("open agent: %w", err)
	}
	defer func() { _ = windows.CloseHandle(process) }()
	if err := windows.AssignProcessToJobObject(g.job, process); err != nil {
		return fmt.Errorf("put agent into job: %w", err)
	}
	return resume(pid)
}

// resume lets the one thread of a suspended process run.
func resume(pid uint32) error {
	all, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPTHREAD, 0)
	if err != nil {
		return fmt.Errorf("list threads: %w", err)
	}
	defer func() { _ = windows.CloseHandle(all) }()
	entry := windows.ThreadEntry32{Size: uint32(unsafe.Sizeof(windows.ThreadEntry32{}))}
	for err = windows.Thread32First(all, &entry); err == nil; err = windows.Thread32Next(all, &entry) {
		if entry.OwnerProcessID != pid {
			continue
		}
		thread, err := windows.OpenThread(windows.THREAD_SUSPEND_RESUME, false, entry.ThreadID)
		if err != nil {
			return fmt.Errorf("open thread: %w", err)
		}
		defer func() { _ = windows.CloseHandle(thread) }()
		if _, err := windows.ResumeThread(thread); err != nil {
			return fmt.Errorf("resume agent: %w", err)
		}
		return nil
	}
	return fmt.Errorf("find thread: %w", err)
}

// terminate returns false: a program without console or window can only be killed.
func (group) terminate() bool { return false }

func (g group) kill() { _ = windows.TerminateJobObject(g.job, 1) } // an empty job is what was wanted
