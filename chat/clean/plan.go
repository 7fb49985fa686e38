package clean

import (
	"cmp"
	"slices"
	"time"

	"windsock/chat/cascade"
	"windsock/chat/touched"
	pb "windsock/probe/languageserver"
)

// Plan says which cascades a run would archive, and which it would keep.
type Plan struct {
	// Rules are the rules of the plan, and At is its time.
	Rules Rules
	At    time.Time
	// Items are the stale cascades, the oldest first.
	Items []Item
	Kept  Kept
	// FilesOnly says that no server lists its cascades, so that only their files are
	// known.
	FilesOnly bool
}

// Bytes returns the disk space of the items of known size, and how many are of unknown
// size.
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
	// Title and Workspace, the base name of its folder, are single lines, safe for a
	// terminal. Workspace may be empty.
	Title, Workspace string
	// LastTouched is the later of the server's time and the file's, without Windsock's
	// own changes.
	LastTouched time.Time
	// Bytes is the size of its file, if known.
	Bytes      int64
	BytesKnown bool
}

// Kept counts the cascades that stay, each by the first reason that holds.
type Kept struct {
	// Running are busy in a server, or have waiting prompts.
	Running int `json:"running"`
	// Archived are archived already.
	Archived int `json:"archived"`
	// Hidden are hidden in the editor, too.
	Hidden int `json:"hidden"`
	// UnknownTime have no known time of the last touch.
	UnknownTime int `json:"unknown_time"`
	// Newest are among the newest, which Rules.Keep protects.
	Newest int `json:"newest"`
	// Recent are not old enough.
	Recent int `json:"recent"`
	// UnusableID have an id that cannot name a file.
	UnusableID int `json:"unusable_id"`
}

// Total counts all of them.
func (k *Kept) Total() int {
	return k.Running + k.Archived + k.Hidden + k.UnknownTime + k.Newest + k.Recent + k.UnusableID
}

// knownCascade is a cascade, merged from all servers and its file.
type knownCascade struct {
	id                        string
	summary                   *pb.CascadeTrajectorySummary // of the server that knows the latest of it; nil without any
	latest                    time.Time                    // of that server
	touched                   time.Time                    // by a person; zero where it is not known
	running, archived, hidden bool
	newest                    bool
	file                      cascadeFile
	hasFile                   bool
	// freshest are the servers with the latest version, and archivedBy those that have
	// it archived.
	freshest, archivedBy []int
}

// cascades merges what several servers report about a cascade. A server reads the other
// servers' work at its start only (PROTOCOL.md 7.6). So the archived mark of any server
// counts, any of them may be busy with the cascade, and the file may be newer than all of
// them report.
func (c cleanSight) cascades() map[string]*knownCascade {
	all := make(map[string]*knownCascade, len(c.files))
	for i, l := range c.listings {
		for id, summary := range l {
			k := all[id]
			if k == nil {
				k = &knownCascade{id: id, summary: summary}
				all[id] = k
			}
			at := cascade.Modified(summary)
			switch {
			case at.After(k.latest):
				k.latest, k.summary, k.freshest = at, summary, []int{i}
			case at.Equal(k.latest):
				k.freshest = append(k.freshest, i)
			}
			k.toldBy(at, c.acts[id])
			k.running = k.running || cascade.Runs(summary)
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

// toldBy takes the time of the last touch from a server.
func (k *knownCascade) toldBy(at time.Time, acts []touched.Act) {
	k.told(at, acts, madeServerTime)
}

func (k *knownCascade) toldByFile(file cascadeFile, acts []touched.Act) {
	if isTime(file.modified) {
		k.told(file.modified, acts, madeFileTime)
	}
}

// told takes a time as a person's touch, unless one of the acts may have set it. In
// that case the time known before that act counts.
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

// isTime rejects the epoch, which many programs use for no time.
func isTime(t time.Time) bool { return t.Unix() > 0 }

// planClean has no side effects.
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

// markNewest marks the newest cascades among those that the editor lists, sorted by
// time. One of unknown time does not count towards keep.
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
