package system

// UnreadableError is why a system does not show the environment of a process, in
// which the token should be, where restarting the editor would not help.
type UnreadableError struct {
	finding string // a clause about the process
	Cure    string // a sentence; %s is the app
}

func (e *UnreadableError) Error() string { return e.finding }

var (
	// ErrHardened is for what macOS calls restricted, by its code signature.
	ErrHardened = &UnreadableError{
		"macOS hides the environment of a hardened program",
		"Windsock cannot read this version of %s; please report it.",
	}
	// ErrElevated is for a process of the same desktop on Windows that may not
	// be opened: it has more rights than Windsock.
	ErrElevated = &UnreadableError{
		"Windows does not let Windsock read a program that runs as administrator",
		"Start %s without administrator rights and try again.",
	}
	// ErrBitness is for a 32-bit process on 64-bit Windows, whose memory is laid
	// out in another way.
	ErrBitness = &UnreadableError{
		"it is a 32-bit program, which Windsock cannot read",
		"Install the 64-bit version of %s and try again.",
	}
)
