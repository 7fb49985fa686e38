package probe

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"connectrpc.com/connect"

	"windsock/probe/languageserver"
	"windsock/probe/secret"
)

// Server tells which language server a Session talks to.
type Server struct {
	Variant string // ID of the variant
	App     string // the app that runs it, as a person calls it
	PID     int
}

const (
	// callTimeout is for one GetUserStatus, which asks the cloud.
	callTimeout = 8 * time.Second
	// maxMessage is more than any answer holds.
	maxMessage = 16 << 20
	// maxStatus is more than twenty times what a GetUserStatus holds. To read one
	// that is longer takes several times as much memory, for minutes.
	maxStatus = 4 << 20
)

// Session talks to one language server, with its token and an API key. After a
// restart of the editor it finds the new server by itself.
type Session struct {
	finder   *Finder
	metadata *metadataFactory

	renewing sync.Mutex // held while the server is looked for again

	mu sync.Mutex // guards the fields below
	// server is where calls go; a new one after a re-discovery.
	server server
	// key is the index of the key in use: the first that was not refused.
	key int
}

func newSession(f *Finder, s server) *Session {
	return &Session{finder: f, metadata: processMetadata(), server: s}
}

// Server returns which server the Session talks to at the moment.
func (s *Session) Server() Server {
	current, _ := s.current()
	return current.identity()
}

// Close lets go of the idle connections.
func (s *Session) Close() {
	current, _ := s.current()
	current.endpoint.client.CloseIdleConnections()
}

func (s *Session) current() (server, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.server, s.key
}

// adopt goes over to the server that fresh was opened to.
func (s *Session) adopt(fresh *Session) {
	next, key := fresh.current()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.server.endpoint.client.CloseIdleConnections()
	s.server, s.key = next, key
}

// answer asks the server that the Session has, and no other, for GetUserStatus. It
// returns what was sent, at most 4 MB of JSON (PROTOCOL.md 3.1).
func (s *Session) answer(ctx context.Context) ([]byte, *Failure) {
	current, key := s.current()
	raw, err := s.tryKeys(ctx, current, key)
	return raw, current.failure("GetUserStatus", err)
}

// tryKeys calls with the key at index first, and with the next one where the
// server knows none of an account behind it. The one that works is kept.
func (s *Session) tryKeys(ctx context.Context, to server, first int) ([]byte, error) {
	var err error
	for i := first; i < len(to.keys); i++ {
		var raw []byte
		raw, err = s.callUserStatus(ctx, to, to.keys[i])
		if err == nil {
			s.mu.Lock()
			if s.server.process.PID == to.process.PID {
				s.key = i
			}
			s.mu.Unlock()
			return raw, nil
		}
		if !notSignedIn(err) {
			return nil, err
		}
	}
	return nil, err
}

// callUserStatus makes the call, and makes it again for a while where the server
// says that it is not ready.
func (s *Session) callUserStatus(ctx context.Context, to server, key secret.Secret) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	client := connect.NewClient[languageserver.GetUserStatusRequest, RawJSON](
		to.endpoint.client,
		to.endpoint.base+languageserver.LanguageServerServiceGetUserStatusProcedure,
		to.options(maxStatus)...,
	)
	for delay := firstDelay; ; delay *= 2 {
		request := connect.NewRequest(&languageserver.GetUserStatusRequest{
			Metadata: s.metadata.next(to, key, s.finder.now()),
		})
		response, err := client.CallUnary(ctx, request)
		if err == nil {
			return response.Msg.Data, nil
		}
		if connect.CodeOf(err) != connect.CodeUnavailable || !connect.IsWireError(err) || delay > patience {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(delay):
		}
	}
}

// withToken adds the CSRF token to each request.
func withToken(token secret.Secret) connect.UnaryInterceptorFunc {
	return func(next connect.UnaryFunc) connect.UnaryFunc {
		return func(ctx context.Context, request connect.AnyRequest) (connect.AnyResponse, error) {
			request.Header().Set(csrfHeader, token.Reveal())
			return next(ctx, request)
		}
	}
}

// restartExplains reports whether a restart of the editor since discovery is
// a likely reason: there was no HTTP answer at all (the port is closed or
// another's, the connection broke), it broke off, or the token is not the
// server's.
func restartExplains(err error) bool {
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return false
	}
	_, noAnswer := errors.AsType[*noAnswerError](err)
	brokeOff := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || connectionReset(err)
	return noAnswer || brokeOff ||
		connect.IsWireError(err) && connect.CodeOf(err) == connect.CodePermissionDenied && !notSignedIn(err)
}
