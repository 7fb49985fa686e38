package autostart

// runValues are the two values of the registry that make up an entry.
type runValues interface {
	// command returns the command line that is run, or "".
	command() (string, error)
	setCommand(line string) error
	removeCommand() error
	// approval returns what Task Manager has noted, or nothing.
	approval() ([]byte, error)
	removeApproval() error
}

// runPlace is the Run key of a user on Windows.
type runPlace struct{ values runValues }

func (runPlace) where() string {
	return `Software\Microsoft\Windows\CurrentVersion\Run in HKEY_CURRENT_USER of the registry`
}

func (r runPlace) enabled(p program) (bool, error) {
	line, err := r.values.command()
	if err != nil || !p.runBy(splitCommandLine(line)) {
		return false, err
	}
	approval, err := r.values.approval()
	return err == nil && !switchedOff(approval), err
}

func (r runPlace) enable(p program) error {
	line, err := r.values.command()
	if err != nil {
		return err
	}
	if !p.runBy(splitCommandLine(line)) {
		line, err = joinCommandLine(p.words())
		if err != nil {
			return err
		}
		if err := r.values.setCommand(line); err != nil {
			return err
		}
	}
	return r.values.removeApproval()
}

// disable also takes away what was noted about the entry: it would speak of the next
// one.
func (r runPlace) disable(program) error {
	if err := r.values.removeCommand(); err != nil {
		return err
	}
	return r.values.removeApproval()
}
