package cascade

// follower turns what a server says of a turn at each poll into events. It has
// one prompt, in a cascade that was started for it. It is not safe for
// concurrent use.
//
// What is delivered:
//   - append: text at the end of the answer, its lead first. Written one after
//     another, the appends are the answer for as long as there is no rewrite; none
//     repeats text. A rune is never split;
//   - rewrite: a message has another text, or none any more, or got text while a
//     later one had some. What was written is void: answer has the whole;
//   - tool: a step that is no text was begun. A checkpoint is not told, nor what
//     the system says;
//   - done and error are no events, the caller concludes them from state.
//
// The events of all updates, applied in order, make the text of each message and
// answer.
type follower struct {
	prompt string
	diff   differ
	last   string    // the transcript that was read last
	buffer []message // of the parser
	now    progress
}

// progress is what can be said of a turn after an update.
type progress struct {
	// seen: the server has our prompt. Before that there are no events.
	seen bool
	// answered: there is text. A turn of tools alone ends without.
	answered bool
	// tools: there is a step that is no text, and no checkpoint.
	tools bool
	// ended: the last message is a checkpoint. More may follow, or be rewritten.
	ended bool
	// failed: a step is an error. Its words are in the steps (PROTOCOL.md 7.4).
	failed bool
	// doubtful: an answer may hold a header, see parseTranscript. Its text is
	// certain once the steps were given to update.
	doubtful bool
	// cut: the transcript may lack its end, or has lost our prompt. From now on
	// the steps have to be asked for.
	cut bool
	// steps: the last update was by steps. They are always exact.
	steps bool
}

func newFollower(prompt string) *follower { return &follower{prompt: prompt} }

// transcript takes the whole transcript of a poll, read from offset 0: another
// offset renumbers. Where the prompt is not in it, what was delivered stays. Once
// steps were given, a transcript says nothing more.
func (f *follower) transcript(text string) []event {
	if f.now.steps || text == f.last {
		return nil
	}
	f.last = text
	r := parseTranscript(f.buffer, text, f.prompt)
	f.buffer = r.messages
	clear(f.buffer[len(f.buffer):cap(f.buffer)]) // no old transcript is kept
	if !r.seen {
		f.now.cut = f.now.seen || r.cut
		return nil
	}
	events := f.diff.update(r.messages)
	f.conclude()
	f.now.doubtful, f.now.cut = r.doubtful, r.cut
	return events
}

// update takes the messages made of all steps after the prompt's, with the places
// of the steps as indices: for servers without transcripts, or where one is
// doubtful or cut. What the transcript had delivered is not told again; it has the
// indices of the steps from then on.
func (f *follower) update(messages []message) []event {
	if !f.now.steps {
		f.diff.renumber(messages)
		f.last, f.buffer = "", nil
	}
	events := f.diff.update(messages)
	f.conclude()
	f.now.steps = true
	return events
}

// conclude works out the state from what was delivered.
func (f *follower) conclude() {
	now := progress{seen: true, steps: f.now.steps}
	for _, m := range f.diff.delivered {
		step := m.step()
		now.answered = now.answered || m.answer() != ""
		now.failed = now.failed || step == stepError
		now.tools = now.tools || m.role == roleTool && step != stepCheckpoint && step != stepError
		now.ended = step == stepCheckpoint
	}
	f.now = now
}

// answer is the whole text so far.
func (f *follower) answer() string { return f.diff.answer() }

// state is what can be said after the last update.
func (f *follower) state() progress { return f.now }
