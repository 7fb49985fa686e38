package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// How a request becomes one prompt:
//
// One message of a user, without tools or a format, is the prompt as it is, so
// that a plain question is the same as with `windsock ask`. Anything else is
// written down as a conversation: a sentence that says so, what is wanted (tools,
// a format), and each message in its order between tags with its role, and its
// name where it has one. Calls of tools that the assistant made stand in its
// message in the form in which they are asked for (toolcall.go), and a tool's
// message names the call that it answers. Texts are not changed: the tags get a
// number where a text has one of them in it, so that no text can end its own
// message or begin another.
//
// Nothing is left out but what [request.ignored] names, and each answer says what
// that was.

// fold is the prompt.
func (r *request) fold() string {
	if m := r.messages[0]; len(r.messages) == 1 && m.role == "user" && m.name == "" && len(r.offered()) == 0 && r.format == formatText {
		return m.text
	}
	number := r.tagNumber()
	var out strings.Builder
	out.WriteString("Below is a conversation, each message between tags with its role. " +
		"Messages of the system and the developer are instructions to you. " +
		"Write the assistant's next message, and nothing but its text, without tags.\n")
	r.foldTools(&out, number)
	r.foldFormat(&out, number)
	for _, m := range r.messages {
		fmt.Fprintf(&out, "\n<message%s role=%q", number, m.role)
		if m.name != "" {
			fmt.Fprintf(&out, " name=%q", m.name)
		}
		if m.callID != "" {
			fmt.Fprintf(&out, " tool_call_id=%q", m.callID)
		}
		out.WriteString(">\n")
		out.WriteString(m.text)
		if len(m.calls) > 0 {
			if m.text != "" {
				out.WriteByte('\n')
			}
			out.Write(foldCalls(m.calls))
		}
		fmt.Fprintf(&out, "\n</message%s>\n", number)
	}
	return out.String()
}

// foldTools says which tools there are and how one is called.
func (r *request) foldTools(out *strings.Builder, number string) {
	tools := r.offered()
	if len(tools) == 0 {
		return
	}
	out.WriteString("\nThe program that asks can run these tools, one JSON object a line, and no others:\n")
	fmt.Fprintf(out, "<tools%s>\n", number)
	for _, t := range tools {
		out.Write(encode(t))
		out.WriteByte('\n')
	}
	fmt.Fprintf(out, "</tools%s>\n", number)
	out.WriteString("To have tools run, let your message be one JSON object of this form, on a line of its own, and nothing behind it:\n" +
		`{"tool_calls":[{"name":"NAME","arguments":{}}]}` + "\n" +
		"The results come as messages of the tool. Never make a result up.")
	switch {
	case r.choice.name != "":
		fmt.Fprintf(out, " This message has to call %s.", r.choice.name)
	case r.choice.must:
		out.WriteString(" This message has to call a tool.")
	default:
		out.WriteString(" Where no tool is needed, answer in plain text.")
	}
	if r.single {
		out.WriteString(" Call one tool at most.")
	}
	out.WriteByte('\n')
}

func (r *request) foldFormat(out *strings.Builder, number string) {
	if r.format == formatText {
		return
	}
	out.WriteString("\n")
	if len(r.offered()) > 0 {
		out.WriteString("Unless it calls a tool: ")
	}
	out.WriteString("The message has to be one JSON object and nothing else, without a code fence")
	if r.format == formatSchema {
		fmt.Fprintf(out, ", and to fit this JSON Schema:\n<schema%s>\n%s\n</schema%s>\n", number, r.schema, number)
		return
	}
	out.WriteString(".\n")
}

// foldCalls writes calls in the form in which they are asked for.
func foldCalls(calls []call) []byte {
	type folded struct {
		ID        string          `json:"id,omitempty"`
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	list := make([]folded, len(calls))
	for i, c := range calls {
		arguments := compact(json.RawMessage(c.arguments))
		if arguments == nil { // a model made them up, and a client sends them back
			arguments = encode(c.arguments)
		}
		list[i] = folded{c.id, c.name, arguments}
	}
	return encode(map[string][]folded{"tool_calls": list})
}

// encode is JSON as a model reads it best: on one line, without escapes for HTML.
func encode(v any) []byte {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(v) //nolint:errchkjson // texts, and JSON that was read
	return bytes.TrimRight(out.Bytes(), "\n")
}

var tagPattern = regexp.MustCompile(`(?i)</?\s*(?:message|tools|schema)(?:-(\d{1,9}))?`)

// tagNumber is what the names of the tags end with, so that no text has one in
// it.
func (r *request) tagNumber() string {
	highest := 0
	look := func(text string) {
		for _, found := range tagPattern.FindAllStringSubmatch(text, -1) {
			n, _ := strconv.Atoi(found[1]) // none is 0
			highest = max(highest, n, 1)
		}
	}
	for _, m := range r.messages {
		look(m.text)
		look(m.name)
		look(m.callID)
		for _, c := range m.calls {
			look(c.id)
			look(c.name)
			look(c.arguments)
		}
	}
	for _, t := range r.tools {
		look(string(encode(t)))
	}
	look(string(r.schema))
	if highest == 0 {
		return ""
	}
	return "-" + strconv.Itoa(highest+1)
}
