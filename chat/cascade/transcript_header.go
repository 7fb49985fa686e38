package cascade

import (
	"slices"
	"strconv"
	"strings"
)

// header is a line of the form "=== MESSAGE 2 - Assistant ===".
type header struct {
	index int
	role  role
	// start is where the line begins, body where the next one does.
	start, body int
}

const (
	headerStart = "=== MESSAGE "
	headerRole  = " - "
	headerEnd   = " ==="
	// headerMost is more than the longest header has, in bytes: it bounds how
	// far a line is looked at.
	headerMost = 64
)

// nextHeader finds the first line from an offset on that has the form of a header.
func nextHeader(text string, from int) (header, bool) {
	for {
		i := strings.Index(text[from:], headerStart)
		if i < 0 {
			return header{}, false
		}
		from += i
		if h, ok := headerAt(text, from); ok {
			return h, true
		}
		from += len(headerStart)
	}
}

func headerAt(text string, start int) (header, bool) {
	if start > 0 && text[start-1] != '\n' {
		return header{}, false
	}
	line := text[start:min(len(text), start+headerMost)]
	h := header{start: start, body: start + len(line)}
	if i := strings.IndexByte(line, '\n'); i >= 0 {
		line, h.body = line[:i], start+i+1
	} else if len(line) == headerMost {
		return header{}, false
	}
	line, ok := strings.CutSuffix(strings.TrimSuffix(line, "\r"), headerEnd)
	if !ok || len(line) < len(headerStart) {
		return header{}, false
	}
	number, name, ok := strings.Cut(line[len(headerStart):], headerRole)
	if !ok || name == "" || trimLetters(name) != "" {
		return header{}, false
	}
	index, err := strconv.Atoi(number)
	// No sign, no zeros in front, nothing that is an index on no machine.
	if err != nil || len(number) > 9 || number != "0" && (number[0] < '1' || number[0] > '9') {
		return header{}, false
	}
	h.index, h.role = index, role(name)
	return h, true
}

// beginsHeader says whether a line may become a header by being continued.
func beginsHeader(line string) bool {
	rest, ok := strings.CutPrefix(line, headerStart)
	if !ok {
		return line != "" && strings.HasPrefix(headerStart, line)
	}
	if rest = strings.TrimLeft(rest, "0123456789"); rest == "" {
		return true
	}
	name, ok := strings.CutPrefix(rest, headerRole)
	if !ok {
		return strings.HasPrefix(headerRole, rest)
	}
	rest = trimLetters(name)
	return rest != headerEnd && strings.HasPrefix(headerEnd, rest)
}

func trimLetters(name string) string {
	return strings.TrimLeftFunc(name, func(r rune) bool {
		return 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z'
	})
}

// endsWithEmptyLine says whether a header may begin after the text.
func endsWithEmptyLine(text string) bool {
	text, ok := strings.CutSuffix(text, "\n")
	text = strings.TrimSuffix(text, "\r")
	return text == "" || ok && text[len(text)-1] == '\n'
}

// ownMessage is the message of the prompt.
type ownMessage struct {
	index int
	// end is where the next header begins, or the end of the text.
	end int
	// exact: it is the prompt. If not, end is where its text begins.
	exact bool
	// cut: the text ends within it, or within the header after it.
	cut bool
}

// findPrompt finds the message of the prompt, else the first of a user.
func findPrompt(text, prompt string) (own ownMessage, ok bool) {
	prompt = strings.Trim(prompt, whiteSpace)
	for h, found := nextHeader(text, 0); found; h, found = nextHeader(text, h.body) {
		if h.role != roleUser || !endsWithEmptyLine(text[:h.start]) {
			continue
		}
		if length, cut, match := matchPrompt(text[h.body:], prompt); match {
			return ownMessage{index: h.index, end: h.body + length, exact: true, cut: cut}, true
		}
		if !ok {
			own, ok = ownMessage{index: h.index, end: h.body}, true
		}
	}
	return own, ok
}

