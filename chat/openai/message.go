package openai

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

func (r *request) readMessages(raw json.RawMessage) *fault {
	var list []json.RawMessage
	if raw == nil || json.Unmarshal(raw, &list) != nil || len(list) == 0 {
		return bad("messages", "messages has to be a list with at least one message.")
	}
	said := false
	for i, one := range list {
		m, wrong := r.readMessage(one, fmt.Sprintf("messages[%d].", i))
		if wrong != nil {
			return wrong
		}
		said = said || strings.TrimSpace(m.text) != "" || len(m.calls) > 0
		r.messages = append(r.messages, m)
	}
	if !said {
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
	if m.text, wrong = readContent(content, path+"content"); wrong != nil {
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

// readContent reads a text, or a list of texts, each on lines of its own.
func readContent(raw json.RawMessage, path string) (string, *fault) {
	if raw == nil {
		return "", nil
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text, nil
	}
	var parts []json.RawMessage
	if json.Unmarshal(raw, &parts) != nil {
		return "", bad(path, "%s has to be a string or a list of parts.", path)
	}
	texts := make([]string, 0, len(parts))
	for i, one := range parts {
		at := fmt.Sprintf("%s[%d]", path, i)
		var part struct {
			Type    string  `json:"type"`
			Text    *string `json:"text"`
			Refusal *string `json:"refusal"`
		}
		if json.Unmarshal(one, &part) != nil {
			return "", bad(at, "%s has to be a part with a type.", at)
		}
		switch {
		case part.Type == "text" && part.Text != nil:
			texts = append(texts, *part.Text)
		case part.Type == "refusal" && part.Refusal != nil:
			texts = append(texts, *part.Refusal)
		case part.Type == "image_url" || part.Type == "input_image" || part.Type == "image":
			wrong := bad(at, "%s is an image, which the local API cannot pass on. Send text only.", at)
			wrong.code = "image_not_supported"
			return "", wrong
		case part.Type == "text" || part.Type == "refusal":
			return "", bad(at, "%s has no text.", at)
		default:
			wrong := bad(at, "%s is no text, and the local API passes on nothing else.", at)
			wrong.code = "content_not_supported"
			return "", wrong
		}
	}
	return strings.Join(texts, "\n"), nil
}
