package probe

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"

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

// failure turns what a call of GetUserStatus returned into a Failure, nil for
// nil. What the server wrote stays out of it: it may repeat what it was sent.
func (s server) failure(err error) *Failure {
	if err == nil {
		return nil
	}
	fail := func(code Code, finding string) *Failure {
		return &Failure{
			code: code, app: s.app, server: s.identity(), finding: finding,
			cause: fmt.Errorf("call GetUserStatus: %w", wordless(err)),
		}
	}
	code := connect.CodeOf(err)
	switch {
	case errors.Is(err, context.DeadlineExceeded) || code == connect.CodeDeadlineExceeded || isTimeout(err):
		return fail(Timeout, "GetUserStatus took too long")
	case notSignedIn(err):
		return fail(NotSignedIn, "its server knows no account for the stored key")
	case connect.IsWireError(err) && code == connect.CodePermissionDenied:
		return fail(Rejected, "")
	case connect.IsWireError(err):
		return fail(BadResponse, fmt.Sprintf("GetUserStatus ended with the error %s", code))
	case restartExplains(err):
		return fail(BadResponse, "the connection broke during GetUserStatus")
	case code == connect.CodeResourceExhausted:
		return fail(BadResponse, fmt.Sprintf("GetUserStatus sent more than %d MB", maxMessage>>20))
	default:
		return fail(BadResponse, "GetUserStatus sent something that is no Connect answer")
	}
}

func isTimeout(err error) bool {
	netErr, ok := errors.AsType[net.Error](err)
	return ok && netErr.Timeout()
}

// wordless keeps of a server's error its code alone.
func wordless(err error) error {
	if connect.IsWireError(err) {
		return errors.New(connect.CodeOf(err).String())
	}
	return err
}
