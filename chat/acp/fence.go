package acp

import (
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// pendingTime is how long a call that acts may be pending before it has asked for
// permission. Then it acts.
const pendingTime = time.Second

// The kinds of tools (PROTOCOL.md 11.3).
var (
	acting  = []string{"edit", "delete", "move", "execute", "fetch", "switch_mode"}
	looking = []string{"read", "search", "think"}
)

// otherKind stands for every kind that is not known.
const otherKind = "other"

// fence watches the tool calls of an agent. Its zero value watches.
type fence struct{ calls map[string]*toolCall }

// toolCall is what is known of one call. It holds no title and no input: paths and texts
// are in those.
type toolCall struct {
	kind   string
	status string
	since  time.Time
	asked  bool // for permission, and was refused
}

// reset forgets all calls, before another prompt.
func (f *fence) reset() { f.calls = nil }

// update takes a session's update. It returns the kind of a call that is mentioned for
// the first time, and the kind of a call that acts; each may be empty.
func (f *fence) update(u gjson.Result, now time.Time) (first, acts string) {
	switch u.Get("sessionUpdate").String() {
	case "tool_call", "tool_call_update":
	default:
		return "", ""
	}
	c, fresh := f.call(u.Get("toolCallId").String(), now)
	c.read(u)
	if status := u.Get("status"); status.Type == gjson.String {
		c.status = status.Str
	}
	if fresh {
		first = c.kind
	}
	if c.acts() {
		acts = c.kind
	}
	return first, acts
}

// ask takes a request for permission, which is always refused.
func (f *fence) ask(params gjson.Result, now time.Time) {
	c, _ := f.call(params.Get("toolCall.toolCallId").String(), now)
	c.read(params.Get("toolCall"))
	c.asked = true
}

// due is when the next pending call acts; zero if none will.
func (f *fence) due() (at time.Time, kind string) {
	for _, c := range f.calls {
		if c.asked || c.status != "pending" || !slices.Contains(acting, c.kind) {
			continue
		}
		if end := c.since.Add(pendingTime); at.IsZero() || end.Before(at) {
			at, kind = end, c.kind
		}
	}
	return at, kind
}

func (f *fence) call(id string, now time.Time) (c *toolCall, fresh bool) {
	if c, ok := f.calls[id]; ok {
		return c, false
	}
	if f.calls == nil {
		f.calls = map[string]*toolCall{}
	}
	c = &toolCall{kind: otherKind, status: "pending", since: now}
	f.calls[id] = c
	return c, true
}

// read takes a call's kind. Later mentions may leave it out.
func (c *toolCall) read(u gjson.Result) {
	if kind := u.Get("kind"); kind.Type == gjson.String {
		c.kind = otherKind
		if slices.Contains(acting, kind.Str) || slices.Contains(looking, kind.Str) {
			c.kind = kind.Str
		}
	}
}

// acts reports whether the call does something, or has gone on after a refusal. A status
// that is not known counts as one in which it does.
func (c *toolCall) acts() bool {
	switch c.status {
	case "pending", "failed", "cancelled":
		return false
	case "completed":
		return c.asked || slices.Contains(acting, c.kind)
	default:
		return slices.Contains(acting, c.kind)
	}
}

// worksWords words a kind for the line that says what the model is doing.
func worksWords(kind string) string {
	if kind == otherKind {
		return "use a tool…"
	}
	return strings.ReplaceAll(kind, "_", " ") + "…"
}

// deeds say what a call of each kind may have done. More is not known: the agent was
// stopped in the middle.
var deeds = map[string]string{
	"edit":        "it may have changed a file",
	"delete":      "it may have deleted a file",
	"move":        "it may have moved a file",
	"execute":     "it may have run a command",
	"fetch":       "it may have fetched a page",
	"switch_mode": "it may have given itself other permissions",
}

// deed says what a call of that kind may have done.
func deed(kind string) string {
	if words, ok := deeds[kind]; ok {
		return words
	}
	return "it may have gone on after it was refused"
}
