package probe

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"syscall"

	"connectrpc.com/connect"

	"windsock/probe/secret"
)

// signInSentences are what a server writes when no user is signed in, under any code
// (PROTOCOL.md 3.1).
var signInSentences = []string{
	"invalid token",
	"failed to get primary api key",
	"user status is nil",
	"not logged into antigravity",
}

// tokenRefused reports whether a server's error is about the CSRF token: it sends
// permission_denied, or unauthenticated with a message that says so (PROTOCOL.md 3.1 and 8.2).
// A message that repeats the request, and with it the name of the header, does not.
func tokenRefused(code connect.Code, message string) bool {
	message = strings.ToLower(message)
	return code == connect.CodePermissionDenied || code == connect.CodeUnauthenticated &&
		(strings.Contains(message, "missing csrf token") || strings.Contains(message, "invalid csrf token"))
}

// notSignedIn reports whether the server knows no account for the key.
func notSignedIn(err error) bool {
	if err == nil || !connect.IsWireError(err) {
		return false
	}
	text := strings.ToLower(err.Error())
	if connect.CodeOf(err) == connect.CodeUnauthenticated {
		return !tokenRefused(connect.CodeUnauthenticated, text)
	}
	return slices.ContainsFunc(signInSentences, func(s string) bool { return strings.Contains(text, s) })
}

// failure turns the error of a call into a Failure. sent says that a byte of the call
// may have left. Only Words keeps what the server wrote: the server may repeat what it
// was sent.
func (s *server) failure(method string, sent bool, err error) *Failure {
	code, wire := connect.CodeOf(err), connect.IsWireError(err)
	fail := func(c Code, finding string) *Failure {
		return &Failure{
			code: c, app: s.id.App, server: s.id, finding: finding, restart: restartExplains(err),
			cause: fmt.Errorf("call %s: %w", method, ownWords(err)),
			reply: reply{sent: sent, code: code, wire: wire, words: s.words(err)},
		}
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded) || code == connect.CodeDeadlineExceeded:
		return fail(Timeout, method+" took too long")
	case notSignedIn(err) && s.variant.Product == Antigravity:
		// It has been seen to say so while it was signed in (PROTOCOL.md 8.5).
		failure := fail(NotSignedIn, "")
		failure.says = s.id.App + " says that it is not signed in"
		return failure
	case notSignedIn(err):
		return fail(NotSignedIn, "its server knows no account for the stored key")
	case wire && tokenRefused(code, err.Error()):
		return fail(Rejected, "")
	case wire:
		return fail(BadResponse, fmt.Sprintf("%s ended with the error %s", method, code))
	case restartExplains(err):
		return fail(BadResponse, "the connection broke during "+method)
	case code == connect.CodeResourceExhausted:
		return fail(BadResponse, method+" sent far more than an answer holds")
	default:
		return fail(BadResponse, method+" sent something that is no Connect answer")
	}
}

// words are the message of a server's error; empty if it repeats a secret.
func (s *server) words(err error) string {
	told, ok := errors.AsType[*connect.Error](err)
	if !ok || !connect.IsWireError(err) {
		return ""
	}
	words := told.Message()
	for _, hidden := range append([]secret.Secret{s.process.Token}, s.keys...) {
		if !hidden.Empty() && strings.Contains(words, hidden.Reveal()) {
			return ""
		}
	}
	return words
}

// restartExplains reports whether a restart of the editor since discovery is a likely
// cause: there was no HTTP answer (the port is closed or belongs to another process, or
// the connection broke), the answer broke off, or the server rejects the token.
func restartExplains(err error) bool {
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return false
	}
	_, noAnswer := errors.AsType[*noAnswerError](err)
	broken := slices.ContainsFunc(brokenConnection, func(known error) bool { return errors.Is(err, known) })
	return noAnswer || broken ||
		connect.IsWireError(err) && tokenRefused(connect.CodeOf(err), err.Error()) && !notSignedIn(err)
}

// brokenConnection are the errors of a connection that the other end broke. The last
// two are Windows error numbers.
var brokenConnection = []error{io.EOF, io.ErrUnexpectedEOF, syscall.ECONNRESET, syscall.Errno(10054), syscall.Errno(10053)}

// ownWords keeps the part of an error that Windsock or the system wrote. It drops
// messages, status lines and headers of the other end: they may repeat the key.
func ownWords(err error) error {
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
