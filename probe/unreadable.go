package probe

// unreadableError is why a system does not show the environment of a process, in
// which the token should be, where restarting the editor would not help.
type unreadableError struct {
	finding string // a clause about the process
	cure    string // a sentence; %s is the app
}

func (e *unreadableError) Error() string { return e.finding }

var (
	// errHardened is for what macOS calls restricted, by its code signature.
	errHardened = &unreadableError{
		"macOS hides the environment of a hardened program",
		"Windsock cannot read this version of %s; please report it.",
	}
	// errElevated is for a process of the same desktop on Windows that may not
	// be opened: it has more rights than Windsock.
	errElevated = &unreadableError{
		"Windows does not let Windsock read a program that runs as administrator",
		"Start %s without administrator rights and try again.",
	}
	// errBitness is for a 32-bit process on 64-bit Windows, whose memory is laid
	// out in another way.
	errBitness = &unreadableError{
		"it is a 32-bit program, which Windsock cannot read",
		"Install the 64-bit version of %s and try again.",
	}
)
