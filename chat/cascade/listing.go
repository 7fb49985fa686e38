package cascade

import (
	"strings"
	"time"

	"github.com/tidwall/gjson"
	"google.golang.org/protobuf/types/known/timestamppb"

	"windsock/probe/jsoncheck"
	pb "windsock/probe/languageserver"
)

// readListing reads an answer to GetAllCascadeTrajectories, which may have thousands
// of entries, in a fraction of protojson's time. It knows only the form that servers
// write. For any other form, valid or not, ok is false, and protojson decides. It
// skips the fields that no rule reads, and those that a later server adds.
func readListing(answer []byte) (all map[string]*pb.CascadeTrajectorySummary, ok bool) {
	if !jsoncheck.Valid(answer) {
		return nil, false
	}
	whole := gjson.ParseBytes(answer)
	var summaries gjson.Result
	ok = whole.IsObject()
	whole.ForEach(func(key, v gjson.Result) bool {
		switch key.Str {
		case "trajectorySummaries":
			ok = ok && v.IsObject() && !summaries.Exists()
			summaries = v
		case "trajectory_summaries":
			ok = false
		}
		return ok
	})
	if !ok {
		return nil, false
	}
	all = map[string]*pb.CascadeTrajectorySummary{}
	summaries.ForEach(func(id, summary gjson.Result) bool {
		r := listingReader{ok: summary.IsObject()}
		s := r.summary(summary)
		all[strings.Clone(id.Str)] = s
		ok = ok && r.ok
		return ok
	})
	return all, ok
}

// listingReader reads one entry. Its texts share no memory with the answer.
type listingReader struct{ ok bool }

func (r *listingReader) summary(from gjson.Result) *pb.CascadeTrajectorySummary {
	s := &pb.CascadeTrajectorySummary{}
	from.ForEach(func(key, v gjson.Result) bool {
		switch key.Str {
		case "summary":
			s.Summary = r.text(v)
		case "renamedTitle":
			s.RenamedTitle = new(r.text(v))
		case "stepCount":
			s.StepCount = r.count(v)
		case "queueSize":
			s.QueueSize = r.count(v)
		case "lastModifiedTime":
			s.LastModifiedTime = r.time(v)
		case "createdTime":
			s.CreatedTime = r.time(v)
		case "lastUserInputTime":
			s.LastUserInputTime = r.time(v)
		case "isArchived":
			s.IsArchived = r.flag(v)
		case "hidden":
			s.Hidden = r.flag(v)
		case "status":
			name := r.text(v)
			status, known := pb.CascadeRunStatus_value[name]
			s.Status = pb.CascadeRunStatus(status)
			if !known {
				s.Status = unknownStatus
			}
		case "trajectoryType":
			s.TrajectoryType = pb.CortexTrajectoryType(pb.CortexTrajectoryType_value[r.text(v)])
		case "trajectorySource":
			s.TrajectorySource = pb.CortexTrajectorySource(pb.CortexTrajectorySource_value[r.text(v)])
		case "workspaces":
			s.Workspaces = r.workspaces(v)
		default:
			// JSON may also give a field its other name.
			r.ok = r.ok && !strings.Contains(key.Str, "_")
		}
		return r.ok
	})
	return s
}

func (r *listingReader) workspaces(from gjson.Result) []*pb.CortexWorkspaceMetadata {
	var all []*pb.CortexWorkspaceMetadata
	r.ok = r.ok && from.IsArray()
	from.ForEach(func(_, workspace gjson.Result) bool {
		w := &pb.CortexWorkspaceMetadata{}
		r.ok = r.ok && workspace.IsObject()
		workspace.ForEach(func(key, v gjson.Result) bool {
			switch key.Str {
			case "workspaceFolderAbsoluteUri":
				w.WorkspaceFolderAbsoluteUri = r.text(v)
			case "gitRootAbsoluteUri":
				w.GitRootAbsoluteUri = r.text(v)
			default:
				r.ok = r.ok && !strings.Contains(key.Str, "_")
			}
			return r.ok
		})
		all = append(all, w)
		return r.ok
	})
	return all
}

func (r *listingReader) text(v gjson.Result) string {
	r.ok = r.ok && v.Type == gjson.String
	return strings.Clone(v.Str)
}

func (r *listingReader) flag(v gjson.Result) bool {
	r.ok = r.ok && v.IsBool()
	return v.Type == gjson.True
}

func (r *listingReader) count(v gjson.Result) uint32 {
	n := uint32(v.Num)
	r.ok = r.ok && v.Type == gjson.Number && v.Num >= 0 && float64(n) == v.Num
	return n
}

func (r *listingReader) time(v gjson.Result) *timestamppb.Timestamp {
	t, err := time.Parse(time.RFC3339Nano, v.Str)
	stamp := timestamppb.New(t)
	r.ok = r.ok && v.Type == gjson.String && err == nil && stamp.IsValid()
	return stamp
}
