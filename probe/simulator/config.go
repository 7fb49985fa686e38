package simulator

import (
	"cmp"
	"fmt"
	"time"

	"windsock/probe/simulator/account"
)

// Config configures the answers and faults of a [Server]. The zero value is a healthy
// server of the first scenario. A server process receives it as JSON, with durations in
// nanoseconds.
type Config struct {
	// Antigravity makes it a server of Antigravity, of that kind. Such a server has no
	// cascades, and its RPC port always speaks TLS.
	Antigravity Antigravity `json:"antigravity,omitempty"`

	// Scenario is the name of one of [account.Scenarios], or for Antigravity of
	// [account.AntigravityScenarios]; empty is the first.
	Scenario string `json:"scenario,omitempty"`

	// Account is the owner of the account. Servers with the same owner tell of the
	// same account.
	Account account.Person `json:"account,omitempty"`

	// Token is the CSRF token that requests must carry. If it is empty, New makes one.
	// A process with a token in its environment or on its command line uses that one.
	Token string `json:"token,omitempty"`

	// TLS makes the RPC port speak TLS, with a self-signed certificate made at
	// start-up.
	TLS bool `json:"tls,omitempty"`

	// RefusedKeys are API keys that GetUserStatus calls unauthenticated. It accepts any
	// other non-empty key.
	RefusedKeys []string `json:"refused_keys,omitempty"`

	// Fault is the simulated fault. FaultRPC is the method it affects, if it affects a
	// single method; empty is the one that tells the figures: GetUserStatus, or
	// Antigravity's RetrieveUserQuotaSummary where the server has it.
	Fault    Fault  `json:"fault,omitempty"`
	FaultRPC string `json:"fault_rpc,omitempty"`

	// SlowStart is how long after New every RPC waits, if Fault is FaultSlowStart, or
	// for how long FaultNotReady lasts; zero is two seconds.
	SlowStart time.Duration `json:"slow_start,omitempty"`

	// Delay is added to each RPC's response, or only to those of the method DelayRPC if
	// that is not empty.
	Delay    time.Duration `json:"delay,omitempty"`
	DelayRPC string        `json:"delay_rpc,omitempty"`

	// Release selects the version of the server's methods; empty is Release3.
	Release Release `json:"release,omitempty"`

	// Cascade configures how the server treats prompts.
	Cascade Cascade `json:"cascade,omitzero"`

	// Now is the clock for all dates in responses. If it is nil, the clock stands still
	// at At; if that is zero, it is the system's.
	Now func() time.Time `json:"-"`
	At  time.Time        `json:"at,omitzero"`

	// Tells makes a process tell its starter the answers with figures: see [Process.Told].
	Tells bool `json:"tells,omitempty"`

	// Start is when the scenario's figures hold. What is spent later comes on top of them,
	// and a window that begins later begins with nothing used. Zero is the server's start,
	// and then the figures of later windows are the scenario's again.
	Start time.Time `json:"start,omitzero"`

	// Elsewhere is what is spent after the start without Cascade.
	Elsewhere []account.Charge `json:"elsewhere,omitempty"`

	// Lapse makes that clock run fast. The scenarios' dates are then relative to its
	// start, and the accounts are used up and refilled as it runs.
	Lapse account.Lapse `json:"lapse,omitzero"`
}

// defaultSlowStart is the time that real servers needed (PROTOCOL.md 3.1).
const defaultSlowStart = 2 * time.Second

// withDefaults replaces the zero values with their defaults, except for the token.
func (c Config) withDefaults() Config {
	if c.Antigravity != "" {
		c.Scenario = cmp.Or(c.Scenario, account.AntigravityScenarios()[0].Name)
		c.FaultRPC = cmp.Or(c.FaultRPC, c.Antigravity.figures())
		c.TLS = true
	}
	c.Scenario = cmp.Or(c.Scenario, account.Scenarios()[0].Name)
	c.FaultRPC = cmp.Or(c.FaultRPC, "GetUserStatus")
	if c.SlowStart == 0 {
		c.SlowStart = defaultSlowStart
	}
	if c.Now == nil {
		c.Now = time.Now
		if at := c.At; !at.IsZero() {
			c.Now = func() time.Time { return at }
		}
	}
	if lapse, now := c.Lapse, c.Now; lapse.Runs() {
		c.Now = func() time.Time { return lapse.At(now()) }
	}
	c.Release = cmp.Or(c.Release, Release3)
	c.Cascade = c.Cascade.withDefaults()
	return c
}

func (c Config) validate() error {
	if _, ok := versions[c.Release]; !ok {
		return fmt.Errorf("unknown release %q", c.Release)
	}
	if err := c.Cascade.validate(); err != nil {
		return err
	}
	if err := c.Antigravity.validate(); err != nil {
		return err
	}
	if _, err := c.situation(c.Scenario); err != nil {
		return err
	}
	return c.validateFault(c.Fault)
}

// A situation is what the server tells of: one of the two.
type situation struct {
	windsurf    account.Scenario
	antigravity account.Antigravity
}

// situation is the scenario of that name.
func (c Config) situation(name string) (situation, error) {
	var s situation
	var err error
	if c.Antigravity != "" {
		s.antigravity, err = account.AntigravityNamed(name)
	} else {
		s.windsurf, err = account.Named(name)
	}
	return s, err
}
