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
		case slices.Contains(textTypes, part.Type) && part.Text != nil:
			texts = append(texts, *part.Text)
		case part.Type == "refusal" && part.Refusal != nil:
			texts = append(texts, *part.Refusal)
		case part.Type == "image_url" || part.Type == "input_image" || part.Type == "image":
			wrong := bad(at, "%s is an image, which the local API cannot pass on. Send text only.", at)
			wrong.code = "image_not_supported"
			return "", wrong
		case slices.Contains(textTypes, part.Type) || part.Type == "refusal":
			return "", bad(at, "%s has no text.", at)
		default:
			wrong := bad(at, "%s is no text, and the local API passes on nothing else.", at)
			wrong.code = "content_not_supported"
			return "", wrong
		}
	}
	return strings.Join(texts, "\n"), nil
}
