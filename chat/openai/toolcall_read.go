package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
)

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
