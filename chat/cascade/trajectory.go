package cascade

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"windsock/chat"
	pb "windsock/probe/languageserver"
)

// trajectory is what a turn needs to know of a cascade (PROTOCOL.md 7.4).
type trajectory struct {
	status pb.CascadeRunStatus
	steps  []trajectoryStep
}

// trajectoryStep is one step, as far as it matters for an answer.
type trajectoryStep struct {
	kind  string // CORTEX_STEP_TYPE_…
	text  string // of the answer; "" where the step is none
	words string // of an error that is not benign
	fails bool   // the step is such an error
	waits bool   // for a permission that a person gives in the editor
	cost  chat.Cost
}

// unknownStatus is one with a name that is not in the list, and nobody knows what it
// means: no reason to end, or to archive.
const unknownStatus pb.CascadeRunStatus = -1

// idle reports whether nothing runs.
func (t trajectory) idle() bool {
	return t.status == pb.CascadeRunStatus_CASCADE_RUN_STATUS_IDLE
}

// readTrajectory reads a run status and a list of steps. A field of another type
// than expected counts as missing.
func readTrajectory(status, steps gjson.Result) trajectory {
	t := trajectory{status: pb.CascadeRunStatus(pb.CascadeRunStatus_value[status.String()])}
	if status.Exists() && t.status == pb.CascadeRunStatus_CASCADE_RUN_STATUS_UNSPECIFIED {
		t.status = unknownStatus
	}
	steps.ForEach(func(_, step gjson.Result) bool {
		t.steps = append(t.steps, readStep(step))
		return true
	})
	return t
}

func readStep(step gjson.Result) trajectoryStep {
	s := trajectoryStep{kind: step.Get("type").String(), cost: readCost(step.Get("metadata"))}
	if answer := step.Get("plannerResponse"); answer.Exists() {
		s.text = cmp.Or(answer.Get("modifiedResponse").String(), answer.Get("response").String())
	}
	status := step.Get("status").String()
	s.waits = status == pb.CortexStepStatus_CORTEX_STEP_STATUS_WAITING.String()
	failure := step.Get("errorMessage.error")
	if !failure.Exists() && s.answers() && status == pb.CortexStepStatus_CORTEX_STEP_STATUS_ERROR.String() {
		failure = step.Get("error") // a tool's own is for the model to get over
	}
	if failure.Exists() && !failure.Get("isBenign").Bool() {
		s.fails = true
		s.words = cmp.Or(failure.Get("userErrorMessage").String(), failure.Get("shortError").String(), failure.Get("fullError").String())
	}
	return s
}

// answers reports whether the step is one of the model's answers.
func (s trajectoryStep) answers() bool {
	return s.kind == pb.CortexStepType_CORTEX_STEP_TYPE_PLANNER_RESPONSE.String()
}

// waits reports whether the turn cannot go on without a person.
func (t trajectory) waits() bool {
	steps, _ := t.afterPrompt()
	return slices.ContainsFunc(steps, func(s trajectoryStep) bool { return s.waits })
}

// afterPrompt are the steps behind the last prompt, and where they begin; nil
// where the server has no prompt yet.
func (t trajectory) afterPrompt() (steps []trajectoryStep, first int) {
	for i, step := range slices.Backward(t.steps) {
		if step.kind == pb.CortexStepType_CORTEX_STEP_TYPE_USER_INPUT.String() {
			return t.steps[i+1:], i + 1
		}
	}
	return nil, 0
}

// prompts counts the messages of the person.
func (t trajectory) prompts() (n int) {
	for _, step := range t.steps {
		if step.kind == pb.CortexStepType_CORTEX_STEP_TYPE_USER_INPUT.String() {
			n++
		}
	}
	return n
}

// messages are the steps behind the prompt as a follower takes them; nil where
// the server has no prompt yet.
func (t trajectory) messages() []message {
	steps, first := t.afterPrompt()
	if first == 0 {
		return nil
	}
	messages := make([]message, 0, len(steps))
	for i, s := range steps {
		m := message{index: first + i, role: roleTool, text: "[" + s.kind + "]"}
		if s.answers() {
			m.role, m.text = roleAssistant, strings.TrimRight(s.text, "\r\n")
		}
		messages = append(messages, m)
	}
	return messages
}

// failed returns the words of the error that the turn ended with. A text after an
// error means that the server has got over it.
func (t trajectory) failed() (words string, failed bool) {
	steps, _ := t.afterPrompt()
	for _, s := range steps {
		switch {
		case s.fails:
			words, failed = s.words, true
		case s.text != "":
			words, failed = "", false
		}
	}
	return words, failed
}

// cost adds up what the steps behind the prompt say that they cost.
func (t trajectory) cost() chat.Cost {
	steps, _ := t.afterPrompt()
	var total chat.Cost
	for _, s := range steps {
		total = total.Plus(s.cost)
	}
	return total
}