// matchPrompt says whether the body begins with the prompt, with nothing between
// it and the next header, and how far that is. Carriage returns and white space
// around the prompt do not count. A body that ends within the prompt is cut.
func matchPrompt(body, prompt string) (length int, cut, ok bool) {
	at := len(body) - len(strings.TrimLeft(body, whiteSpace))
	if strings.HasPrefix(body[at:], prompt) {
		at += len(prompt)
	} else if at, cut, ok = matchLines(body, at, prompt); cut || !ok {
		return at, cut, ok
	}
	rest := strings.TrimLeft(body[at:], whiteSpace)
	if rest == "" || beginsHeader(rest) {
		return len(body), rest != "", true
	}
	at = len(body) - len(rest)
	_, ok = headerAt(body, at)
	return at, false, ok && endsWithEmptyLine(body[:at])
}

const whiteSpace = " \t\r\n\v\f"

// matchLines compares from an offset of the body on, without the carriage
// returns of both.
func matchLines(body string, at int, prompt string) (end int, cut, ok bool) {
	for i := range len(prompt) {
		if prompt[i] == '\r' {
			continue
		}
		for at < len(body) && body[at] == '\r' {
			at++
		}
		if at == len(body) {
			return at, true, true
		}
		if body[at] != prompt[i] {
			return at, false, false
		}
		at++
	}
	return at, false, true
}

// skipMost is how many indices may be missing before a header. That any are was
// never seen; a number far off is rather one that an answer made up.
const skipMost = 16

// sequence judges the index and the role of headers after the prompt's.
type sequence struct {
	next int
	// skipped are the latest indices below next that no message had.
	skipped []int
	// irregular: an index was taken that was not next.
	irregular bool
}

func (s *sequence) takes(h header) bool {
	switch h.role {
	case roleUser:
		return false
	case roleAssistant, roleTool, roleSystem:
	default:
		if h.index != s.next {
			return false
		}
	}
	if h.index < s.next {
		i := slices.Index(s.skipped, h.index)
		if i < 0 {
			return false
		}
		s.skipped, s.irregular = slices.Delete(s.skipped, i, i+1), true
		return true
	}
	if h.index-s.next > skipMost {
		return false
	}
	for ; s.next < h.index; s.next++ {
		s.skipped, s.irregular = append(s.skipped, s.next), true
	}
	// Few are kept, so that a text full of headers takes no longer to read.
	if surplus := len(s.skipped) - 4*skipMost; surplus > 0 {
		s.skipped = slices.Delete(s.skipped, 0, surplus)
	}
	s.next++
	return true
}

// codeBlock follows the fenced code blocks of an answer, where transcripts are
// quoted. It reads each part of the text once.
type codeBlock struct {
	at    int // what is before was read
	ticks int // of the fence that is open, or 0
}

// openAtEnd reads on to the end of the text and says whether a block is open there.
func (b *codeBlock) openAtEnd(text string) bool {
	for b.at < len(text) {
		i := strings.Index(text[b.at:], "```")
		if i < 0 {
			break
		}
		indent := text[b.at : b.at+i]
		rest := strings.TrimLeft(text[b.at+i:], "`")
		ticks := len(text) - len(rest) - b.at - i
		// From a line's start to the fence there is nothing but white space.
		indent = strings.TrimRight(indent, " \t")
		atLineStart := strings.HasSuffix(indent, "\n") || indent == "" && b.at > 0 && text[b.at-1] == '\n'
		b.at = len(text) - len(rest)
		if !atLineStart {
			continue
		}
		info, _, _ := strings.Cut(rest, "\n")
		b.at += len(info)
		switch {
		case b.ticks == 0 && !strings.Contains(info, "`"):
			b.ticks = ticks
		case ticks >= b.ticks && strings.TrimSpace(info) == "":
			b.ticks = 0
		}
	}
	b.at = len(text)
	return b.ticks > 0
}
