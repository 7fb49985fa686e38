package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
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

// begin says whether a call begins.
type begin int

const (
	no begin = iota
	yes
	maybe // the text ends too early to decide
)

// begins reports whether a call whose object begins with one of the keys may begin at
// the start of a line.
func begins(line string, keys []string) begin {
	rest, state := skipOpening(line)
	if state != yes {
		return state
	}
	rest = strings.TrimLeft(strings.TrimPrefix(rest, "["), " \t\r\n")
	object, found := strings.CutPrefix(rest, "{")
	if !found {
		return unlessEmpty(rest)
	}
	object = strings.TrimLeft(object, " \t\r\n")
	key, found := strings.CutPrefix(object, `"`)
	if !found {
		return unlessEmpty(object)
	}
	name, _, closed := strings.Cut(key, `"`)
	if closed {
		if slices.Contains(keys, name) {
			return yes
		}
		return no
	}
	if slices.ContainsFunc(keys, func(k string) bool { return strings.HasPrefix(k, name) }) {
		return maybe
	}
	return no
}

func unlessEmpty(rest string) begin {
	if rest == "" {
		return maybe
	}
	return no
}

// opening is a wrapper before the object, with its end.
type opening struct{ open, end string }

var openings = []opening{
	{"```", "```"},
	{"<tool_calls>", "</tool_calls>"},
	{"<tool_call>", "</tool_call>"},
}

// skipOpening skips one wrapper before the object.
func skipOpening(line string) (rest string, state begin) {
	rest = strings.TrimLeft(line, " \t\r\n")
	if rest == "" {
		return rest, maybe
	}
	for _, o := range openings {
		inner, found := strings.CutPrefix(rest, o.open)
		switch {
		case !found && strings.HasPrefix(o.open, rest):
			return rest, maybe
		case !found:
			continue
		case o.open == "```":
			word, behind, ended := strings.Cut(inner, "\n")
			if len(word) > 20 || strings.ContainsAny(word, "{[`") {
				return rest, no
			}
			if !ended {
				return rest, maybe
			}
			inner = behind
		}
		inner = strings.TrimLeft(inner, " \t\r\n")
		if inner == "" {
			return inner, maybe
		}
		return inner, yes
	}
	return rest, yes
}

// read reads the calls at the beginning of a text. end is behind them, or 0 without
// any; cut says that calls may follow when the text grows.
func (c caller) read(text string) (calls []call, end int, cut bool) {
	rest, _ := skipOpening(text)
	at := len(text) - len(rest)
	decoder := json.NewDecoder(strings.NewReader(rest))
	var raw json.RawMessage
	if err := decoder.Decode(&raw); err != nil {
		return nil, 0, errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
	}
	list, ok := c.list(raw)
	if !ok || len(list) == 0 {
		return nil, 0, false
	}
	for _, one := range list {
		found, ok := readCall(one, c.offered)
		if !ok {
			return nil, 0, false
		}
		calls = append(calls, found)
	}
	end = at + int(decoder.InputOffset())
	opening := strings.TrimLeft(text[:at], " \t\r\n")
	for _, o := range openings {
		if strings.HasPrefix(opening, o.open) {
			behind := strings.TrimLeft(text[end:], " \t\r\n")
			if closed, found := strings.CutPrefix(behind, o.end); found {
				end = len(text) - len(closed)
			}
			break
		}
	}
	return calls, end, false
}

// list finds the calls in an object or a list.
func (c caller) list(raw json.RawMessage) ([]json.RawMessage, bool) {
	var list []json.RawMessage
	if bytes.HasPrefix(raw, []byte("[")) {
		return list, json.Unmarshal(raw, &list) == nil
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(raw, &object) != nil {
		return nil, false
	}
	for _, key := range []string{c.key, plainKey} {
		if inner, there := object[key]; there {
			return list, json.Unmarshal(inner, &list) == nil
		}
	}
	return []json.RawMessage{raw}, true
}

// readCall reads one call of an offered tool.
func readCall(raw json.RawMessage, offered []tool) (call, bool) {
	type function struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	var c struct {
		function

		Function *function `json:"function"`
	}
	if json.Unmarshal(raw, &c) != nil {
		return call{}, false
	}
	if c.Function != nil {
		c.function = *c.Function
	}
	arguments := c.Arguments
	var inside string
	if json.Unmarshal(arguments, &inside) == nil {
		arguments = json.RawMessage(inside)
	}
	arguments = compact(arguments)
	if !bytes.HasPrefix(arguments, []byte("{")) || !slices.ContainsFunc(offered, named(c.Name)) {
		return call{}, false
	}
	return call{name: c.Name, arguments: string(arguments)}, true
}

// findObject finds the JSON object in an answer that was asked for one: the answer
// itself, or the content of its only code fence, or an object behind some words.
func findObject(text string) (object string, ok bool) {
	for at, tries := 0, 0; tries < maxTries; tries++ {
		next := strings.IndexByte(text[at:], '{')
		if next < 0 {
			return text, false
		}
		at += next
		decoder := json.NewDecoder(strings.NewReader(text[at:]))
		var raw json.RawMessage
		err := decoder.Decode(&raw)
		if err == nil {
			return string(raw), true
		}
		at++
		if strings.HasPrefix(strings.TrimLeft(text[at:], " \t\r\n"), `"`) {
			return text, false // a broken or cut object; its inner ones do not count
		}
	}
	return text, false
}
