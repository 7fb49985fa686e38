package openai

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// decodeChat reads the body of a chat completion.
func decodeChat(body []byte) (r request, _ *fault) {
	wrong := r.decodeCommon(body, func(f fields) *fault {
		return cmp.Or(
			refuse(f),
			r.readTools(f, "function"),
			r.readFormat(f.raw("response_format"), "response_format", "json_schema"),
			r.readMessages(f.raw("messages")),
		)
	})
	return r, wrong
}

// refuse rejects unsupported fields that would change the answer.
func refuse(f fields) *fault {
	n := 1
	var modalities []string
	if wrong := cmp.Or(f.into("n", &n, "a number"), f.into("modalities", &modalities, "a list of strings")); wrong != nil {
		return wrong
	}
	if n != 1 {
		return bad("n", "There is one answer to a request: n has to be 1.")
	}
	if len(modalities) > 0 && !slices.Equal(modalities, []string{"text"}) {
		return bad("modalities", "Answers are text: modalities has to be [\"text\"].")
	}
	if f.raw("audio") != nil {
		return bad("audio", "Answers are text: there is no audio.")
	}
	for _, name := range []string{"functions", "function_call"} {
		if f.raw(name) != nil {
			return bad(name, "%s is out of date. Use tools and tool_choice.", name)
		}
	}
	return nil
}

func (r *request) readMessages(raw json.RawMessage) *fault {
	var list []json.RawMessage
	if raw == nil || json.Unmarshal(raw, &list) != nil || len(list) == 0 {
		return bad("messages", "messages has to be a list with at least one message.")
	}
	for i, one := range list {
		m, wrong := r.readMessage(one, fmt.Sprintf("messages[%d].", i))
		if wrong != nil {
			return wrong
		}
		r.messages = append(r.messages, m)
	}
	if !slices.ContainsFunc(r.messages, isSaid) {
		return bad("messages", "There is no text in the messages.")
	}
	return nil
}

var roles = []string{"system", "developer", "user", "assistant", "tool", "function"}

func (r *request) readMessage(raw json.RawMessage, path string) (m message, _ *fault) {
	f, wrong := readFields(raw, path)
	if wrong != nil {
		return m, wrong
	}
	wrong = cmp.Or(f.into("role", &m.role, "a string"), f.into("name", &m.name, "a string"), f.into("tool_call_id", &m.callID, "a string"))
	if wrong != nil {
		return m, wrong
	}
	if !slices.Contains(roles, m.role) {
		return m, bad(path+"role", "%srole has to be one of %s.", path, strings.Join(roles, ", "))
	}
	content := f.raw("content")
	if wrong = r.readContent(&m, content, path+"content"); wrong != nil {
		return m, wrong
	}
	if m.role == "assistant" {
		if wrong := m.readAssistant(f, path); wrong != nil {
			return m, wrong
		}
	} else if content == nil {
		return m, bad(path+"content", "%scontent is missing.", path)
	}
	for _, name := range f.left() {
		r.ignored = append(r.ignored, "messages[]."+strings.TrimPrefix(name, path))
	}
	return m, nil
}

// readAssistant reads the fields that only an assistant's message has.
func (m *message) readAssistant(f fields, path string) *fault {
	for _, name := range []string{"audio", "function_call"} {
		if f.raw(name) != nil {
			return bad(path+name, "%s%s cannot be put into a prompt.", path, name)
		}
	}
	var refusal string
	if wrong := f.into("refusal", &refusal, "a string"); wrong != nil {
		return wrong
	}
	m.text = joined(m.text, refusal)
	var calls []json.RawMessage
	if wrong := f.into("tool_calls", &calls, "a list"); wrong != nil {
		return wrong
	}
	for i, raw := range calls {
		at := fmt.Sprintf("%stool_calls[%d]", path, i)
		var c struct {
			ID       string `json:"id"`
			Type     string `json:"type"`
			Function struct {
				Name      string `json:"name"`
				Arguments string `json:"arguments"`
			} `json:"function"`
		}
		if json.Unmarshal(raw, &c) != nil || c.Function.Name == "" || c.Type != "" && c.Type != "function" {
			return bad(at, "%s has to be a call of a function, with its name and its arguments as a string.", at)
		}
		m.calls = append(m.calls, call{c.ID, c.Function.Name, c.Function.Arguments})
	}
	return nil
}

func joined(a, b string) string {
	if a != "" && b != "" {
		return a + "\n" + b
	}
	return a + b
}
