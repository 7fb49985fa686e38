package simulator

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// A Release is the editor's version that a server belongs to.
type Release string

// The releases; Cascade's methods changed between them (PROTOCOL.md 7).
const (
	// Release0 is Release1 before steps told what they cost, and who made them.
	Release0 Release = "1.8"
	// Release1 has neither archiving nor transcripts, and starts no turn in an
	// untrusted workspace. Its steps tell credits and ACUs alone (PROTOCOL.md 7.5).
	Release1 Release = "1.9544"
	// Release2 never starts a turn without a kind of planner.
	Release2 Release = "2.0"
	// Release3 is the release of the zero Config.
	Release3 Release = "3.4"
)

// versions are the editor versions of the releases.
var versions = map[Release]string{Release0: "1.8.2", Release1: "1.9544.26", Release2: "2.0.67", Release3: Version}

func (r Release) version() string { return versions[cmp.Or(r, Release3)] }

// archives reports whether the release is one since archiving.
func (r Release) archives() bool { return r != Release0 && r != Release1 }

// A Retirement is how a server without Cascade behaves. It is not known which of these
// newer servers use (PROTOCOL.md 7). In all of them the plan's devinInfo lacks
// canUseCascade.
type Retirement string

// The retirements.
const (
	RetiredNot           Retirement = ""
	RetiredUnimplemented Retirement = "unimplemented" // Cascade's methods answer unimplemented
	RetiredHidden        Retirement = "hidden"        // they answer HTTP 404, not in Connect form
	RetiredRefused       Retirement = "refused"       // failed_precondition from StartCascade and SendUserCascadeMessage
)

// A RateLimit is the answer to CheckUserMessageRateLimit.
type RateLimit string

// The rate limits.
const (
	RateLimitNone    RateLimit = ""
	RateLimitReached RateLimit = "reached" // no capacity, with a wait of 90 seconds
	RateLimitError   RateLimit = "error"   // the check itself fails
)

// Cascade configures a server's cascades. The zero value is a server whose panel has
// not been set up yet.
type Cascade struct {
	// Retired says whether and how the server lacks Cascade. It answers the methods in
	// Missing as unimplemented.
	Retired Retirement `json:"retired,omitempty"`
	Missing []string   `json:"missing,omitempty"`

	// PanelReady is a panel that is set up already, in a trusted workspace, as beside a
	// running editor.
	PanelReady bool `json:"panel_ready,omitempty"`

	// RateLimit is the answer to CheckUserMessageRateLimit.
	RateLimit RateLimit `json:"rate_limit,omitempty"`

	// Turn is the course (see cascade_turns.go) of a turn whose prompt names none by
	// the word "turn:NAME"; empty is "plain".
	Turn string `json:"turn,omitempty"`

	// Idle is how long a cascade stays idle between a message and its turn; zero is 600
	// ms. Tick is the time between two changes of a turn; zero is 40 ms. Both pass in
	// real time.
	Idle time.Duration `json:"idle,omitempty"`
	Tick time.Duration `json:"tick,omitempty"`

	// Dir is the codeium directory with cascade/<cascade id>.pb. Several servers may
	// share it; each reads it once, at its start. A process takes it from its command
	// line (see Options.Home). If empty, nothing is kept on disk.
	Dir string `json:"dir,omitempty"`

	// FileSize is the size of a live cascade's file in bytes; zero is 300 KB. That of
	// an archived one is an eightieth. All but the beginning is a hole.
	FileSize int64 `json:"file_size,omitempty"`

	// Old is the number of cascades at the start, if the directory has none: see
	// plantOld. Until is when the newest of them ends: those after the server's clock come
	// as it moves on. Zero is the server's start. Weight is the size of each one's texts.
	Old    int       `json:"old,omitempty"`
	Until  time.Time `json:"until,omitzero"`
	Weight int64     `json:"weight,omitempty"`
}

func (c Cascade) withDefaults() Cascade {
	c.Turn = cmp.Or(c.Turn, courses[0].name)
	c.Idle = cmp.Or(c.Idle, 600*time.Millisecond)
	c.Tick = cmp.Or(c.Tick, 40*time.Millisecond)
	c.FileSize = cmp.Or(c.FileSize, 300_000)
	return c
}

func (c Cascade) validate() error {
	retirements := []Retirement{RetiredNot, RetiredUnimplemented, RetiredHidden, RetiredRefused}
	limits := []RateLimit{RateLimitNone, RateLimitReached, RateLimitError}
	switch {
	case !slices.Contains(retirements, c.Retired):
		return fmt.Errorf("unknown retirement %q", c.Retired)
	case !slices.Contains(limits, c.RateLimit):
		return fmt.Errorf("unknown rate limit %q", c.RateLimit)
	case courseNamed(c.Turn) == nil:
		return fmt.Errorf("unknown turn %q, want one of %s", c.Turn, courseNames())
	}
	return nil
}
