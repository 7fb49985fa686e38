package usage

import (
	"slices"
	"time"

	"windsock/probe/terminal"
)

// SourceKind says where an answer came from.
type SourceKind string

// The kinds of source.
const (
	KindLanguageServer SourceKind = "language_server"
	// KindCloud is the maker's own service, asked with a person's consent.
	KindCloud      SourceKind = "cloud"
	KindCLI        SourceKind = "cli"
	KindStatusLine SourceKind = "status_line"
	KindCache      SourceKind = "cache"
	KindFile       SourceKind = "file"
)

// IsKept reports whether an answer is kept until the next one, with its own time, and so
// may come after a later one of another kind.
func (k SourceKind) IsKept() bool { return k == KindStatusLine || k == KindCLI || k == KindCloud }

// Source is where, from whom and when an answer came. Unknown parts are the zero
// value.
type Source struct {
	Kind SourceKind
	// Variant is the editor's short name, such as "windsurf-next".
	Variant string
	// App is the editor's name for people.
	App string
	// PID is the language server's process.
	PID int
	// Host is the one that the cloud was asked at; "" for other kinds.
	Host string
	// FetchedAt is when the server answered. Decode clears it for a cache, which
	// has no time.
	FetchedAt time.Time
	// Stale says that no fresher answer could be fetched.
	Stale bool
}

// Billing is the unit that a plan is counted in.
type Billing string

// The modes of billing. BillingUnlimited is a credit plan on which every
// credit line is unlimited.
const (
	BillingUnknown   Billing = "unknown"
	BillingCredits   Billing = "credits"
	BillingQuota     Billing = "quota"
	BillingACU       Billing = "acu"
	BillingSpend     Billing = "spend"
	BillingRequests  Billing = "requests"
	BillingUnlimited Billing = "unlimited"
)

// Window is the span of time that a meter counts in; the plan's cycle is one. An
// unknown bound is the zero time. When both are known, End is after Start.
type Window struct {
	Start, End time.Time
}

// length is the time between the bounds; 0 unless both are known.
func (w Window) length() time.Duration {
	if w.Start.IsZero() || w.End.IsZero() {
		return 0
	}
	return w.End.Sub(w.Start)
}

// Snapshot is what is known of a plan at one moment. Treat it as immutable: At
// returns a new one and shares nothing that it writes to.
type Snapshot struct {
	Source   Source
	Plan     Plan   // the account and the product
	PlanName string // cleaned for display; "" when unknown
	Billing  Billing
	Cycle    Window
	// Meters are in the order of the table; a meter that the plan lacks is absent.
	Meters   []Meter
	Notices  []Notice
	Problems []Problem
	// Judged is the moment of the states; zero before At.
	Judged time.Time

	// said is the answer itself; every At starts from it. All snapshots of one
	// answer share it, and it is never written to.
	said *said
}

// said is the part of an answer that depends on the time and is not judged yet.
type said struct {
	meters []Meter
	facts  Facts
}

// NewSnapshot returns the snapshot of an answer, with meters that are not judged
// yet, and its facts. The caller must not change the meters afterwards.
func NewSnapshot(s Snapshot, facts Facts) Snapshot {
	if !s.Source.FetchedAt.IsZero() {
		s.Meters = begunAt(s.Meters, s.Source.FetchedAt)
	}
	s.said = &said{slices.Clone(s.Meters), facts}
	return s
}

// begunAt are the meters, knowing when they were counted.
func begunAt(meters []Meter, at time.Time) []Meter {
	meters = slices.Clone(meters)
	for i, m := range meters {
		meters[i] = m.begunAt(at)
	}
	return meters
}

// WithPaces returns the snapshot with other paces. pace computes them from the
// meters as answered; a meter that is not in its result has no pace. At keeps a
// pace until its meter rolls over.
func (s Snapshot) WithPaces(pace func(said []Meter) map[MeterID]*Pace) Snapshot {
	if s.said == nil {
		s.Meters = withPaces(s.Meters, pace(s.Meters))
		return s
	}
	s.said = &said{withPaces(s.said.meters, pace(s.said.meters)), s.said.facts}
	if s.Judged.IsZero() {
		s.Meters = slices.Clone(s.said.meters)
		return s
	}
	return s.At(s.Judged)
}

func withPaces(meters []Meter, paces map[MeterID]*Pace) []Meter {
	meters = slices.Clone(meters)
	for i, m := range meters {
		meters[i].Pace = paces[m.ID]
	}
	return meters
}

// At judges the snapshot at a moment: a meter whose reset is not after it has
// rolled over and has no figures. Of an answer without a time, a window that would
// begin just now has not started. At works on the result of another At, with an
// earlier or later time.
func (s Snapshot) At(now time.Time) Snapshot {
	s.Judged = now
	if s.said == nil {
		return s
	}
	s.Meters = slices.Clone(s.said.meters)
	if s.Source.FetchedAt.IsZero() { // as if the answer were of now
		s.Meters = begunAt(s.Meters, now)
	}
	for i, m := range s.Meters {
		s.Meters[i] = m.at(now)
	}
	s.Notices = s.said.facts.notices(s.Meters, now)
	return s
}

// Meter returns the meter of that name, and false without one.
func (s Snapshot) Meter(id MeterID) (Meter, bool) {
	i := slices.IndexFunc(s.Meters, func(m Meter) bool { return m.ID == id })
	if i < 0 {
		return Meter{}, false
	}
	return s.Meters[i], true
}

// Back is when the last used-up meter comes back; zero when no meter is used up, or
// none comes back.
func (s Snapshot) Back() time.Time {
	var last time.Time
	for _, m := range s.Meters {
		if m.Binds() && m.State == StateExhausted && m.Window.End.After(last) {
			last = m.Window.End
		}
	}
	return last
}

// Notice returns the notice of that code, and false without one.
func (s Snapshot) Notice(code string) (Notice, bool) {
	i := slices.IndexFunc(s.Notices, func(n Notice) bool { return n.Code == code })
	if i < 0 {
		return Notice{}, false
	}
	return s.Notices[i], true
}

// PlanPage is the web page for changing and paying for the plan; "" when none is known.
func (s Snapshot) PlanPage() string {
	switch {
	case s.Plan.Product == Antigravity:
		return ""
	case s.Plan.Product == Cursor:
		return "https://cursor.com/dashboard"
	case s.Billing == BillingACU:
		return "https://app.devin.ai/settings/usage"
	}
	return "https://windsurf.com/subscription/manage-plan"
}

// LastSecond is 9999-12-31T23:59:59Z in Unix time, the last second of RFC 3339.
const LastSecond = 253402300799

// maxName is longer than any plan's name, and short enough to keep in a menu.
const maxName = 100

// CleanName makes a name from outside fit on one line and limits its length.
func CleanName(name string) string {
	name = terminal.Line(name)
	if runes := []rune(name); len(runes) > maxName {
		return string(runes[:maxName-1]) + "…"
	}
	return name
}
