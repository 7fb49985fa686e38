package probe

import (
	"context"
	"errors"
	"path/filepath"
)

// Servers opens a Session to every server of the first variant of the list that
// has one that answers, the newest first: each window of the editor has its own.
// It fails where another one of that variant cannot be asked, since nobody else
// knows what that one runs; a process without a port is none (a parent of one,
// PROTOCOL.md 4.2). The error is a *Failure. The Sessions are the caller's to close.
func (f *Finder) Servers(ctx context.Context, list []Variant) ([]*Session, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	var sessions []*Session
	failure := f.persist(ctx, func() (failure *Failure, starting bool) {
		sessions, failure, starting = f.serversOnce(ctx, list)
		return failure, starting
	})
	if failure != nil {
		return nil, failure
	}
	return sessions, nil
}

func (f *Finder) serversOnce(ctx context.Context, list []Variant) (sessions []*Session, worst *Failure, starting bool) {
	all, failure := f.processes(ctx, list)
	if failure != nil {
		return nil, failure, false
	}
	for _, v := range list {
		candidates := f.candidates(v, all)
		var silent *Failure
		for _, c := range candidates {
			s, failure := c.open(ctx)
			if failure == nil {
				sessions = append(sessions, s)
				continue
			}
			starting = starting || c.mayYetAnswer(failure)
			worst = further(worst, failure)
			if !errors.Is(failure, errNoListener) {
				silent = further(silent, failure)
			}
		}
		switch {
		case len(sessions) > 0 && silent != nil:
			for _, s := range sessions {
				s.Close()
			}
			return nil, silent, starting
		case len(sessions) > 0:
			return sessions, nil, false
		}
		if len(candidates) == 0 {
			worst = further(worst, f.notRunning(v, list))
		}
	}
	return nil, worst, starting
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
	return filepath.Join(s.finder.where.Home, dir)
}
