package openai

import (
	"slices"
	"strings"
)

// What counts as a call of a tool:
//
// The model is asked for {"tool_calls-7f3a":[{"name":…,"arguments":{…}}]} on a line of
// its own. 7f3a is a word made for this request, and occurs in no text of it. So text
// that a model only repeats, from a file or a page, is no call. The text around such
// calls is the content.
//
// Models have habits, and may omit the word. They write a single
// {"name":…,"arguments":{…}}, a list of them, or OpenAI's own form, with a "function"
// inside and the arguments in a string. These forms count only if the answer has
// nothing else. Each form may stand in a code fence or in <tool_call> tags.
//
// A call always begins a line. It has to name an offered tool, and its arguments have
// to be an object; otherwise nothing in the object is a call. A tool's definition that
// a model repeats has parameters, and is no call.
//
// If a model does not comply, its text is the answer unchanged, with the finish_reason
// "stop"; if a call was required, a warning says that it is missing. A model is never
// asked again automatically: that would be paid for again.

// caller parses the tool calls of a model.
type caller struct {
	offered []tool
	key     string // the first key of the object that the model is asked for
}

// caller returns the parser for the answers to a request.
func (r *request) caller() caller { return caller{r.tools, r.callKey()} }

// callKey is the key of the calls in the form that the model is asked for.
func (r *request) callKey() string {
	if r.word == "" {
		return plainKey
	}
	return plainKey + "-" + r.word
}

const plainKey = "tool_calls"

// habits are the first keys of calls in the other forms.
var habits = []string{plainKey, "name", "arguments", "function", "id", "type"}

// find splits an answer into calls and content. An answer without a call is all
// content.
func (c caller) find(text string) (content string, calls []call) {
	if content, calls = c.take(text, []string{c.key}); calls != nil {
		return content, calls
	}
	if content, calls = c.take(text, habits); calls != nil && content == "" {
		return content, calls
	}
	return text, nil
}

// take takes from a text the calls whose objects begin with one of the keys.
func (c caller) take(text string, keys []string) (content string, calls []call) {
	if len(c.offered) == 0 {
		return text, nil
	}
	var rest strings.Builder
	kept, tries := 0, 0
	for at := 0; at < len(text) && tries < maxTries; {
		if begins(text[at:], keys) == yes {
			tries++
			if found, end, _ := c.read(text[at:]); end > 0 {
				rest.WriteString(strings.TrimRight(text[kept:at], " \t\r\n"))
				calls = append(calls, found...)
				kept = at + end
				at = kept
				if behind, _, _ := strings.Cut(text[at:], "\n"); strings.TrimSpace(behind) != "" {
					continue // another one may follow
				}
			}
		}
		next := strings.IndexByte(text[at:], '\n')
		if next < 0 {
			break
		}
		at += next + 1
	}
	if calls == nil {
		return text, nil
	}
	if behind := strings.TrimSpace(text[kept:]); behind != "" {
		if rest.Len() > 0 {
			rest.WriteString("\n\n")
		}
		rest.WriteString(behind)
	}
	return rest.String(), calls
}

// maxTries limits the work for a text full of apparent calls.
const maxTries = 64

// sendable is how much of a growing answer is content, whatever follows.
func (c caller) sendable(text string) int {
	if len(c.offered) == 0 {
		return len(text)
	}
	if c.mayBeAll(text) {
		return 0
	}
	end := len(text)
	for at, tries := 0, 0; tries < maxTries; {
		state := begins(text[at:], []string{c.key})
		if state == yes {
			tries++
			// An object that is complete and no call will not become one.
			if _, whole, cut := c.read(text[at:]); whole == 0 && !cut {
				state = no
			}
		}
		if state != no {
			end = at
			break
		}
		next := strings.IndexByte(text[at:], '\n')
		if next < 0 {
			break
		}
		at += next + 1
	}
	// The space before a call is not content.
	return len(strings.TrimRight(text[:end], " \t\r\n"))
}

// mayBeAll reports whether the answer so far may consist of calls in a habitual form
// only.
func (c caller) mayBeAll(text string) bool {
	for range maxTries + 1 {
		rest := strings.TrimLeft(text, " \t\r\n")
		if rest == "" || slices.ContainsFunc(openings, func(o opening) bool { return strings.HasPrefix(o.end, rest) }) {
			return true
		}
		switch begins(text, habits) {
		case no:
			return false
		case maybe:
			return true
		case yes:
		}
		_, end, cut := c.read(text)
		if end == 0 {
			return cut
		}
		text = text[end:]
	}
	return false
}
