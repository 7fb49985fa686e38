package chat

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

	pb "windsock/probe/languageserver"
)

// cleanNow is the present of these tests.
var cleanNow = time.Date(2026, 2, 3, 10, 0, 0, 0, time.UTC)

// listing is what a server knows of, by cascade id.
type listing = map[string]*pb.CascadeTrajectorySummary

func daysAgo(days int) time.Time { return cleanNow.Add(-time.Duration(days) * 24 * time.Hour) }

// touched is an idle cascade.
func touched(days int, edits ...func(*pb.CascadeTrajectorySummary)) *pb.CascadeTrajectorySummary {
	s := &pb.CascadeTrajectorySummary{
		Summary:          fmt.Sprintf("%d days old", days),
		LastModifiedTime: timestamppb.New(daysAgo(days)),
		Status:           pb.CascadeRunStatus_CASCADE_RUN_STATUS_IDLE,
	}
	for _, edit := range edits {
		edit(s)
	}
	return s
}

func inState(status pb.CascadeRunStatus) func(*pb.CascadeTrajectorySummary) {
	return func(s *pb.CascadeTrajectorySummary) { s.Status = status }
}

func isRunningNow(s *pb.CascadeTrajectorySummary) {
	s.Status = pb.CascadeRunStatus_CASCADE_RUN_STATUS_RUNNING
}
func isArchived(s *pb.CascadeTrajectorySummary) { s.IsArchived = true }
func isHidden(s *pb.CascadeTrajectorySummary)   { s.Hidden = true }
func isUntimed(s *pb.CascadeTrajectorySummary)  { s.LastModifiedTime = nil }

// fakeServer is a language server that archives.
type fakeServer struct {
	noList, noArchive bool
	listErr           error
	// refuse are the errors of cascades that are not archived.
	refuse map[string]error
	// meanwhile is called before a cascade is archived, or put back.
	meanwhile func(ctx context.Context, id string)

	mu       sync.Mutex // guards what follows
	cascades listing
	calls    []string
	lists    int
	atOnce   int
	most     int
}

func (f *fakeServer) List(context.Context) (map[string]*pb.CascadeTrajectorySummary, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.lists++
	if f.noList {
		return nil, fmt.Errorf("call GetAllCascadeTrajectories: %w", ErrUnsupported)
	}
	return maps.Clone(f.cascades), f.listErr
}

func (f *fakeServer) Archive(ctx context.Context, id string, archived bool) error {
	f.enter(id, archived)
	defer f.leave()
	if f.meanwhile != nil {
		f.meanwhile(ctx, id)
	}
	if f.noArchive {
		return fmt.Errorf("call ArchiveCascadeTrajectory: %w", ErrUnsupported)
	}
	if err := f.refuse[id]; err != nil {
		return err
	}
	f.set(id, func(s *pb.CascadeTrajectorySummary) { s.IsArchived = archived })
	return ctx.Err()
}

func (f *fakeServer) enter(id string, archived bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls = append(f.calls, fmt.Sprintf("%s %t", id, archived))
	f.atOnce++
	f.most = max(f.most, f.atOnce)
}

func (f *fakeServer) leave() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.atOnce--
}

// set changes a cascade, which others may be reading.
func (f *fakeServer) set(id string, edit func(*pb.CascadeTrajectorySummary)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if s, ok := f.cascades[id]; ok {
		s = proto.CloneOf(s)
		edit(s)
		f.cascades[id] = s
	}
}

var errRefused = errors.New("the server said no")

// writeCascade makes the file of a cascade.
func writeCascade(tb testing.TB, codeium, id string, size int, modified time.Time) {
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

// aDozen are ten stale cascades, a running one and a recent one.
func aDozen() listing {
	l := listing{"running": touched(40, isRunningNow), "recent": touched(0)}
	for i := range 10 {
		l[fmt.Sprintf("c%d", i)] = touched(30 - i)
	}
	return l
}

var dozenIDs = []string{"c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8", "c9"}
