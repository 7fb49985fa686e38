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

// readTools reads the tools that may be called, and whether a call is required.
func (r *request) readTools(f fields) *fault {
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
		t, wrong := r.readTool(raw, fmt.Sprintf("tools[%d]", i))
		if wrong != nil {
			return wrong
		}
		r.tools = append(r.tools, t)
	}
	return r.readChoice(f.raw("tool_choice"))
}

func (r *request) readTool(raw json.RawMessage, at string) (t tool, _ *fault) {
	outer, wrong := readFields(raw, at+".")
	if wrong != nil {
		return t, wrong
	}
	var kind string
	function, broken := readFields(outer.raw("function"), "tools[].function.")
	if outer.into("type", &kind, "a string") != nil || kind != "function" || broken != nil ||
		function.into("name", &t.Name, "a string") != nil || t.Name == "" {
		return t, bad(at, "%s has to be a function with a name; there are no other tools.", at)
	}
	if wrong := function.into("description", &t.Description, "a string"); wrong != nil {
		return t, wrong
	}
	if slices.ContainsFunc(r.tools, named(t.Name)) {
		return t, bad(at, "%s has the name of another tool.", at)
	}
	t.Parameters = compact(function.raw("parameters"))
	r.ignored = append(r.ignored, function.left()...)
	return t, nil
}

func named(name string) func(tool) bool {
	return func(t tool) bool { return t.Name == name }
}

func (r *request) readChoice(raw json.RawMessage) *fault {
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
	var object struct {
		Type     string `json:"type"`
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	}
	if json.Unmarshal(raw, &object) != nil || object.Type != "function" || !slices.ContainsFunc(r.tools, named(object.Function.Name)) {
		return wrong
	}
	r.choice = choice{must: true, name: object.Function.Name}
	return nil
}
