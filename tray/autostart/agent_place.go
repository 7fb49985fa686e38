package autostart

import "errors"

func (l agentPlace) enabled(p program) (bool, error) {
	_, a, err := l.read()
	if err != nil {
		return false, err
	}
	return p.runBy(agentCommand(a)), nil
}

// enable replaces a file that is no property list.
func (l agentPlace) enable(p program) error {
	e, a, err := l.read()
	switch {
	case errors.Is(err, errNotPlist) || err == nil && !e.found:
		a, err = newAgent(p)
	case err == nil:
		err = switchAgentOn(a, p)
	}
	if err != nil {
		return err
	}
	return e.write(a.bytes())
}

// disable cannot tell what a file says that is no XML, and so removes it: launchd
// reads the binary form too.
func (l agentPlace) disable(p program) error {
	e, a, err := l.read()
	switch {
	case errors.Is(err, errNotPlist):
		return e.remove()
	case err != nil:
		return err
	case !e.found || a.isTrue(keyDisabled):
		return nil
	case !e.linked && plainAgent(a, p):
		return e.remove()
	}
	a.set(keyDisabled, rawTrue)
	return e.write(a.bytes())
}
