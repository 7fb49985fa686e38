package simulator

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// A Release is the editor's version that a server came with.
type Release string

// The releases, between which Cascade's calls changed (PROTOCOL.md 7).
const (
	// Release1 has neither archiving nor transcripts, and starts no turn in a
	// workspace that is not trusted.
	Release1 Release = "1.9544"
	// Release2 never starts a turn without a kind of planner.
	Release2 Release = "2.0"
	// Release3 is that of the zero Config.
	Release3 Release = "3.4"
)

// versions are the releases' editors.
var versions = map[Release]string{Release1: "1.9544.26", Release2: "2.0.67", Release3: Version}

func (r Release) version() string { return versions[cmp.Or(r, Release3)] }

// A Retirement is how a server lets know that it does without Cascade. Which of
// them newer servers take is not known (PROTOCOL.md 7). In all of them the plan's
// devinInfo lacks canUseCascade.
type Retirement string

// The retirements.
const (
	RetiredNot           Retirement = ""
	RetiredUnimplemented Retirement = "unimplemented" // Cascade's methods answer unimplemented
	RetiredHidden        Retirement = "hidden"        // they are answered with HTTP 404 that is not in Connect form
	RetiredRefused       Retirement = "refused"       // failed_precondition from StartCascade and SendUserCascadeMessage
)

// A RateLimit is what CheckUserMessageRateLimit answers.
type RateLimit string

// The rate limits.
const (
	RateLimitNone    RateLimit = ""
	RateLimitReached RateLimit = "reached" // no capacity, and 90 seconds to wait
	RateLimitError   RateLimit = "error"   // the check itself fails
)

// Cascade says how a server's cascades behave. The zero value is a server whose
// panel has not been set up yet.
type Cascade struct {
	// Retired is whether and how the server does without Cascade; Missing are
	// single methods that it answers as unimplemented.
	Retired Retirement `json:"retired,omitempty"`
	Missing []string   `json:"missing,omitempty"`

	// PanelReady is a panel that has been set up already, in a trusted
	// workspace, as beside a running editor.
	PanelReady bool `json:"panel_ready,omitempty"`

	// RateLimit is the answer to CheckUserMessageRateLimit.
	RateLimit RateLimit `json:"rate_limit,omitempty"`

	// Turn is the name of the course (see cascade_turns.go) that the turn of a
	// prompt takes which does not ask for another one by the word "turn:NAME" in
	// it; empty is "plain".
	Turn string `json:"turn,omitempty"`

	// Idle is how long a cascade stays idle after a message was sent, before the
	// turn begins; zero is 600 ms. Tick is the time from one change of a turn to
	// the next; zero is 40 ms. Both pass in real time.
	Idle time.Duration `json:"idle,omitempty"`
	Tick time.Duration `json:"tick,omitempty"`

	// Dir is the codeium directory, below which cascade/<cascade id>.pb are; it
	// may be shared by several servers, each of which reads it once, when it
	// starts. A process takes it from its command line (see Options.Home).
	// Empty: nothing is kept on disk.
	Dir string `json:"dir,omitempty"`

	// FileSize is that of a live cascade's file in bytes; zero is 300 KB. An
	// archived one's is an eightieth of it. All but the beginning is a hole.
	FileSize int64 `json:"file_size,omitempty"`

	// Old is the number of cascades that are there from the beginning, in a
	// directory without any: see plantOld.
	Old int `json:"old,omitempty"`
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
