package openai

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// finding finds the message of an item that a client only refers to.
type finding func(id string) (message, bool)

// decodeResponse reads the body of a request for a response.
func decodeResponse(body []byte, find finding) (r request, _ *fault) {
	wrong := r.decodeCommon(body, func(f fields) *fault {
		return cmp.Or(
			refuseState(f),
			r.readStore(f),
			r.readTools(f, ""),
			r.readText(f.raw("text")),
			r.readInput(f, find),
		)
	})
	return r, wrong
}

// refuseState rejects what needs a server that keeps responses, or prompts.
func refuseState(f fields) *fault {
	for _, name := range []string{"previous_response_id", "conversation"} {
		if f.raw(name) != nil {
			return unsupported(name, "%s cannot be used: the local API keeps no responses. Send the whole conversation as input.")
		}
	}
	if f.raw("prompt") != nil {
		return unsupported("prompt", "%s cannot be used: the local API keeps no prompts. Send instructions and input.")
	}
	var background bool
	if wrong := f.into("background", &background, "true or false"); wrong != nil {
		return wrong
	}
	if background {
		return unsupported("background", "%s has to be false: an answer comes at once, and the local API keeps none.")
	}
	return nil
}

// unsupported rejects a field; says is a format for its name.
func unsupported(name, says string) *fault {
	wrong := bad(name, says, name)
	wrong.code = "unsupported_parameter"
	return wrong
}

// readStore reads whether a client relies on items being kept, which is the default.
func (r *request) readStore(f fields) *fault {
	r.keep = true
	if f.all["store"] != nil {
		wrong := f.into("store", &r.keep, "true or false")
		if wrong == nil && r.keep {
			r.ignored = append(r.ignored, "store")
		}
		return wrong
	}
	return nil
}

func (r *request) readText(raw json.RawMessage) *fault {
	if raw == nil {
		return nil
	}
	f, wrong := readFields(raw, "text.")
	if wrong != nil {
		return wrong
	}
	wrong = r.readFormat(f.raw("format"), "text.format", "")
	r.ignored = append(r.ignored, f.left()...)
	return wrong
}

// readInput reads the instructions and the conversation.
func (r *request) readInput(f fields, find finding) *fault {
	var instructions, text string
	if wrong := f.into("instructions", &instructions, "a string"); wrong != nil {
		return wrong
	}
	raw := f.raw("input")
	if json.Unmarshal(raw, &text) == nil {
		r.messages = []message{{role: "user", text: text}}
	} else if wrong := r.readItems(raw, find); wrong != nil {
		return wrong
	}
	if !slices.ContainsFunc(r.messages, isSaid) {
		return bad("input", "There is no text in the input.")
	}
	if strings.TrimSpace(instructions) != "" {
		r.messages = slices.Insert(r.messages, 0, message{role: "system", text: instructions})
	}
	return nil
}

func (r *request) readItems(raw json.RawMessage, find finding) *fault {
	var list []json.RawMessage
	if raw == nil || json.Unmarshal(raw, &list) != nil {
		return bad("input", "input has to be a string or a list of items.")
	}
	for i, one := range list {
		m, wrong := r.readItem(one, fmt.Sprintf("input[%d]", i), find)
		if wrong != nil {
			return wrong
		}
		// A model's calls are items of their own, and here a part of its message.
		if last := len(r.messages) - 1; last >= 0 && m.role == "assistant" && m.text == "" && len(m.images) == 0 && r.messages[last].role == "assistant" {
			r.messages[last].calls = append(r.messages[last].calls, m.calls...)
		} else if m.role != "" {
			r.messages = append(r.messages, m)
		}
	}
	return nil
}

// readItem reads an item; one without effect has no role.
func (r *request) readItem(raw json.RawMessage, path string, find finding) (m message, _ *fault) {
	f, wrong := readFields(raw, path+".")
	if wrong != nil {
		return m, wrong
	}
	var kind, id string
	if wrong := cmp.Or(f.into("type", &kind, "a string"), f.into("id", &id, "a string")); wrong != nil {
		return m, wrong
	}
	switch kind {
	case "", "message":
		wrong = r.readSaid(&m, f, path)
	case "function_call":
		wrong = m.readCall(f, path)
	case "function_call_output":
		m.role = "tool"
		output := f.raw("output")
		wrong = f.into("call_id", &m.callID, "a string")
		if wrong == nil && output == nil {
			wrong = bad(path+".output", "%s.output is missing.", path)
		}
		if wrong == nil {
			wrong = r.readContent(&m, output, path+".output")
		}
	case "reasoning":
		r.ignored = append(r.ignored, "input[].reasoning")
		return m, nil
	case "item_reference":
		return refer(find, id, path)
	default:
		wrong = bad(path, "%s is of a type that cannot be put into a prompt.", path)
		wrong.code = "item_not_supported"
	}
	if wrong != nil {
		return m, wrong
	}
	for _, name := range []string{"status", "phase"} { // OpenAI's own, sent back
		f.raw(name)
	}
	for _, name := range f.left() {
		r.ignored = append(r.ignored, "input[]"+strings.TrimPrefix(name, path))
	}
	return m, nil
}

var inputRoles = []string{"user", "assistant", "system", "developer"}

func (r *request) readSaid(m *message, f fields, path string) *fault {
	if wrong := f.into("role", &m.role, "a string"); wrong != nil {
		return wrong
	}
	if !slices.Contains(inputRoles, m.role) {
		return bad(path+".role", "%s.role has to be one of %s.", path, strings.Join(inputRoles, ", "))
	}
	content := f.raw("content")
	if content == nil {
		return bad(path+".content", "%s.content is missing.", path)
	}
	return r.readContent(m, content, path+".content")
}

func (m *message) readCall(f fields, path string) *fault {
	m.role = "assistant"
	var c call
	wrong := cmp.Or(f.into("call_id", &c.id, "a string"), f.into("name", &c.name, "a string"), f.into("arguments", &c.arguments, "a string"))
	if wrong == nil && c.name == "" {
		wrong = bad(path, "%s has to be a call of a function, with its name and its arguments as a string.", path)
	}
	m.calls = []call{c}
	return wrong
}

func refer(find finding, id, path string) (message, *fault) {
	m, there := find(id)
	if !there {
		wrong := bad(path, "%s refers to an item that the local API does not have any more. Let the program send whole items: store has to be false, which in the AI SDK is providerOptions: {openai: {store: false}}.", path)
		wrong.code = "item_not_found"
		return m, wrong
	}
	return m, nil
}
