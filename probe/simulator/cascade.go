package simulator

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	pb "windsock/probe/languageserver"
	"windsock/probe/simulator/account"
)

// cascades are all cascades that a server knows: those found at its start, and its own.
type cascades struct {
	cfg     Cascade
	release Release
	now     func() time.Time
	disk    *disk
	owner   account.Person

	mu      sync.Mutex // guards the rest, including cascades and turns
	panel   bool
	trusted bool
	all     map[string]*cascade
}

// A cascade is a conversation. Its exported fields are kept on disk.
type cascade struct {
	ID         string    `json:"id"`
	Trajectory string    `json:"trajectory"` // another id
	Title      string    `json:"title,omitempty"`
	Renamed    string    `json:"renamed,omitempty"`
	Workspace  string    `json:"workspace,omitempty"`
	Created    time.Time `json:"created"`
	Modified   time.Time `json:"modified"`
	Archived   bool      `json:"archived,omitempty"`
	Hidden     bool      `json:"hidden,omitempty"`
	Turns      []*turn   `json:"turns,omitempty"`

	running bool // endless, in this server
	broken  bool // its steps cannot be read
}

// A turn is a message and the response to it.
type turn struct {
	Prompt string       `json:"prompt"`
	Name   string       `json:"name"`
	Model  string       `json:"model"`
	Date   time.Time    `json:"date"` // by the server's clock
	Cost   account.Cost `json:"cost"`
	// Cancelled is the time from the message to its cancellation; zero is never.
	Cancelled time.Duration `json:"cancelled,omitempty"`

	// Past is nil for a message that was sent.
	Past *past `json:"past,omitempty"`

	sent   time.Time // real; zero is long ago
	script script
}

// passed is the time since the message was sent.
func (t *turn) passed() time.Duration {
	if t.sent.IsZero() {
		return math.MaxInt64
	}
	return time.Since(t.sent)
}

// now is the turn's state.
func (t *turn) now() beat { return t.script.at(t.passed()) }

// newCascades loads the cascades of the directory, or makes the old ones, which were paid
// for on that plan as it is at the start.
func newCascades(server Config, now func() time.Time, plan *pb.PlanStatus, start time.Time) (*cascades, error) {
	cfg := server.Cascade
	c := &cascades{cfg: cfg, release: server.Release, owner: server.Account, now: now, disk: &disk{dir: cfg.Dir, size: cfg.FileSize}, panel: cfg.PanelReady, trusted: cfg.PanelReady, all: map[string]*cascade{}}
	plantOld := func() {
		c.plantOld()
		c.price(plan, start)
	}
	if cfg.Dir == "" {
		plantOld()
		return c, nil
	}
	if err := c.disk.open(); err != nil {
		return nil, err
	}
	known, err := c.disk.load()
	if err != nil {
		return nil, err
	}
	if known == nil {
		plantOld()
		return c, c.disk.plant(c.all)
	}
	c.all = known
	for _, one := range c.all {
		for i, t := range one.Turns {
			if t.Past == nil {
				t.script = c.restored(t, i == 0)
			}
		}
	}
	return c, nil
}

// restored is the script of a turn from another server, or from this one before a
// restart. It is over.
func (c *cascades) restored(t *turn, first bool) script {
	s := c.write(t, first)
	if t.Cancelled > 0 {
		s = s.cancelled(t.Cancelled, c.cfg.Tick)
	}
	if s[len(s)-1].status != pb.CascadeRunStatus_CASCADE_RUN_STATUS_IDLE {
		return s.cancelled(s.end()+1, 1)
	}
	return s
}

// write is the script of a turn.
func (c *cascades) write(t *turn, first bool) script {
	w := newWriter(c.cfg.Idle, c.cfg.Tick)
	if first {
		w.tool(pb.CortexStepType_CORTEX_STEP_TYPE_RETRIEVE_MEMORY)
	}
	w.add(step{kind: pb.CortexStepType_CORTEX_STEP_TYPE_USER_INPUT, text: t.Prompt})
	kind := courseNamed(t.Name)
	for _, write := range kind.steps {
		write(w, t)
	}
	if !kind.endless {
		w.end()
	}
	return w.script
}

