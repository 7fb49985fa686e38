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
	App     string // the app that runs it, as a person calls it
	PID     int
}

const (
	// statusTimeout is for one GetUserStatus, which asks the cloud.
	statusTimeout = 8 * time.Second
	// maxMessage is more than any answer holds.
	maxMessage = 16 << 20
	// maxStatus is more than twenty times what a GetUserStatus holds. To read one
	// that is longer takes several times as much memory, for minutes.
	maxStatus = 4 << 20
)

// Session talks to one language server, with its token and an API key. After a
// restart of the editor it finds the new server by itself.
type Session struct {
	finder *Finder

	renewing sync.Mutex // held while the server is looked for again

	mu sync.Mutex // guards the fields below
	// server is where calls go; a new one after a re-discovery.
	server *server
	// key is the index of the key in use: the first that was not refused.
	key int
}

// Server returns which server the Session talks to at the moment.
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

// Close lets go of the idle connections.
func (s *Session) Close() {
	current, _ := s.current()
	current.client.CloseIdleConnections()
}

// UserStatus asks the Session's server for GetUserStatus, and after a restart of the
// editor the new one. It returns what was sent: at most 4 MB of JSON (PROTOCOL.md
// 3.1). The error is a *Failure.
func (s *Session) UserStatus(ctx context.Context) ([]byte, error) {
	var raw []byte
	failure := s.twice(ctx, false, func(to *server, key int) (failed *Failure) {
		raw, failed = s.status(ctx, to, key)
		return failed
	})
	if failure != nil {
		return nil, failure
	}
	return raw, nil
}

// answer is UserStatus of the server that the Session has, and of no other.
func (s *Session) answer(ctx context.Context) ([]byte, *Failure) {
	to, key := s.current()
	return s.status(ctx, to, key)
}

// status asks with the key at index first, and with the next one where the server
// knows no account for it. The one that works is kept.
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

// statusOf asks with one key, and asks again for a while where the server says that
// it is not ready.
func (s *Session) statusOf(ctx context.Context, to *server, key int) ([]byte, *Failure) {
	ctx, cancel := context.WithTimeout(ctx, statusTimeout)
	defer cancel()
	rpc := RPC{Procedure: languageserver.LanguageServerServiceGetUserStatusProcedure, most: maxStatus}
	for delay := firstDelay; ; delay *= 2 {
		answer, failure := call[languageserver.GetUserStatusRequest, RawJSON](ctx, to, key, rpc, func(m *languageserver.Metadata) *languageserver.GetUserStatusRequest {
			return &languageserver.GetUserStatusRequest{Metadata: m}
		})
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
	// The question for the status is what shows which key is the right one.
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
