package cascade

import (
	"cmp"
	"slices"
	"strings"
)

// event is one change of an answer, or activity of a tool.
type event struct {
	kind eventKind
	// message is the index of the message that changed.
	message int
	// text is what is new (append), all of the message (rewrite) or the step's type
	// such as CORTEX_STEP_TYPE_VIEW_FILE (tool; "" for a body of another form).
	text string
	// lead stands between the answer so far and the text of an append: what
	// separates two messages if this one begins, else nothing.
	lead string
}

type eventKind int

const (
	// eventAppend: the text goes to the end of the message and of the answer.
	eventAppend eventKind = iota
	// eventRewrite: the message has this text now, none if it is "". The answer
	// changes at another place than its end.
	eventRewrite
	// eventTool: a step that is no text was begun. Told once each.
	eventTool
)

// separator stands between the messages of an answer.
const separator = "\n\n"

const (
	stepCheckpoint = "CORTEX_STEP_TYPE_CHECKPOINT"
	stepError      = "CORTEX_STEP_TYPE_ERROR_MESSAGE"
)

// differ knows what was delivered of a turn and finds what is new. The zero
// value has delivered nothing.
type differ struct {
	// delivered are the messages of the last update by index, no index twice.
	delivered []message
}

// update takes all the messages after the prompt, in any order, which it may
// change; of two with one index the later counts. It returns what changed in the
// order of the indices. What it costs depends on the size of the messages
// alone.
func (d *differ) update(next []message) []event {
	next = sortMessages(next)
	var events []event
	last := -1 // the latest message that has text, of those delivered
	for _, m := range d.delivered {
		if m.answer() != "" {
			last = m.index
		}
	}
	lead := ""
	rest := d.delivered
	for i := 0; i < len(next) || len(rest) > 0; {
		var old, m message
		switch {
		case i == len(next) || len(rest) > 0 && rest[0].index < next[i].index:
			old, rest = rest[0], rest[1:]
			m = message{index: old.index}
		case len(rest) > 0 && rest[0].index == next[i].index:
			old, rest = rest[0], rest[1:]
			m = next[i]
			i++
		default:
			m = next[i]
			old = message{index: m.index}
			i++
		}
		if e, ok := m.textEvent(old, last); ok {
			if e.kind == eventAppend && old.answer() == "" {
				e.lead = lead
			}
			events = append(events, e)
		}
		if step := m.step(); m.role == roleTool && step != stepCheckpoint && (old.role != roleTool || old.step() != step) {
			events = append(events, event{kind: eventTool, message: m.index, text: step})
		}
		if m.answer() != "" {
			lead = separator
		}
	}
	// The old texts are let go even where they are the same: they would keep an
	// old transcript in memory.
	clear(d.delivered[min(len(next), len(d.delivered)):])
	d.delivered = append(d.delivered[:0], next...)
	return events
}

// textEvent is how the text differs from the old one, while the message last is
// the latest that has text.
func (m message) textEvent(old message, last int) (event, bool) {
	was, is := old.answer(), m.answer()
	if was == is {
		return event{}, false
	}
	if tail, ok := strings.CutPrefix(is, was); ok && last <= m.index {
		return event{kind: eventAppend, message: m.index, text: tail}, true
	}
	return event{kind: eventRewrite, message: m.index, text: is}, true
}

// answer is the part of a message that belongs to the answer.
func (m message) answer() string {
	if m.role != roleAssistant {
		return ""
	}
	return m.text
}

// step is the type of the step that a tool's message stands for.
func (m message) step() string {
	if m.role != roleTool {
		return ""
	}
	line, _, _ := strings.Cut(m.text, "\n")
	name, ok := strings.CutPrefix(strings.TrimSpace(line), "[")
	name, closed := strings.CutSuffix(name, "]")
	if !ok || !closed {
		return ""
	}
	return name
}

// answer is the text of the turn: the messages of the assistant that have text in
// the order of their indices, with an empty line between two.
func (d *differ) answer() string {
	var texts []string
	for _, m := range d.delivered {
		if text := m.answer(); text != "" {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, separator)
}

// renumber prepares for messages of another source, which has other indices: the
// first message of a role that was delivered takes the index of the first of that
// role in next, and so on, as far as both go. Otherwise all would seem to
// vanish and to come anew.
func (d *differ) renumber(next []message) {
	next = sortMessages(next)
	surplus := 0 // an index that next does not have
	if len(next) > 0 {
		surplus = next[len(next)-1].index
	}
	taken := map[role]int{}
	for i := range d.delivered {
		m := &d.delivered[i]
		found := false
		for j := taken[m.role]; j < len(next) && !found; j++ {
			// Many steps of the assistant have no text.
			found = next[j].role == m.role && (m.text == "" || next[j].text != "")
			if found {
				m.index = next[j].index
			}
			taken[m.role] = j + 1
		}
		if !found {
			surplus++
			m.index = surplus
		}
	}
	slices.SortStableFunc(d.delivered, byIndex)
}

// sortMessages sorts messages and leaves the last of those with one index.
func sortMessages(messages []message) []message {
	ordered := true
	for i := 1; i < len(messages) && ordered; i++ {
		ordered = messages[i-1].index < messages[i].index
	}
	if ordered {
		return messages
	}
	slices.SortStableFunc(messages, byIndex)
	kept := messages[:0]
	for i, m := range messages {
		if i+1 == len(messages) || messages[i+1].index != m.index {
			kept = append(kept, m)
		}
	}
	return kept
}

func byIndex(a, b message) int { return cmp.Compare(a.index, b.index) }