// start makes a cascade.
func (c *cascades) start() (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.now()
	one := &cascade{
		ID: uuid.NewString(), Trajectory: uuid.NewString(), Created: now, Modified: now,
		Workspace: "file:///home/robin/src/windsock",
	}
	c.all[one.ID] = one
	return one.ID, c.disk.put(one)
}

// send begins a turn. It costs price if it comes to an answer.
func (c *cascades) send(id, prompt, name, model string, price account.Cost) (*turn, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	one, err := c.find(id)
	if err != nil {
		return nil, err
	}
	if status := one.status(c.now()); status != pb.CascadeRunStatus_CASCADE_RUN_STATUS_IDLE || one.waiting() || name == "busy" {
		if status == pb.CascadeRunStatus_CASCADE_RUN_STATUS_IDLE {
			status = pb.CascadeRunStatus_CASCADE_RUN_STATUS_RUNNING
		}
		return nil, fmt.Errorf("cascade %s is not idle: %s", id, status)
	}
	t := &turn{Prompt: prompt, Name: name, Model: model, Date: c.now(), Cost: price, sent: time.Now()}
	t.script = c.write(t, len(one.Turns) == 0)
	if !t.charges() {
		t.Cost = account.Cost{}
	}
	one.Turns = append(one.Turns, t)
	one.Title = cmp.Or(one.Title, title(prompt))
	one.Modified = t.Date
	return t, c.disk.add(one, t)
}

// waiting reports whether a message was sent whose turn has not begun yet.
func (c *cascade) waiting() bool {
	if len(c.Turns) == 0 || c.Turns[len(c.Turns)-1].Past != nil {
		return false
	}
	t := c.Turns[len(c.Turns)-1]
	return len(t.script) > 1 && t.passed() < t.script[1].at
}

// find and all methods of a cascade need the lock.
func (c *cascades) find(id string) (*cascade, error) {
	if one, ok := c.all[id]; ok {
		return one, nil
	}
	return nil, notFound(fmt.Sprintf("cascade %q not found", id))
}

// status is the status of the last turn.
func (c *cascade) status(at time.Time) pb.CascadeRunStatus {
	var last *turn
	for _, t := range c.Turns {
		if t.there(at) {
			last = t
		}
	}
	switch {
	case c.running, last != nil && last.Past != nil && last.runs(at):
		return pb.CascadeRunStatus_CASCADE_RUN_STATUS_RUNNING
	case last == nil || last.Past != nil:
		return pb.CascadeRunStatus_CASCADE_RUN_STATUS_IDLE
	}
	return last.now().status
}

// steps returns the steps of all turns at a time, and the turn of each step.
func (c *cascade) steps(at time.Time) ([]step, []*turn) {
	var all []step
	var from []*turn
	for _, t := range c.Turns {
		before := len(all)
		for _, s := range t.steps(at) {
			s.rank += rankOf(before)
			all, from = append(all, s), append(from, t)
		}
	}
	return all, from
}

// steps are those of a turn. Only a past one depends on the server's clock.
func (t *turn) steps(at time.Time) []step {
	if t.Past == nil {
		return t.now().steps
	}
	all := make([]step, t.length(at))
	for i := range all {
		all[i] = t.pastStep(i, at)
	}
	return all
}

// cancel ends a turn that is under way.
func (c *cascades) cancel(id string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	one, err := c.find(id)
	if err != nil {
		return err
	}
	one.running = false
	if len(one.Turns) == 0 {
		return nil
	}
	t := one.Turns[len(one.Turns)-1]
	if passed := t.passed(); t.Past == nil && (one.waiting() || t.now().status == pb.CascadeRunStatus_CASCADE_RUN_STATUS_RUNNING) {
		t.Cancelled = passed
		t.script = t.script.cancelled(passed, c.cfg.Tick)
		return c.disk.cancel(id, passed)
	}
	return nil
}

// archive sets or clears the archived mark.
func (c *cascades) archive(id string, archived bool) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	one, err := c.find(id)
	if err != nil {
		return err
	}
	one.Archived = archived
	return c.disk.archive(id, archived, c.now())
}

// charges reports whether the turn ever costs anything.
func (t *turn) charges() bool {
	return slices.ContainsFunc(t.script.at(math.MaxInt64).steps, func(s step) bool { return s.charged })
}
