// Package cleantest is for tests of cleaning: a server that archives, and cascades to
// archive.
package cleantest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"windsock/chat/cascade"
	pb "windsock/probe/languageserver"
)

// Now is the present of these tests.
var Now = time.Date(2026, 2, 3, 10, 0, 0, 0, time.UTC)

// Listing is a server's list of cascades, by id.
type Listing = map[string]*pb.CascadeTrajectorySummary

// DaysAgo is that many days before Now.
func DaysAgo(days int) time.Time { return Now.Add(-time.Duration(days) * 24 * time.Hour) }

// Touched is an idle cascade.
func Touched(days int, edits ...func(*pb.CascadeTrajectorySummary)) *pb.CascadeTrajectorySummary {
	s := &pb.CascadeTrajectorySummary{
		Summary:          fmt.Sprintf("%d days old", days),
		LastModifiedTime: timestamppb.New(DaysAgo(days)),
		Status:           pb.CascadeRunStatus_CASCADE_RUN_STATUS_IDLE,
	}
	for _, edit := range edits {
		edit(s)
	}
	return s
}

// InState gives a cascade another state.
func InState(status pb.CascadeRunStatus) func(*pb.CascadeTrajectorySummary) {
	return func(s *pb.CascadeTrajectorySummary) { s.Status = status }
}

// Running marks a cascade as running.
func Running(s *pb.CascadeTrajectorySummary) {
	s.Status = pb.CascadeRunStatus_CASCADE_RUN_STATUS_RUNNING
}

// Archived marks a cascade as archived.
func Archived(s *pb.CascadeTrajectorySummary) { s.IsArchived = true }

// Hidden marks a cascade as hidden.
func Hidden(s *pb.CascadeTrajectorySummary) { s.Hidden = true }

// Untimed removes a cascade's time.
func Untimed(s *pb.CascadeTrajectorySummary) { s.LastModifiedTime = nil }

// Server is a language server that archives.
type Server struct {
	NoList, NoArchive bool
	ListErr           error
	// Refuse are the errors for cascades that are not archived.
	Refuse map[string]error
	// Meanwhile is called before a cascade is archived, or put back.
	Meanwhile func(ctx context.Context, id string)

	mu       sync.Mutex // guards what follows
	Cascades Listing
	Calls    []string
	Lists    int
	atOnce   int
	Most     int
}

// List returns all cascades.
func (f *Server) List(context.Context) (map[string]*pb.CascadeTrajectorySummary, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.Lists++
	if f.NoList {
		return nil, fmt.Errorf("call GetAllCascadeTrajectories: %w", cascade.ErrUnsupported)
	}
	return maps.Clone(f.Cascades), f.ListErr
}

// Archive sets the mark, unless the test makes it fail.
func (f *Server) Archive(ctx context.Context, id string, archived bool) error {
	f.enter(id, archived)
	defer f.leave()
	if f.Meanwhile != nil {
		f.Meanwhile(ctx, id)
	}
	if f.NoArchive {
		return fmt.Errorf("call ArchiveCascadeTrajectory: %w", cascade.ErrUnsupported)
	}
	if err := f.Refuse[id]; err != nil {
		return err
	}
	f.Set(id, func(s *pb.CascadeTrajectorySummary) { s.IsArchived = archived })
	return ctx.Err()
}

// Set changes a cascade, even while others read it.
func (f *Server) Set(id string, edit func(*pb.CascadeTrajectorySummary)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if s, ok := f.Cascades[id]; ok {
		s = proto.CloneOf(s)
		edit(s)
		f.Cascades[id] = s
	}
}

func (f *Server) enter(id string, archived bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.Calls = append(f.Calls, fmt.Sprintf("%s %t", id, archived))
	f.atOnce++
	f.Most = max(f.Most, f.atOnce)
}

func (f *Server) leave() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.atOnce--
}

// ErrRefused is a server's own error.
var ErrRefused = errors.New("the server said no")

// WriteCascade makes the file of a cascade.
func WriteCascade(tb testing.TB, codeium, id string, size int, modified time.Time) {
	tb.Helper()
	path := filepath.Join(codeium, "cascade", id+".pb")
	if err := errors.Join(
		os.MkdirAll(filepath.Dir(path), 0o700),
		os.WriteFile(path, make([]byte, size), 0o600),
		os.Chtimes(path, modified, modified),
	); err != nil {
		tb.Fatal(err)
	}
}

// Dozen is ten stale cascades, a running one and a recent one.
func Dozen() Listing {
	l := Listing{"running": Touched(40, Running), "recent": Touched(0)}
	for i := range 10 {
		l[fmt.Sprintf("c%d", i)] = Touched(30 - i)
	}
	return l
}

// DozenIDs are the stale ones of Dozen.
var DozenIDs = []string{"c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8", "c9"}
