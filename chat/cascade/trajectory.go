package cascade

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"windsock/chat"
	"windsock/probe/jsonpick"
	pb "windsock/probe/languageserver"
)

// trajectory is the part of a cascade that a turn needs (PROTOCOL.md 7.4).
type trajectory struct {
	status pb.CascadeRunStatus
	steps  []trajectoryStep
}

// trajectoryStep is the part of a step that an answer needs.
type trajectoryStep struct {
	kind  string // CORTEX_STEP_TYPE_…
	text  string // of the answer; "" for any other step
	grows bool   // the answer is still being written
	words string // of an error that is not benign
	fails bool   // the step is such an error
	waits bool   // for a permission that a person gives in the editor
	cost  chat.Cost
	// tokens is nil where they are not told.
	tokens *chat.Tokens
}

// turnFields are the members of a step that a turn needs. What tools have read and
// written is not among them.
var turnFields = jsonpick.Fields{
	"type": nil, "status": nil, "metadata": metadataFields,
	"plannerResponse": {"response": nil, "modifiedResponse": nil},
	"errorMessage":    {"error": failureFields}, "error": failureFields,
}

var failureFields = jsonpick.Fields{"isBenign": nil, "userErrorMessage": nil, "shortError": nil, "fullError": nil}

// unknownStatus stands for a status name that is not in the list. Its meaning is
// unknown, so it is no reason to end or to archive.
const unknownStatus pb.CascadeRunStatus = -1

// idle reports whether nothing runs.
func (t trajectory) idle() bool {
	return t.status == pb.CascadeRunStatus_CASCADE_RUN_STATUS_IDLE
}

func readStatus(from gjson.Result) pb.CascadeRunStatus {
	status, known := pb.CascadeRunStatus_value[from.String()]
	if from.Exists() && !known {
		return unknownStatus
	}
	return pb.CascadeRunStatus(status)
}

func readSteps(from gjson.Result) (steps []trajectoryStep) {
	from.ForEach(func(_, step gjson.Result) bool {
		steps = append(steps, readStep(step))
		return true
	})
	return steps
}

// readStep reads a step in one pass: an answer may have megabytes. A field of an
// unexpected type counts as missing.
func readStep(step gjson.Result) trajectoryStep {
	var s trajectoryStep
	var status string
	var answer, failure, failed gjson.Result
	step.ForEach(func(key, v gjson.Result) bool {
		switch key.Str {
		case "type":
			s.kind = v.String()
		case "status":
			status = v.String()
		case "metadata":
			s.cost, s.tokens = readCost(v), readUsage(v)
		case "plannerResponse":
			answer = v
		case "errorMessage":
			failure = v.Get("error")
		case "error":
			failed = v
		}
		return true
	})
	var response, revised string
	answer.ForEach(func(key, v gjson.Result) bool {
		switch key.Str {
		case "response":
			response = v.String()
		case "modifiedResponse":
			revised = v.String()
		}
		return true
	})
	s.text = strings.TrimRight(cmp.Or(revised, response), "\r\n")
	s.grows = s.answers() && status == pb.CortexStepStatus_CORTEX_STEP_STATUS_GENERATING.String()
	s.waits = status == pb.CortexStepStatus_CORTEX_STEP_STATUS_WAITING.String()
	if !failure.Exists() && s.answers() && status == pb.CortexStepStatus_CORTEX_STEP_STATUS_ERROR.String() {
		failure = failed // a tool's own error is for the model to handle
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

// prompts reports whether the step is a message of the person.
func (s trajectoryStep) prompts() bool {
	return s.kind == pb.CortexStepType_CORTEX_STEP_TYPE_USER_INPUT.String()
}

// ends reports whether the turn may end with the step.
func (s trajectoryStep) ends() bool {
	return s.kind == pb.CortexStepType_CORTEX_STEP_TYPE_CHECKPOINT.String()
}

// works reports whether the step is something other than writing.
func (s trajectoryStep) works() bool { return !s.answers() && !s.ends() }

// errs reports whether the step is an error. The server may recover from it.
func (s trajectoryStep) errs() bool {
	return s.kind == pb.CortexStepType_CORTEX_STEP_TYPE_ERROR_MESSAGE.String()
}

// behind is the trajectory without its first steps.
func (t trajectory) behind(base int) trajectory {
	t.steps = t.steps[min(base, len(t.steps)):]
	return t
}

// unfinished is the index of the first step that may still change or be followed.
func (t trajectory) unfinished() int {
	if i := slices.IndexFunc(t.steps, func(s trajectoryStep) bool { return s.grows }); i >= 0 {
		return i
	}
	return max(len(t.steps)-1, 0)
}

// waits reports whether the turn cannot go on without a person.
func (t trajectory) waits() bool {
	return slices.ContainsFunc(t.afterPrompt(), func(s trajectoryStep) bool { return s.waits })
}

// afterPrompt returns the steps behind the last prompt, or nil if the server has no
// prompt yet.
func (t trajectory) afterPrompt() []trajectoryStep {
	for i, step := range slices.Backward(t.steps) {
		if step.prompts() {
			return t.steps[i+1:]
		}
	}
	return nil
}

// prompts counts the person's messages.
func (t trajectory) prompts() (n int) {
	for _, step := range t.steps {
		if step.prompts() {
			n++
		}
	}
	return n
}

// failed returns the message of the error that ended the turn. Text after an error
// means that the server has recovered.
func (t trajectory) failed() (words string, failed bool) {
	for _, s := range t.afterPrompt() {
		switch {
		case s.fails:
			words, failed = s.words, true
		case s.text != "":
			words, failed = "", false
		}
	}
	return words, failed
}

// cost adds up the costs that the steps behind the prompt report.
func (t trajectory) cost() chat.Cost {
	var total chat.Cost
	for _, s := range t.afterPrompt() {
		total = total.Plus(s.cost)
	}
	return total
}

// tokens adds up the tokens of the steps behind the prompt. It is nil unless each of the
// model's answers tells its own: a part of the sum would be a wrong one.
func (t trajectory) tokens() *chat.Tokens {
	var total *chat.Tokens
	for _, s := range t.afterPrompt() {
		switch {
		case s.tokens != nil && total != nil:
			sum := total.Plus(*s.tokens)
			total = &sum
		case s.tokens != nil:
			total = s.tokens
		case s.answers():
			return nil
		}
	}
	return total
}
