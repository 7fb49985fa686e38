package simulator

import (
	"math/rand/v2"
	"time"

	pb "windsock/probe/languageserver"
	"windsock/probe/simulator/account"
)

// A past is what a turn has that was planned when its server started, and not sent: it
// takes place by the server's clock. A clock that is moved on shows it begin, grow and
// end.
type past struct {
	// Seed makes its steps. A copy in a branched cascade has the same one.
	Seed uint64 `json:"seed"`
	// Steps is how many follow the prompt, in the time Long.
	Steps int           `json:"steps"`
	Long  time.Duration `json:"long"`
	// Minor is its cost, in the smallest unit of Cost's; see minors.
	Minor int64 `json:"minor"`
	Lacks lack  `json:"lacks,omitempty"`
	// Open is the end of the last step, if nothing runs meanwhile: the step tells half of
	// its cost until then.
	Open time.Time `json:"open,omitzero"`
	// Reverted is when it disappears, Cleared when its steps lose what they tell.
	Reverted time.Time `json:"reverted,omitzero"`
	Cleared  time.Time `json:"cleared,omitzero"`
	// Weight is the size of its texts in bytes.
	Weight int64 `json:"weight,omitempty"`
}

// A lack is what the steps of a turn do not tell.
type lack int

const (
	lacksNothing   lack = iota
	lacksUse            // when a step was used
	lacksEnd            // and when it was completed
	lacksTimes          // and when it was created
	lacksGenerator      // the model that made a step, but for that of its tokens
	lacksUsage          // its tokens' model, but for the one that was asked for
	lacksModel          // any model
	lacksCost
	lacksTokens  // but for the newer fields
	lacksRequest // the request's id
	lacks
)

// pastModels are the models of past turns, the usual one first. The last one is so old
// that the server no longer lists it.
var pastModels = []string{
	"claude-sonnet-4-6", "gpt-5-4-medium", "claude-opus-4-7", "swe-1-6", "gpt-codex-5-3-high", "gemini-3-1-pro-low",
	"claude-sonnet-4-6-thinking", "kimi-k2-6", "claude-haiku-4-5", "grok-code-2", "gpt-5-4-low", "claude-opus-4-7-thinking",
	"qwen-coder-4", "deepseek-v4", "MODEL_CLAUDE_3_7_SONNET",
}

var pastPrompts = []string{
	"Go on, please.", "Now the tests.", "That broke the build. Have a look at it.", "Can this be shorter?",
	"Why is this needed?", "Do the same for the other callers.", "Write down what you have found.", "Undo the last change.",
}

// minors is how many of a unit's smallest parts the wire tells.
var minors = map[account.Unit]float64{account.Credits: 100, account.ACUs: 1e4, account.Quota: 100, account.Dollars: 100}

// remember plans the turns of an old cascade, the nth: steps of them. Most cascades
// have nothing odd; some of each dozen have reverted, cleared or open steps, or steps
// that do not tell all.
func remember(one *cascade, seed uint64, n, steps int) {
	random := rand.New(rand.NewPCG(seed+uint64(n), 1)) //nolint:gosec // made-up data, not below zero
	const perTurn = 36
	turns := 1 + steps/perTurn
	usual := pastModels[min(random.IntN(len(pastModels)), random.IntN(len(pastModels)))]
	from := one.Created
	slot := one.Modified.Sub(from) / time.Duration(turns)
	for i := range turns {
		t := &turn{
			Prompt: one.Title, Model: usual,
			Date: from.Add(slot*time.Duration(i) + time.Duration(random.Int64N(int64(slot/4)+1))).Truncate(time.Second),
			Past: &past{Seed: random.Uint64(), Steps: max(steps/turns-1, 2)},
		}
		t.Past.Long = min(slot/2, time.Duration(t.Past.Steps)*20*time.Second)
		if i > 0 {
			t.Prompt = pastPrompts[random.IntN(len(pastPrompts))]
		}
		if random.IntN(4) == 0 {
			t.Model = pastModels[random.IntN(len(pastModels))]
		}
		if n%14 != 9 && random.IntN(3) == 0 { // a copy without a request's id would be another step
			t.Past.Lacks = lack(random.IntN(int(lacks)))
		}
		one.Turns = append(one.Turns, t)
	}
	last := one.Turns[len(one.Turns)-1]
	switch {
	case n%9 == 5 && turns > 2: // its second turn is reverted before the third one begins
		second := one.Turns[len(one.Turns)-turns+1]
		second.Past.Reverted = second.Date.Add(slot * 5 / 8)
	case n%9 == 7:
		last.Past.Open = one.Modified
	case n%9 == 8:
		last.Past.Cleared = one.Modified
	}
}

