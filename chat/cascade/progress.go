package cascade

import (
	"slices"
	"strings"

	"windsock/chat"
	"windsock/probe/terminal"
)

// progress is what has been reported of a turn.
type progress struct {
	steps  []trajectoryStep // all behind the prompt
	answer string           // their texts
}

// separator separates the texts of an answer.
const separator = "\n\n"

// update takes all steps behind the prompt and returns what is new: text at the end of
// the answer, or the whole answer if it changed elsewhere, and each step without text
// when it begins.
func (p *progress) update(steps []trajectoryStep) []chat.Event {
	if slices.EqualFunc(p.steps, steps, func(a, b trajectoryStep) bool { return a.kind == b.kind && a.text == b.text }) {
		return nil
	}
	var texts []string
	for _, s := range steps {
		if s.text != "" {
			texts = append(texts, s.text)
		}
	}
	answer := strings.Join(texts, separator)

	var events []chat.Event
	switch tail, grows := strings.CutPrefix(answer, p.answer); {
	case !grows:
		events = append(events, chat.Event{Kind: chat.Changes, Text: answer})
	case tail != "":
		events = append(events, chat.Event{Kind: chat.Grows, Text: tail})
	}
	for i, s := range steps {
		if s.works() && (i >= len(p.steps) || p.steps[i].kind != s.kind) {
			events = append(events, chat.Event{Kind: chat.Works, Text: stepWords(s.kind)})
		}
	}
	p.steps, p.answer = slices.Clone(steps), answer
	return events
}

// ended reports whether the turn may be over: its last step is a checkpoint. More
// steps may follow, and earlier ones may change.
func (p *progress) ended() bool {
	return len(p.steps) > 0 && p.steps[len(p.steps)-1].ends()
}

// failed reports whether there is an error. The server may recover from it.
func (p *progress) failed() bool { return slices.ContainsFunc(p.steps, trajectoryStep.errs) }

// tools reports whether the turn did anything beside writing.
func (p *progress) tools() bool {
	return slices.ContainsFunc(p.steps, func(s trajectoryStep) bool { return s.works() && !s.errs() })
}

// stepWords words a step's type, as "view file…".
func stepWords(step string) string {
	name := strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(step, "CORTEX_STEP_TYPE_"), "_", " "))
	if name == "" {
		return "working…"
	}
	return terminal.Short(name) + "…"
}
