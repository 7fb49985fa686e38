package probe

import (
	"context"
	"path/filepath"
	"sync"
	"time"

	"connectrpc.com/connect"

	"windsock/probe/languageserver"
)

// Server tells which language server a Session talks to.
type Server struct {
	Variant string // ID of the variant
	App     string // display name of the app that runs it
	PID     int
}

const (
	// statusTimeout bounds one GetUserStatus, for which the server asks its cloud.
	statusTimeout = 8 * time.Second
	// maxMessage is more than any response holds, or what is picked from it.
	maxMessage = 16 << 20
	// maxPicked is for a response of which little is picked: ten times the size of a
	// large cascade's file (PROTOCOL.md 7.10).
	maxPicked = 256 << 20
	// usualStatus is half as much again as a GetUserStatus, which is mostly models.
	usualStatus = 224 << 10
	// maxStatus is more than twenty times the size of a GetUserStatus. Reading a longer
	// one takes several times as much memory, for minutes.
	maxStatus = 4 << 20
)

// Session talks to one language server, with its token and an API key. It finds the new
// server after a restart of the editor.
type Session struct {
	finder *Finder

	renewing sync.Mutex // held during the search for the server

	mu sync.Mutex // guards the fields below
	// server receives the calls. A re-discovery replaces it.
	server *server
	// key is the index of the key in use: the first that was not refused.
	key int
}

// Server returns the server that the Session talks to at the moment.
func (s *Session) Server() Server {
	current, _ := s.current()
	return current.id
}

// CodeiumDir is where the Session's server keeps its cascades, below the home
// directory (PROTOCOL.md 7.10).
func (s *Session) CodeiumDir() string {
	current, _ := s.current()
	dir := current.process.CodeiumDir
	switch {
	case filepath.IsAbs(dir):
		return dir
	case dir == "" || !filepath.IsLocal(dir):
		dir = filepath.Join(".codeium", current.variant.ideName)
	}
	return filepath.Join(s.finder.dirs.Home, dir)
}

// Close closes the idle connections.
func (s *Session) Close() {
	current, _ := s.current()
	current.client.CloseIdleConnections()
}

// UserStatus calls GetUserStatus; after a restart of the editor, on the new server. It
// returns the response as sent: at most 4 MB of JSON (PROTOCOL.md 3.1). Of Antigravity's
// server it returns what Answer.Raw says. The error is a *Failure.
func (s *Session) UserStatus(ctx context.Context) ([]byte, error) {
	var raw []byte
	failure := s.twice(ctx, false, func(to *server, key int) (failed *Failure) {
		raw, _, failed = s.ask(ctx, to, key)
		return failed
	})
	if failure != nil {
		return nil, failure
	}
	return raw, nil
}

// answer is UserStatus without a search for a new server. method is the RPC that the
// response is of.
func (s *Session) answer(ctx context.Context) (raw []byte, method string, _ *Failure) {
	to, key := s.current()
	return s.ask(ctx, to, key)
}

// ask asks a server what is left of the plan, as its product takes that question.
func (s *Session) ask(ctx context.Context, to *server, key int) (raw []byte, method string, failure *Failure) {
	if to.variant.Product == Antigravity {
		return to.quota(ctx)
	}
	raw, failure = s.status(ctx, to, key)
	return raw, methodStatus, failure
}

// status tries the keys from index first on, until the server knows an account for one.
// It keeps the key that works.
func (s *Session) status(ctx context.Context, to *server, first int) (raw []byte, failure *Failure) {
	for i := first; i < len(to.keys); i++ {
		raw, failure = s.statusOf(ctx, to, i)
		if failure == nil {
			s.mu.Lock()
			if s.server == to {
				s.key = i
			}
			s.mu.Unlock()
			return raw, nil
		}
		if failure.code != NotSignedIn {
			break
		}
	}
	return nil, failure
}

// statusOf asks with one key. It repeats the call for a while if the server is not
// ready.
func (s *Session) statusOf(ctx context.Context, to *server, key int) ([]byte, *Failure) {
	ctx, cancel := context.WithTimeout(ctx, statusTimeout)
	defer cancel()
	rpc := RPC{Procedure: languageserver.LanguageServerServiceGetUserStatusProcedure, room: usualStatus, most: maxStatus}
	for delay := firstDelay; ; delay *= 2 {
		var answer RawJSON
		failure := call(ctx, to, key, rpc, userStatus, &answer)
		if failure == nil {
			return answer.Data, nil
		}
		if code, ok := failure.Refusal(); !ok || code != connect.CodeUnavailable || delay > startupWait {
			return nil, failure
		}
		select {
		case <-ctx.Done():
			return nil, failure
		case <-time.After(delay):
		}
	}
}

// userStatus is the request that asks for the status.
func userStatus(m *languageserver.Metadata) any {
	return &languageserver.GetUserStatusRequest{Metadata: m}
}

func (s *Session) current() (to *server, key int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.server, s.key
}

// renew finds the server again, unless another call has done so since the
// Session talked to old.
func (s *Session) renew(ctx context.Context, old *server) *Failure {
	s.renewing.Lock()
	defer s.renewing.Unlock()
	if current, _ := s.current(); current != old {
		return nil
	}
	// GetUserStatus shows which key is the right one.
	_, fresh, o := s.finder.findOnce(ctx, []Variant{old.variant})
	if o.failure != nil {
		return o.failure
	}
	next, key := fresh.current()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.server.client.CloseIdleConnections()
	s.server, s.key = next, key
	return nil
}