// branch makes one of each fourteen a branch of the cascade before it. They are given
// from the newest to the oldest.
func branch(all []*cascade) {
	for n := 8; n+1 < len(all); n += 14 {
		one, base := all[n], all[n+1]
		one.Workspace = base.Workspace
		one.Turns = append(branched(base, one.Created), one.Turns...)
	}
}

// branched are copies of the turns that a cascade had at a time. What becomes of those
// later does not happen to the copies.
func branched(base *cascade, at time.Time) (turns []*turn) {
	for _, t := range base.Turns {
		if t.ends(t.Past.Steps).After(at) || t.Past.gone(at) {
			continue
		}
		copied, past := *t, *t.Past
		past.Reverted = time.Time{}
		if past.Cleared.After(at) {
			past.Cleared = time.Time{}
		}
		copied.Past = &past
		turns = append(turns, &copied)
	}
	return turns
}

// gone reports whether the turn is reverted at a time.
func (p *past) gone(at time.Time) bool { return !p.Reverted.IsZero() && !at.Before(p.Reverted) }

// end is when a past turn's last step ends, if nothing holds it up.
func (t *turn) end() time.Time { return t.Date.Add(t.Past.Long) }

// there reports whether the turn is in its cascade at a time.
func (t *turn) there(at time.Time) bool {
	return t.Past == nil || !t.Date.After(at) && !t.Past.gone(at)
}

// runs reports whether a past turn is under way.
func (t *turn) runs(at time.Time) bool {
	end := t.end()
	if !t.Past.Open.IsZero() {
		end = t.stepAt(t.Past.Steps)
	}
	return t.there(at) && at.Before(end)
}

// length is how many steps a past turn has at a time.
func (t *turn) length(at time.Time) int {
	switch {
	case !t.there(at):
		return 0
	case !at.Before(t.end()):
		return 1 + t.Past.Steps
	}
	n := 1
	for n <= t.Past.Steps && !t.stepAt(n).After(at) {
		n++
	}
	return n
}

// stepAt is when a step of a past turn begins, and the one before it ends. The prompt is
// step 0.
func (t *turn) stepAt(i int) time.Time {
	return t.Date.Add(t.Past.Long * time.Duration(i) / time.Duration(t.Past.Steps+1)).Truncate(time.Millisecond)
}

// byModel reports whether a model makes that step.
func (p *past) byModel(i int) bool { return i%3 == 1 || i == p.Steps && i > 0 }

// kind is the type of a step of a past turn.
func (p *past) kind(i int) pb.CortexStepType {
	tools := []pb.CortexStepType{stepViewFile, stepDirectory, stepCommand, stepMemory}
	switch {
	case i == 0:
		return pb.CortexStepType_CORTEX_STEP_TYPE_USER_INPUT
	case p.byModel(i):
		return stepAnswer
	default:
		return tools[(p.Seed+uint64(i))%uint64(len(tools))] //nolint:gosec // not below zero
	}
}

// share is a step's part of the turn's cost, in minor units. All steps of models
// together have all of it.
func (p *past) share(i int) int64 {
	if !p.byModel(i) {
		return 0
	}
	var before, models int64
	for k := 1; k <= p.Steps; k++ {
		if p.byModel(k) {
			models++
			if k < i {
				before++
			}
		}
	}
	return p.Minor*(before+1)/models - p.Minor*before/models
}
