package probe

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"

	"connectrpc.com/connect"
)

// signInSentences are how a server says that nobody is signed in, whatever the
// code is that it sends along (PROTOCOL.md 3.1).
var signInSentences = []string{
	"invalid token",
	"failed to get primary api key",
	"user status is nil",
}

// notSignedIn reports whether the server's answer is that it knows no account
// for the key.
func notSignedIn(err error) bool {
	if err == nil || !connect.IsWireError(err) {
		return false
	}
	if connect.CodeOf(err) == connect.CodeUnauthenticated {
		return true
	}
	text := strings.ToLower(err.Error())
	for _, sentence := range signInSentences {
		if strings.Contains(text, sentence) {
			return true
		}
	}
	return false
}

// failure turns what a call of method returned into a Failure, nil for nil. What
// the server wrote stays out of it: it may repeat what it was sent.
func (s server) failure(method string, err error) *Failure {
	if err == nil {
		return nil
	}
	fail := func(code Code, finding string) *Failure {
		return &Failure{
			code: code, app: s.app, server: s.identity(), finding: finding, restart: restartExplains(err),
			cause: fmt.Errorf("call %s: %w", method, wordless(err)),
		}
	}
	code := connect.CodeOf(err)
	switch {
	case errors.Is(err, context.DeadlineExceeded) || code == connect.CodeDeadlineExceeded:
		return fail(Timeout, method+" took too long")
	case notSignedIn(err):
		return fail(NotSignedIn, "its server knows no account for the stored key")
	case connect.IsWireError(err) && code == connect.CodePermissionDenied:
		return fail(Rejected, "")
	case connect.IsWireError(err):
		return fail(BadResponse, fmt.Sprintf("%s ended with the error %s", method, code))
	case restartExplains(err):
		return fail(BadResponse, "the connection broke during "+method)
	case code == connect.CodeResourceExhausted:
		return fail(BadResponse, method+" sent far more than an answer holds")
	default:
		return fail(BadResponse, method+" sent something that is no Connect answer")
	}
}

// wordless keeps of an error what we or the system say in it. What the other
// end wrote goes, for it may repeat the key: a message, a status line, a header.
func wordless(err error) error {
	if owner, ok := errors.AsType[*ownerError](err); ok {
		return owner
	}
	if other, ok := errors.AsType[*notConnectError](err); ok {
		return other
	}
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		return errno
	}
	for _, known := range []error{context.DeadlineExceeded, context.Canceled, io.EOF, io.ErrUnexpectedEOF} {
		if errors.Is(err, known) {
			return known
		}
	}
	return errors.New(connect.CodeOf(err).String())
}
