package cascade

import (
	"time"

	pb "windsock/probe/languageserver"
	"windsock/probe/terminal"
)

// Title is the editor's name for a cascade, in one line: the one that a person gave it,
// else the server's (PROTOCOL.md 7.6); "" if it has none.
func Title(s *pb.CascadeTrajectorySummary) string {
	for _, title := range []string{s.GetRenamedTitle(), s.GetSummary()} {
		if title = terminal.Short(title); title != "" {
			return title
		}
	}
	return ""
}

// Runs reports whether a turn is under way, or prompts wait. An unknown status counts as
// running. A missing one is idle: older servers omit that in the listing.
func Runs(s *pb.CascadeTrajectorySummary) bool {
	switch s.GetStatus() {
	case pb.CascadeRunStatus_CASCADE_RUN_STATUS_IDLE, pb.CascadeRunStatus_CASCADE_RUN_STATUS_UNSPECIFIED:
		return s.GetQueueSize() > 0
	default:
		return true
	}
}

// Modified is zero if the summary has no time, or an impossible one.
func Modified(s *pb.CascadeTrajectorySummary) time.Time {
	stamp := s.GetLastModifiedTime()
	if !stamp.IsValid() || !isTime(stamp.AsTime()) {
		return time.Time{}
	}
	return stamp.AsTime()
}

// isTime rejects the epoch, which many programs use for no time.
func isTime(t time.Time) bool { return t.Unix() > 0 }
