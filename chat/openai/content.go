package openai

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// textTypes are the types of a part that has a text: of chat completions, and of what
// is said to and by a model in responses.
var textTypes = []string{"text", "input_text", "output_text"}

// part is one of a list of parts.
type part struct {
	Type    string  `json:"type"`
	Text    *string `json:"text"`
	Refusal *string `json:"refusal"`
}

// readContent reads a message's text, or a list of texts, each on lines of its own, and
// of images.
func (r *request) readContent(m *message, raw json.RawMessage, path string) *fault {
	if raw == nil || json.Unmarshal(raw, &m.text) == nil {
		return nil
	}
	var parts []json.RawMessage
	if json.Unmarshal(raw, &parts) != nil {
		return bad(path, "%s has to be a string or a list of parts.", path)
	}
	texts := make([]string, 0, len(parts))
	for i, one := range parts {
		at := fmt.Sprintf("%s[%d]", path, i)
		var p part
		if json.Unmarshal(one, &p) != nil {
			return bad(at, "%s has to be a part with a type.", at)
		}
		switch {
		case slices.Contains(textTypes, p.Type) && p.Text != nil:
			texts = append(texts, *p.Text)
		case p.Type == "refusal" && p.Refusal != nil:
			texts = append(texts, *p.Refusal)
		case p.Type == "image_url" || p.Type == "input_image":
			if wrong := r.readImage(m, one, at); wrong != nil {
				return wrong
			}
		case slices.Contains(textTypes, p.Type) || p.Type == "refusal":
			return bad(at, "%s has no text.", at)
		default:
			wrong := bad(at, "%s is neither text nor an image, and the local API passes on nothing else.", at)
			wrong.code = "content_not_supported"
			return wrong
		}
	}
	m.text = strings.Join(texts, "\n")
	return nil
}
