package simulator

import (
	"cmp"
	"slices"
	"strings"
	"time"

	pb "windsock/probe/languageserver"
)

// A script lists all states of a turn in order. The time since the message alone
// determines the state, so no goroutine has to run beside it.
type script []beat

// A beat is a state of a turn. It lasts until the next beat.
type beat struct {
	at     time.Duration // since the message was sent
	status pb.CascadeRunStatus
	steps  []step
}

// A step is one of a turn's steps in one state.
type step struct {
	kind    pb.CortexStepType
	status  pb.CortexStepStatus
	text    string
	revised string // replaces text
	err     string
	benign  bool // the error does not end the turn
	// rank is the step's position in the transcript, if it differs from that among the
	// steps; an unseen step is not in the transcript yet.
	rank   int
	unseen bool
	// charged says that the step carries the turn's cost.
	charged bool
	// usage is how many tokens it was.
	usage *pb.ModelUsageStats
	// metadata is that of a past turn's step.
	metadata *pb.CortexStepMetadata
}

// at is the state at a time since the message.
func (s script) at(passed time.Duration) beat {
	i, found := slices.BinarySearchFunc(s, passed, func(b beat, t time.Duration) int { return cmp.Compare(b.at, t) })
	if !found {
		i--
	}
	return s[max(i, 0)]
}

// end is the time of the last change.
func (s script) end() time.Duration { return s[len(s)-1].at }

// A writer writes a script. Each of its methods takes one tick or several.
type writer struct {
	script script
	tick   time.Duration
	now    time.Duration
	status pb.CascadeRunStatus
	steps  []step
	paid   bool
}

// newWriter begins a script: idle, without a step, until the turn begins.
func newWriter(idle, tick time.Duration) *writer {
	return &writer{
		script: script{{status: pb.CascadeRunStatus_CASCADE_RUN_STATUS_IDLE}},
		tick:   tick, now: idle, status: pb.CascadeRunStatus_CASCADE_RUN_STATUS_RUNNING,
	}
}

// beat records the present state, then a number of ticks pass.
func (w *writer) beat(ticks int) {
	w.script = append(w.script, beat{at: w.now, status: w.status, steps: slices.Clone(w.steps)})
	w.now += time.Duration(ticks) * w.tick
}

// add adds a completed step and returns its index, for the methods below.
func (w *writer) add(s step) int {
	if s.status == 0 {
		s.status = pb.CortexStepStatus_CORTEX_STEP_STATUS_DONE
	}
	if s.rank == 0 {
		s.rank = rankOf(len(w.steps))
	}
	w.steps = append(w.steps, s)
	w.beat(1)
	return len(w.steps) - 1
}

// rankOf is the rank of the step at that index. Another rank follows each.
func rankOf(place int) int { return 2 * place }

func (w *writer) tool(kind pb.CortexStepType) { w.add(step{kind: kind}) }

// reply adds an answer that grows in pieces of some ticks each, and then completes.
func (w *writer) reply(text string, pieces, ticks int) int {
	n := w.add(step{
		kind:   pb.CortexStepType_CORTEX_STEP_TYPE_PLANNER_RESPONSE,
		status: pb.CortexStepStatus_CORTEX_STEP_STATUS_GENERATING,
	})
	w.grow(n, text, pieces, ticks)
	w.finish(n)
	return n
}

// grow extends an answer piece by piece up to text, cut between characters.
func (w *writer) grow(n int, text string, pieces, ticks int) {
	for i := 1; i <= pieces; i++ {
		cut := len(text) * i / pieces
		for cut < len(text) && text[cut]&0xC0 == 0x80 {
			cut++
		}
		w.steps[n].text = text[:cut]
		w.beat(ticks)
	}
}

// finish completes an answer. The turn's first answer carries the turn's cost.
func (w *writer) finish(n int) {
	w.steps[n].status = pb.CortexStepStatus_CORTEX_STEP_STATUS_DONE
	w.steps[n].charged = !w.paid
	w.paid = true
	w.beat(1)
}

// end ends the turn.
func (w *writer) end() {
	w.status = pb.CascadeRunStatus_CASCADE_RUN_STATUS_IDLE
	w.beat(0)
}

// cancelled is the script of a turn that is cancelled at a time: it is cancelling for a
// tick, and the current step stays as it is.
func (s script) cancelled(passed, tick time.Duration) script {
	last := s.at(passed)
	steps := slices.Clone(last.steps)
	for i := range steps {
		switch steps[i].status {
		case pb.CortexStepStatus_CORTEX_STEP_STATUS_DONE, pb.CortexStepStatus_CORTEX_STEP_STATUS_ERROR:
		default:
			steps[i].status = pb.CortexStepStatus_CORTEX_STEP_STATUS_CANCELED
		}
	}
	var cut script
	for _, b := range s {
		if b.at < passed {
			cut = append(cut, b)
		}
	}
	return append(
		cut,
		beat{at: passed, status: pb.CascadeRunStatus_CASCADE_RUN_STATUS_CANCELING, steps: steps},
		beat{at: passed + tick, status: pb.CascadeRunStatus_CASCADE_RUN_STATUS_IDLE, steps: steps},
	)
}

// shown is the text of a step in a transcript.
func (s step) shown() string {
	if s.revised != "" {
		return s.revised
	}
	return s.text
}

// role is the speaker's role in a transcript.
func (s step) role() string {
	switch s.kind {
	case pb.CortexStepType_CORTEX_STEP_TYPE_USER_INPUT:
		return "User"
	case pb.CortexStepType_CORTEX_STEP_TYPE_PLANNER_RESPONSE:
		return "Assistant"
	default:
		return "Tool"
	}
}

// lines repeats line's results until the text has at least that size.
func lines(size int, line func(n int) string) string {
	var text strings.Builder
	for n := 1; text.Len() < size; n++ {
		text.WriteString(line(n))
		text.WriteByte('\n')
	}
	return text.String()
}
