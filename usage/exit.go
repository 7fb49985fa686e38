package usage

import (
	"errors"
	"io"
	"io/fs"
	"os"
)

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

// fileError is a saved answer that cannot be read. It does not repeat the
// file's name, which may hold a user's.
type fileError struct {
	sentence string
	cause    error
}

func (e *fileError) Error() string {
	if e.cause == nil {
		return "read answer: too large"
	}
	return "read answer: " + e.cause.Error()
}

func (e *fileError) Unwrap() error    { return e.cause }
func (*fileError) Code() string       { return CodeBadPayload }
func (e *fileError) Sentence() string { return e.sentence }
func (*fileError) ExitCode() int      { return 1 }

// maxAnswer is a hundred times the largest answer seen.
const maxAnswer = 16 << 20

// readAnswer reads a saved answer from a file, or from stdin for "-".
func readAnswer(name string, stdin io.Reader) ([]byte, error) {
	in := stdin
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, unreadableFile(err)
		}
		defer f.Close()
		in = f
	}
	raw, err := io.ReadAll(io.LimitReader(in, maxAnswer+1))
	if err != nil {
		return nil, unreadableFile(err)
	}
	if len(raw) > maxAnswer {
		return nil, &fileError{sentence: "The file given to --from is larger than 16 MB, which no answer is. Give it a saved answer."}
	}
	return raw, nil
}

func unreadableFile(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		err = p.Err
	}
	return &fileError{
		sentence: "The file given to --from cannot be read: " + err.Error() + ". Check its name and its permissions.",
		cause:    err,
	}
}
