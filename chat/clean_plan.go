package chat

import (
	"cmp"
	"slices"
	"time"

	pb "windsock/probe/languageserver"
)

// CleanPlan is what a run would archive, and what it would not.
type CleanPlan struct {
	// Rules are those that the plan was made by, and At is its time.
	Rules CleanRules
	At    time.Time
	// Items are the stale cascades, the oldest first.
	Items []CleanItem
	Kept  CleanKept
	// FilesOnly says that no server lists its cascades, so that the files are all
	// that is known of them.
	FilesOnly bool
}

// Bytes is what the items of known size take on disk, and unknown how many have
// none.
func (p CleanPlan) Bytes() (sum int64, unknown int) {
	for _, item := range p.Items {
		if item.BytesKnown {
			sum += item.Bytes
		} else {
			unknown++
		}
	}
	return sum, unknown
}

// CleanItem is a stale cascade.
type CleanItem struct {
	CascadeID string
	// Title and Workspace, the base name of its folder, are of one line and fit
	// for a terminal. Workspace may be empty.
	Title, Workspace string
	// LastTouched is the later of the server's time and the file's.
	LastTouched time.Time
	// Bytes is the size of its file, if that is known.
	Bytes      int64
	BytesKnown bool
}

// CleanKept counts the cascades that stay, each by the first reason that holds.
type CleanKept struct {
	// Running are those that a server is busy with, or has prompts waiting for.
	Running int `json:"running"`
	// Archived are archived already.
	Archived int `json:"archived"`
	// Hidden are those that the editor does not show either.
	Hidden int `json:"hidden"`
	// UnknownTime are those of which nobody knows when they were touched last.
	UnknownTime int `json:"unknown_time"`
	// Newest are among the newest, of which so many are kept.
	Newest int `json:"newest"`
	// Recent are not old enough.
	Recent int `json:"recent"`
	// UnusableID have an id that is none.
	UnusableID int `json:"unusable_id"`
}

func (k *CleanKept) total() int {
	return k.Running + k.Archived + k.Hidden + k.UnknownTime + k.Newest + k.Recent + k.UnusableID
}

// knownCascade is a cascade as all servers and its file tell of it.
type knownCascade struct {
	id                        string
	summary                   *pb.CascadeTrajectorySummary // of the server that knows the latest of it; nil without any
	touched                   time.Time                    // zero where it is not known
	running, archived, hidden bool
	newest                    bool
	file                      cascadeFile
	hasFile                   bool
	// freshest are the servers that know the latest of it, and archivedBy those that
	// have it archived.
	freshest, archivedBy []int
}

// mergeListings makes one cascade of what several servers say of it. A server learns at
// its start what the others have done, and no more after that (PROTOCOL.md 7.6), so the
// mark of any is a mark, and who is busy with it may be any of them.
func mergeListings(listings []cleanListing, files map[string]cascadeFile) map[string]*knownCascade {
	all := make(map[string]*knownCascade, len(files))
	for i, l := range listings {
		for id, summary := range l {
			k := all[id]
			if k == nil {
				k = &knownCascade{id: id, summary: summary}
				all[id] = k
			}
			switch at := summaryTime(summary); {
			case at.After(k.touched):
				k.touched, k.summary, k.freshest = at, summary, []int{i}
			case at.Equal(k.touched):
				k.freshest = append(k.freshest, i)
			}
			k.running = k.running || isRunning(summary)
			k.hidden = k.hidden || summary.GetHidden()
			if summary.GetIsArchived() {
				k.archived = true
				k.archivedBy = append(k.archivedBy, i)
			}
		}
	}
	filesOnly := !anyListing(listings)
	for id, file := range files {
		k := all[id]
		if k == nil {
			if !filesOnly {
				continue
			}
			k = &knownCascade{id: id}
			all[id] = k
		}
		k.file, k.hasFile = file, true
		if isTime(file.modified) && file.modified.After(k.touched) {
			k.touched = file.modified
		}
	}
	return all
}

// isRunning takes a state that it does not know for a running one. A server that
// says nothing of the state has it idle: older ones leave it out in the listing.
func isRunning(s *pb.CascadeTrajectorySummary) bool {
	switch s.GetStatus() {
	case pb.CascadeRunStatus_CASCADE_RUN_STATUS_IDLE, pb.CascadeRunStatus_CASCADE_RUN_STATUS_UNSPECIFIED:
		return s.GetQueueSize() > 0
	default:
		return true
	}
}

// summaryTime is zero where the summary has no time, or none that can be one.
func summaryTime(s *pb.CascadeTrajectorySummary) time.Time {
	stamp := s.GetLastModifiedTime()
	if !stamp.IsValid() || !isTime(stamp.AsTime()) {
		return time.Time{}
	}
	return stamp.AsTime()
}

// isTime refuses the epoch, which stands for no time in many a program.
func isTime(t time.Time) bool { return t.Unix() > 0 }

// planClean is pure. archived are ids that are archived for all that is known
// from elsewhere; nil is none.
func planClean(listings []cleanListing, files map[string]cascadeFile, archived map[string]bool, now time.Time, rules CleanRules) CleanPlan {
	all := mergeListings(listings, files)
	known := make([]*knownCascade, 0, len(all))
	for _, k := range all {
		k.archived = k.archived || archived[k.id]
		known = append(known, k)
	}
	slices.SortFunc(known, func(a, b *knownCascade) int {
		return cmp.Or(a.touched.Compare(b.touched), cmp.Compare(a.id, b.id))
	})
	markNewest(known, rules.Keep)
	plan := CleanPlan{Rules: rules, At: now, FilesOnly: !anyListing(listings)}
	for _, k := range known {
		if reason := plan.Kept.reason(k, now.Add(-rules.OlderThan)); reason != nil {
			*reason++
			continue
		}
		plan.Items = append(plan.Items, k.item())
	}
	return plan
}

// markNewest marks so many of those that the editor lists, which are sorted by
// time. One of unknown time takes nobody's place.
func markNewest(known []*knownCascade, keep int) {
	for _, k := range slices.Backward(known) {
		if keep <= 0 || k.touched.IsZero() {
			return
		}
		if !k.archived && !k.hidden {
			k.newest = true
			keep--
		}
	}
}

// reason is the counter that keeps a cascade, nil for a stale one.
func (k *CleanKept) reason(c *knownCascade, limit time.Time) *int {
	switch {
	case c.running:
		return &k.Running
	case c.archived:
		return &k.Archived
	case c.hidden:
		return &k.Hidden
	case !validCascadeID(c.id):
		return &k.UnusableID
	case c.touched.IsZero():
		return &k.UnknownTime
	case c.newest:
		return &k.Newest
	case !c.touched.Before(limit):
		return &k.Recent
	default:
		return nil
	}
}

func (c *knownCascade) item() CleanItem {
	return CleanItem{
		CascadeID:   c.id,
		Title:       cascadeTitle(c.summary),
		Workspace:   cascadeWorkspace(c.summary),
		LastTouched: c.touched.UTC(),
		Bytes:       c.file.bytes,
		BytesKnown:  c.hasFile,
	}
}
