package clean

import (
	"cmp"
	"slices"
	"time"

	"windsock/chat/touched"
	pb "windsock/probe/languageserver"
)

// Plan is what a run would archive, and what it would not.
type Plan struct {
	// Rules are those that the plan was made by, and At is its time.
	Rules Rules
	At    time.Time
	// Items are the stale cascades, the oldest first.
	Items []Item
	Kept  Kept
	// FilesOnly says that no server lists its cascades, so that the files are all
	// that is known of them.
	FilesOnly bool
}

// Bytes is what the items of known size take on disk, and unknown how many have
// none.
func (p Plan) Bytes() (sum int64, unknown int) {
	for _, item := range p.Items {
		if item.BytesKnown {
			sum += item.Bytes
		} else {
			unknown++
		}
	}
	return sum, unknown
}

// Item is a stale cascade.
type Item struct {
	CascadeID string
	// Title and Workspace, the base name of its folder, are of one line and fit
	// for a terminal. Workspace may be empty.
	Title, Workspace string
	// LastTouched is the later of the server's time and the file's, but for what
	// Windsock itself has changed.
	LastTouched time.Time
	// Bytes is the size of its file, if that is known.
	Bytes      int64
	BytesKnown bool
}

// Kept counts the cascades that stay, each by the first reason that holds.
type Kept struct {
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
	// UnusableID have an id that no file may be named by.
	UnusableID int `json:"unusable_id"`
}

// Total counts all of them.
func (k *Kept) Total() int {
	return k.Running + k.Archived + k.Hidden + k.UnknownTime + k.Newest + k.Recent + k.UnusableID
}

// knownCascade is a cascade as all servers and its file tell of it.
type knownCascade struct {
	id                        string
	summary                   *pb.CascadeTrajectorySummary // of the server that knows the latest of it; nil without any
	latest                    time.Time                    // of that server
	touched                   time.Time                    // by a person; zero where it is not known
	running, archived, hidden bool
	newest                    bool
	file                      cascadeFile
	hasFile                   bool
	// freshest are the servers that know the latest of it, and archivedBy those that
	// have it archived.
	freshest, archivedBy []int
}

// cascades makes one cascade of what several servers say of it. A server learns at
// its start what the others have done, and no more after that (PROTOCOL.md 7.6), so the
// mark of any is a mark, who is busy with it may be any of them, and its file may be of a
// later time than any of them tells.
func (c cleanSight) cascades() map[string]*knownCascade {
	all := make(map[string]*knownCascade, len(c.files))
	for i, l := range c.listings {
		for id, summary := range l {
			k := all[id]
			if k == nil {
				k = &knownCascade{id: id, summary: summary}
				all[id] = k
			}
			at := summaryTime(summary)
			switch {
			case at.After(k.latest):
				k.latest, k.summary, k.freshest = at, summary, []int{i}
			case at.Equal(k.latest):
				k.freshest = append(k.freshest, i)
			}
			k.toldBy(at, c.acts[id])
			k.running = k.running || isRunning(summary)
			k.hidden = k.hidden || summary.GetHidden()
			if summary.GetIsArchived() {
				k.archived = true
				k.archivedBy = append(k.archivedBy, i)
			}
		}
	}
	filesOnly := !anyListing(c.listings)
	for id, file := range c.files {
		k := all[id]
		if k == nil {
			if !filesOnly {
				continue
			}
			k = &knownCascade{id: id}
			all[id] = k
		}
		k.file, k.hasFile = file, true
		k.toldByFile(file, c.acts[id])
	}
	return all
}

// toldBy takes a server's word for when the cascade was touched.
func (k *knownCascade) toldBy(at time.Time, acts []touched.Act) {
	k.told(at, acts, madeServerTime)
}

func (k *knownCascade) toldByFile(file cascadeFile, acts []touched.Act) {
	if isTime(file.modified) {
		k.told(file.modified, acts, madeFileTime)
	}
}

// told takes a time for a person's, unless one of the acts has made it: then what was
// known before that act holds.
func (k *knownCascade) told(at time.Time, acts []touched.Act, made func(touched.Act, time.Time) bool) {
	var before time.Time
	ours := false
	for _, act := range acts {
		if made(act, at) {
			ours, before = true, later(before, act.Touched)
		}
	}
	if ours {
		at = before
	}
	k.touched = later(k.touched, at)
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
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

// planClean is pure.
func planClean(seen cleanSight, now time.Time, rules Rules) Plan {
	all := seen.cascades()
	known := make([]*knownCascade, 0, len(all))
	for _, k := range all {
		k.archived = k.archived || seen.archived[k.id]
		known = append(known, k)
	}
	slices.SortFunc(known, func(a, b *knownCascade) int {
		return cmp.Or(a.touched.Compare(b.touched), cmp.Compare(a.id, b.id))
	})
	markNewest(known, rules.Keep)
	plan := Plan{Rules: rules, At: now, FilesOnly: !anyListing(seen.listings)}
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
func (k *Kept) reason(c *knownCascade, limit time.Time) *int {
	switch {
	case c.running:
		return &k.Running
	case c.archived:
		return &k.Archived
	case c.hidden:
		return &k.Hidden
	case !touched.ValidID(c.id):
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

func (k *knownCascade) item() Item {
	return Item{
		CascadeID:   k.id,
		Title:       cascadeTitle(k.summary),
		Workspace:   cascadeWorkspace(k.summary),
		LastTouched: k.touched.UTC(),
		Bytes:       k.file.bytes,
		BytesKnown:  k.hasFile,
	}
}
