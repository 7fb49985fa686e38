package probe

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptrace"
	"path"
	"strings"
	"sync/atomic"
	"time"

	"connectrpc.com/connect"

	"windsock/probe/languageserver"
	"windsock/probe/secret"
)

// RPC says how a call is made; what is in it, Call's type parameters say.
type RPC struct {
	// Procedure is one of package languageserver's.
	Procedure string
	// Timeout bounds each try; zero leaves it to the context.
	Timeout time.Duration
	// Once keeps a call from being made again after a byte of it may have left: the
	// server may have carried it out, though nothing came back.
	Once bool
}

// Call makes one RPC on the Session's server, with what request makes of the
// metadata; a request without metadata leaves it out. Where a restart of the
// editor explains a failure and rpc allows it, Call looks for the server once
// more and tries again. The error is a *CallError; if the fresh discovery fails,
// it holds both.
func Call[Request, Response any](
	ctx context.Context, s *Session, rpc RPC, request func(*languageserver.Metadata) *Request,
) (*Response, error) {
	var response *Response
	err := s.twice(ctx, rpc.Once, func(to server, key int) (failed *CallError) {
		response, failed = call[Request, Response](ctx, s, to, to.keys[key], rpc, request)
		return failed
	})
	return response, err
}

// UserStatus asks the Session's server for GetUserStatus once more, in the way in
// which it was asked first, and after a restart of the editor the new one. It
// returns what was sent: at most 4 MB of JSON (PROTOCOL.md 3.1). The error is as
// that of Call.
func (s *Session) UserStatus(ctx context.Context) ([]byte, error) {
	var raw []byte
	err := s.twice(ctx, false, func(to server, key int) *CallError {
		var err error
		if raw, err = s.tryKeys(ctx, to, key); err != nil {
			return &CallError{method: "GetUserStatus", to: to, sent: true, cause: err}
		}
		return nil
	})
	return raw, err
}

// twice makes a call of the Session's server, with the key in use, and makes it
// again where a restart of the editor explains why it failed; but not, with once,
// when a byte of it may have left.
func (s *Session) twice(ctx context.Context, once bool, try func(to server, key int) *CallError) error {
	to, key := s.current()
	failed := try(to, key)
	if failed == nil {
		return nil
	}
	if !restartExplains(failed.cause) || once && failed.sent {
		return failed
	}
	if failure := s.renew(ctx, to); failure != nil {
		failed.search = fmt.Errorf("look for the server again: %w", failure)
		return failed
	}
	again := try(s.current())
	if again == nil {
		return nil
	}
	again.search = fmt.Errorf("before the fresh discovery: %w", wordless(failed.cause))
	return again
}

// renew finds the server again, unless another call has done so since the
// Session talked to old.
func (s *Session) renew(ctx context.Context, old server) *Failure {
	s.renewing.Lock()
	defer s.renewing.Unlock()
	current, _ := s.current()
	if current.endpoint != old.endpoint {
		return nil
	}
	// The question for the status is what shows which key is the right one.
	fresh, failure, _ := s.finder.findOnce(ctx, []Variant{old.variant}, func(fresh *Session) *Failure {
		_, failure := fresh.answer(ctx)
		return failure
	})
	if failure != nil {
		return failure
	}
	s.adopt(fresh)
	return nil
}

func call[Request, Response any](
	ctx context.Context, s *Session, to server, key secret.Secret, rpc RPC, request func(*languageserver.Metadata) *Request,
) (*Response, *CallError) {
	if rpc.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, rpc.Timeout)
		defer cancel()
	}
	var sent atomic.Bool
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(httptrace.GotConnInfo) { sent.Store(true) }, // from here on a byte may leave
	})
	client := connect.NewClient[Request, Response](to.endpoint.client, to.endpoint.base+rpc.Procedure, to.options(maxMessage)...)
	message := request(s.metadata.next(to, key, s.finder.now()))
	response, err := client.CallUnary(ctx, connect.NewRequest(message))
	if err != nil {
		return nil, &CallError{method: path.Base(rpc.Procedure), to: to, sent: sent.Load(), cause: err}
	}
	return response.Msg, nil
}

// options are those of a call to s with an answer of at most that many bytes.
func (s server) options(most int) []connect.ClientOption {
	return []connect.ClientOption{
		connect.WithCodec(jsonCodec{}),
		connect.WithReadMaxBytes(most),
		connect.WithAcceptCompression("gzip", nil, nil), // not worth its time on loopback
		connect.WithInterceptors(withToken(s.process.Token)),
	}
}

// CallError is a call that failed. Its Error is for logs and holds nothing that
// the server wrote; its Sentence is for people.
type CallError struct {
	method string
	to     server
	sent   bool
	cause  error // may hold what the server wrote
	search error // what became of a second try; may be nil, holds nothing of the kind
}

// Error returns the method and what went wrong with it.
func (e *CallError) Error() string {
	text := fmt.Sprintf("call %s: %v", e.method, wordless(e.cause))
	if e.search != nil {
		text += "; " + e.search.Error()
	}
	return text
}

// Unwrap returns what the system said of the call, and what became of a second
// try.
func (e *CallError) Unwrap() []error {
	if e.search != nil {
		return []error{wordless(e.cause), e.search}
	}
	return []error{wordless(e.cause)}
}

// ExitCode returns the exit code of a command that ends with this error.
func (e *CallError) ExitCode() int { return e.failure().ExitCode() }

// Sentence says to a person what happened and what to do about it.
func (e *CallError) Sentence() string { return e.failure().Sentence() }

// App is the app whose server was called, as a person calls it.
func (e *CallError) App() string { return e.to.app }

// Code is the code that the server refused the call with; ok is false where it
// gave none.
func (e *CallError) Code() (code connect.Code, ok bool) {
	return connect.CodeOf(e.cause), connect.IsWireError(e.cause)
}

// Refused reports whether the call certainly had no effect: the server said no, or
// nothing was sent.
func (e *CallError) Refused() bool { return !e.sent || connect.IsWireError(e.cause) }

// Unsupported reports whether the server has no such call: it says so, or
// answers with a bare 404.
func (e *CallError) Unsupported() bool { return connect.CodeOf(e.cause) == connect.CodeUnimplemented }

// Gone reports whether the server that was called is not there any more.
func (e *CallError) Gone() bool { return restartExplains(e.cause) }

// Words are what the server said, for the person to read and for nobody to
// keep: empty where it said nothing, or repeated a secret.
func (e *CallError) Words() string {
	told, ok := errors.AsType[*connect.Error](e.cause)
	if !ok || !connect.IsWireError(e.cause) {
		return ""
	}
	words := told.Message()
	for _, secret := range append([]secret.Secret{e.to.process.Token}, e.to.keys...) {
		if !secret.Empty() && strings.Contains(words, secret.Reveal()) {
			return ""
		}
	}
	return words
}

// failure is that of the fresh discovery where there was one that failed: it
// knows more.
func (e *CallError) failure() *Failure {
	if failure, ok := errors.AsType[*Failure](e.search); ok {
		return failure
	}
	return e.to.failure(e.method, e.cause)
}
