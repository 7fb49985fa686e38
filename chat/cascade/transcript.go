package cascade

import (
	"strings"
	"unicode/utf8"
)

// message is one entry of a cascade, from a transcript (PROTOCOL.md 7.3) or made
// of a step (7.4).
type message struct {
	// index orders the messages of one source and is told in events. A transcript
	// numbers its messages, steps have their place in the trajectory; the two need
	// not agree.
	index int
	role  role
	// text is without the line ends at its end, which the format has of its own.
	// Line ends within are as they came.
	text string
}

// role is who a message is from, in the transcript's word. One that is not among
// these counts for nothing.
type role string

const (
	roleUser      role = "User"
	roleAssistant role = "Assistant"
	roleTool      role = "Tool" // its text is a step's type in brackets
	roleSystem    role = "System"
)

// capNear is the length in bytes from which a transcript may have been cut by the
// server, which stops near 200,000 characters (PROTOCOL.md 7.3). Whether it
// counts characters or bytes is not known; bytes are never fewer.
const capNear = 190_000

// reading is what a transcript says of one turn.
type reading struct {
	// seen: the prompt is there. Nothing before or in it counts.
	seen bool
	// messages are those after the prompt, in the order of the text, no index
	// twice. They are parts of the transcript, not copies.
	messages []message
	// doubtful: where a message begins had to be guessed, see parseTranscript.
	doubtful bool
	// cut: the end may be missing.
	cut bool
}

// parseTranscript reads the turn of a prompt out of a transcript of a cascade
// that was started for it. The messages are appended to dst[:0].
//
// The format does not escape: what looks like a header may be text. Guaranteed is
//   - no line of the prompt begins a message, whatever it holds, if the server gives
//     the prompt back as it was sent, but for carriage returns and white space
//     at its ends. If it does not, the first message of a user is taken for it, and
//     the reading is doubtful;
//   - a line begins a message only if it is a header to the letter, follows an empty
//     line, is not from a user (nobody else writes into the cascade), is not in a
//     code block of an answer, and has an index not had yet, that is the next one,
//     one skipped, or at most skipMost beyond. An unknown role has to have the next;
//   - nothing is lost: a header not believed is text of the message that it is in;
//   - the reading is doubtful if there is one, or an index was not the next. So it
//     is also doubtful by the time that a turn ends after an answer with a header
//     that was wrongly believed: the message that really has the index follows;
//   - a header, or a rune, that the transcript ends in the middle of is no text of
//     any message.
//
// What remains: until that message follows, an answer that has the very next header
// outside a code block, after an empty line, is split there.
func parseTranscript(dst []message, text, prompt string) reading {
	r := reading{messages: dst[:0], cut: len(text) >= capNear}
	own, ok := findPrompt(text, prompt)
	if !ok {
		return r
	}
	r.seen, r.doubtful, r.cut = true, !own.exact, r.cut || own.cut

	current, body := message{index: own.index, role: roleUser}, own.end
	order, block := sequence{next: own.index + 1}, codeBlock{at: own.end}
	for h, ok := nextHeader(text, own.end); ok; h, ok = nextHeader(text, h.body) {
		text := text[:h.start]
		if h.start != body && !endsWithEmptyLine(text) ||
			current.role == roleAssistant && block.openAtEnd(text) || !order.takes(h) {
			r.doubtful = true
			continue
		}
		if current.role != roleUser {
			current.text = trimLineEnds(text[body:])
			r.messages = append(r.messages, current)
		}
		current, body, block = message{index: h.index, role: h.role}, h.body, codeBlock{at: h.body}
	}
	r.doubtful = r.doubtful || order.irregular

	rest := wholeRunes(text[body:])
	line := body + strings.LastIndexByte(rest, '\n') + 1
	if (line == body || endsWithEmptyLine(text[:line])) && beginsHeader(rest[line-body:]) {
		rest = rest[:line-body]
	}
	r.cut = r.cut || len(rest) < len(text)-body
	if current.role != roleUser {
		current.text = trimLineEnds(rest)
		r.messages = append(r.messages, current)
	}
	return r
}

// trimLineEnds takes the line ends off the end. The format ends each body with
// two; a body that is still being written may end in some of its own, and would
// otherwise shrink when what follows them turns out to be a header.
func trimLineEnds(body string) string {
	return strings.TrimRight(body, "\r\n")
}

// wholeRunes leaves off the rune that the text ends in the middle of.
func wholeRunes(text string) string {
	for i := len(text) - 1; i >= max(0, len(text)-utf8.UTFMax); i-- {
		if !utf8.RuneStart(text[i]) {
			continue
		}
		if !utf8.FullRuneInString(text[i:]) {
			return text[:i]
		}
		break
	}
	return text
}
