package openai

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"windsock/chat"
)

// request is a request for an answer, as far as a prompt can express it.
type request struct {
	model    string
	messages []message
	images   []chat.Image // of all messages, in order
	stream   bool
	tools    []tool
	choice   choice
	single   bool            // at most one call at a time
	json     bool            // the answer has to be a JSON object
	schema   json.RawMessage // the schema of that object; nil is any
	// word is part of the form of a call, and occurs in no text of the request; it is
	// empty without tools.
	word      string
	tellUsage bool // at the end of a stream of chat completions
	// keep says that the client may refer to the answer's items later.
	keep bool
	// ignored are the names of the fields without effect, sorted.
	ignored []string
}

// message is one of a conversation.
type message struct {
	role   string
	name   string
	text   string
	images []int // the numbers of its images, from 1 on
	calls  []call
	callID string // in a tool's message: the call that it answers
}

// isSaid reports whether there is anything in a message.
func isSaid(m message) bool { return strings.TrimSpace(m.text) != "" || len(m.calls)+len(m.images) > 0 }

// call is a call of a tool. Arguments are a JSON object, or whatever a client sent
// instead.
type call struct {
	id, name, arguments string
}

// fields are the fields of a JSON object that have not been taken out yet. A null
// counts as missing.
type fields struct {
	all  map[string]json.RawMessage
	path string // in front of the names, for errors
}

func readFields(raw json.RawMessage, path string) (fields, *fault) {
	f := fields{path: path}
	if json.Unmarshal(raw, &f.all) != nil || f.all == nil {
		name := strings.TrimSuffix(path, ".")
		return f, bad(name, "%s has to be a JSON object.", cmp.Or(name, "The body"))
	}
	for name, value := range f.all {
		if bytes.Equal(value, []byte("null")) {
			delete(f.all, name)
		}
	}
	return f, nil
}

// raw takes a field out; it is nil if missing.
func (f fields) raw(name string) json.RawMessage {
	value := f.all[name]
	delete(f.all, name)
	return value
}

// into takes a field out and decodes it; takes names the valid values.
func (f fields) into(name string, to any, takes string) *fault {
	value := f.raw(name)
	if value == nil || json.Unmarshal(value, to) == nil {
		return nil
	}
	return bad(f.path+name, "%s has to be %s.", f.path+name, takes)
}

// left are the names of the remaining fields.
func (f fields) left() []string {
	names := make([]string, 0, len(f.all))
	for name := range f.all {
		names = append(names, f.path+plainName(name))
	}
	return names
}

// maxIgnored limits the list of fields without effect: clients accept a header of some
// kilobytes, and reject it only after the prompt was paid for.
const maxIgnored = 1 << 10

// withoutEffect lists the fields without effect; empty if there are none.
func (r *request) withoutEffect() string {
	var list strings.Builder
	for i, name := range r.ignored {
		if list.Len()+len(name) > maxIgnored-len(", and 1000000 more") {
			fmt.Fprintf(&list, ", and %d more", len(r.ignored)-i)
			break
		}
		if i > 0 {
			list.WriteString(", ")
		}
		list.WriteString(name)
	}
	return list.String()
}

// plainName is the name if it is fit for a header, else "other".
func plainName(name string) string {
	if name == "" || len(name) > 40 || strings.ContainsFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '-'
	}) {
		return "other"
	}
	return name
}

// decodeCommon reads the fields that both APIs have, beside those that read reads.
// It notes fields without effect, and rejects those that would change the answer.
func (r *request) decodeCommon(body []byte, read func(fields) *fault) *fault {
	f, wrong := readFields(body, "")
	if wrong != nil {
		return wrong
	}
	parallel := true
	wrong = cmp.Or(
		f.into("model", &r.model, "a string"),
		f.into("stream", &r.stream, "true or false"),
		f.into("parallel_tool_calls", &parallel, "true or false"),
		read(f),
	)
	if wrong != nil {
		return wrong
	}
	r.single = !parallel
	if options, _ := readFields(f.raw("stream_options"), "stream_options."); options.all != nil {
		r.tellUsage = string(options.raw("include_usage")) == "true"
		r.ignored = append(r.ignored, options.left()...)
	}
	r.ignored = append(r.ignored, f.left()...)
	slices.Sort(r.ignored)
	r.ignored = slices.Compact(r.ignored)
	return nil
}

// readFormat reads the wanted format of the answer. nested is the name of the object
// that has a schema; if empty, the schema stands beside the type.
func (r *request) readFormat(raw json.RawMessage, path, nested string) *fault {
	if raw == nil {
		return nil
	}
	f, wrong := readFields(raw, path+".")
	if wrong != nil {
		return wrong
	}
	var kind string
	if wrong := f.into("type", &kind, "a string"); wrong != nil {
		return wrong
	}
	switch kind {
	case "text":
	case "json_object":
		r.json = true
	case "json_schema":
		inner := f
		if nested != "" {
			if inner, wrong = readFields(f.raw(nested), path+"."+nested+"."); wrong != nil {
				return wrong
			}
		}
		r.json, r.schema = true, compact(inner.raw("schema"))
		r.ignored = append(r.ignored, inner.left()...)
	default:
		return bad(path+".type", "%s.type has to be text, json_object or json_schema.", path)
	}
	return nil
}

// compact is JSON without its spaces, nil for nothing. It is UTF-8, as is all that was
// decoded.
func compact(raw json.RawMessage) json.RawMessage {
	var out bytes.Buffer
	if raw == nil || json.Compact(&out, raw) != nil {
		return nil
	}
	return bytes.ToValidUTF8(out.Bytes(), []byte("\uFFFD"))
}
