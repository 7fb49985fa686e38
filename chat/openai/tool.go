package openai

import (
	"encoding/json"
	"fmt"
	"slices"
)

// tool is a function that the client can run.
type tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"`
}

// choice says whether the model should call tools.
type choice struct {
	must bool
	name string // the one to call; may be empty
}

// maxTools limits the tools, as OpenAI does.
const maxTools = 128

// readTools reads the tools that may be called, and whether a call is required. nested
// is the name of the object that has a function's parts; if empty, they stand beside
// its type, and tools that are no functions have no effect: Codex sends some with every
// request.
func (r *request) readTools(f fields, nested string) *fault {
	var list []json.RawMessage
	if wrong := f.into("tools", &list, "a list"); wrong != nil {
		return wrong
	}
	if len(list) > maxTools {
		wrong := bad("tools", "There are %d tools, and %d are the most that a request may have.", len(list), maxTools)
		wrong.code = "array_above_max_length"
		return wrong
	}
	for i, raw := range list {
		if wrong := r.readTool(raw, fmt.Sprintf("tools[%d]", i), nested); wrong != nil {
			return wrong
		}
	}
	return r.readChoice(f.raw("tool_choice"), nested)
}

func (r *request) readTool(raw json.RawMessage, at, nested string) *fault {
	f, wrong := readFields(raw, at+".")
	if wrong != nil {
		return wrong
	}
	var t tool
	var kind string
	isFunction := f.into("type", &kind, "a string") == nil && kind == "function"
	f.path = "tools[]."
	if nested != "" {
		f, wrong = readFields(f.raw(nested), "tools[]."+nested+".")
	}
	isNamed := wrong == nil && f.into("name", &t.Name, "a string") == nil && t.Name != ""
	switch {
	case nested == "" && kind != "" && !isFunction:
		r.ignored = append(r.ignored, leftOut(kind, t.Name))
		return nil
	case !isFunction || !isNamed:
		return bad(at, "%s has to be a function with a name; there are no other tools.", at)
	case slices.ContainsFunc(r.tools, named(t.Name)):
		return bad(at, "%s has the name of another tool.", at)
	}
	if wrong := f.into("description", &t.Description, "a string"); wrong != nil {
		return wrong
	}
	t.Parameters = compact(f.raw("parameters"))
	r.ignored = append(r.ignored, f.left()...)
	r.tools = append(r.tools, t)
	return nil
}

// leftOut names a tool that is no function.
func leftOut(kind, name string) string {
	text := "tools[]." + plainName(kind)
	if name != "" {
		text += "." + plainName(name)
	}
	return text
}

func named(name string) func(tool) bool {
	return func(t tool) bool { return t.Name == name }
}

func (r *request) readChoice(raw json.RawMessage, nested string) *fault {
	if raw == nil {
		return nil
	}
	wrong := bad("tool_choice", "tool_choice has to be none, auto, required, or name a function that is among the tools.")
	var word string
	if json.Unmarshal(raw, &word) == nil {
		switch word {
		case "auto":
		case "none":
			r.tools = nil
		case "required":
			r.choice.must = true
		default:
			return wrong
		}
		if r.choice.must && len(r.tools) == 0 {
			return wrong
		}
		return nil
	}
	object, broken := readFields(raw, "tool_choice.")
	var kind, name string
	if broken != nil || object.into("type", &kind, "a string") != nil || kind != "function" {
		return wrong
	}
	if nested != "" {
		object, broken = readFields(object.raw(nested), "tool_choice."+nested+".")
	}
	if broken != nil || object.into("name", &name, "a string") != nil || !slices.ContainsFunc(r.tools, named(name)) {
		return wrong
	}
	r.choice = choice{must: true, name: name}
	return nil
}
