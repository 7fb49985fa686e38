package status

import "windsock/probe/say"

// exitUnder ends a status whose figures were had and are too low.
const exitUnder = 5

// toldError ends the process with a code; all there is to say has been said.
type toldError struct{ code int }

func (toldError) Error() string   { return "" }
func (e toldError) ExitCode() int { return e.code }

// usageError is a command line that makes no sense.
type usageError struct{ sentence string }

func (e usageError) Error() string    { return e.sentence }
func (e usageError) Sentence() string { return e.sentence }
func (usageError) ExitCode() int      { return 2 }

// senseless reports an error of the command line, such as an editor that does
// not exist, which no second try mends.
func senseless(err error) bool {
	return say.Exit(err) == say.ExitUsage
}
