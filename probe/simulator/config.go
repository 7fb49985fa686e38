package simulator

import (
	"cmp"
	"fmt"
	"time"

	"windsock/probe/simulator/account"
)

// Config says what a [Server] answers and how it misbehaves. The zero value is
// a healthy server of the first scenario. It travels to a server process as
// JSON; durations are nanoseconds there.
type Config struct {
	// Scenario is the name of one of [Scenarios]; empty is the first.
	Scenario string `json:"scenario,omitempty"`

	// Token is the CSRF token that a request has to carry. Empty: New makes
	// one. A process with a token in its environment or on its command line
	// goes by that one.
	Token string `json:"token,omitempty"`

	// TLS makes the RPC port speak TLS, with a certificate made at start-up
	// that no authority has signed.
	TLS bool `json:"tls,omitempty"`

	// RefusedKeys are API keys that GetUserStatus calls unauthenticated. Any
	// other key that is not empty is taken.
	RefusedKeys []string `json:"refused_keys,omitempty"`

	// Fault is what goes wrong, and FaultRPC the method it hits, where the
	// fault is one of a single method; empty is GetUserStatus.
	Fault    Fault  `json:"fault,omitempty"`
	FaultRPC string `json:"fault_rpc,omitempty"`

	// SlowStart is how long after New no RPC is answered, if Fault is
	// FaultSlowStart; zero is two seconds.
	SlowStart time.Duration `json:"slow_start,omitempty"`

	// Delay is added to each answer to an RPC, or only to those of the method
	// DelayRPC, if that is not empty.
	Delay    time.Duration `json:"delay,omitempty"`
	DelayRPC string        `json:"delay_rpc,omitempty"`

	// Release is the version that the server's calls are of; empty is Release3.
	Release Release `json:"release,omitempty"`

	// Cascade is what the server does with prompts.
	Cascade Cascade `json:"cascade,omitzero"`

	// Now is the clock that all dates in answers are made from. Nil: it stands
	// still at At, or, if that is zero, is the system's.
	Now func() time.Time `json:"-"`
	At  time.Time        `json:"at,omitzero"`

	// Lapse makes that clock run fast. The scenarios' dates are placed by what it
	// shows at its start then, and the accounts are used up and refilled as it
	// runs.
	Lapse account.Lapse `json:"lapse,omitzero"`
}

// defaultSlowStart is what servers were seen to need (PROTOCOL.md 3.1).
const defaultSlowStart = 2 * time.Second

// withDefaults fills in what the zero value means, but for the token.
func (c Config) withDefaults() Config {
	if c.Scenario == "" {
		c.Scenario = account.Scenarios()[0].Name
	}
	if c.FaultRPC == "" {
		c.FaultRPC = "GetUserStatus"
	}
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
	if _, err := account.Named(c.Scenario); err != nil {
		return err
	}
	return c.Fault.validate()
}
