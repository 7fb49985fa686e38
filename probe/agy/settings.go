package agy

import (
	"bytes"
	"encoding/json"
	"errors"
	"path"
	"strings"
)

// What may be wrong with agy's settings, or in the way.
var (
	errNoJSON   = errors.New("it is not a JSON object")
	errDoubled  = errors.New("it has a key twice")
	errOther    = errors.New("it has another status line")
	errNoLine   = errors.New("it has no status line")
	errHaveLine = errors.New("it has this status line")
)

// statusLineKey is the key of agy's settings. agy is written in Go, where a key counts
// in any case.
const statusLineKey = "statusLine"

// statusLine is the value of that key.
type statusLine struct {
	Type    string `json:"type"`
	Command string `json:"command"`
	Enabled bool   `json:"enabled"`
	// StackWithDefault keeps agy's own line beside this one.
	StackWithDefault bool `json:"stack_with_default"`
}

// member is a key of an object with its value, as offsets into the text.
type member struct {
	key             string
	start           int // of the key's quote
	valueStart, end int
}

// object is the text of a JSON object. It is changed in place, so that everything else
// in it stays as it was written.
type object struct {
	text        []byte
	open, close int // the offsets of its braces
	members     []member
	line        int // the index of the status line; -1 without one
}

// parse reads agy's settings. An empty text is an empty object.
func parse(text []byte) (object, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}\n")
	}
	if !json.Valid(text) || bytes.TrimSpace(text)[0] != '{' {
		return object{}, errNoJSON
	}
	o := object{text: text, open: bytes.IndexByte(text, '{'), close: bytes.LastIndexByte(text, '}'), line: -1}
	seen := map[string]bool{}
	decoder := json.NewDecoder(bytes.NewReader(text))
	_, err := decoder.Token() // the brace
	for err == nil && decoder.More() {
		m := member{start: int(decoder.InputOffset())}
		m.start += bytes.IndexByte(text[m.start:], '"')
		var token json.Token
		var value json.RawMessage
		if token, err = decoder.Token(); err == nil {
			err = decoder.Decode(&value)
		}
		m.key, _ = token.(string)
		m.end = int(decoder.InputOffset())
		m.valueStart = m.end - len(value)
		if seen[m.key] {
			return object{}, errDoubled
		}
		seen[m.key] = true
		if strings.EqualFold(m.key, statusLineKey) {
			if o.line >= 0 {
				return object{}, errDoubled
			}
			o.line = len(o.members)
		}
		o.members = append(o.members, m)
	}
	if err != nil {
		return object{}, errNoJSON
	}
	return o, nil
}

// blank is the white space in front of the member with that index, behind the comma or
// brace.
func (o object) blank(i int) string {
	text := o.text[:o.members[i].start]
	return string(text[len(bytes.TrimRight(text, " \t\r\n")):])
}

// withLine returns the settings with Windsock's status line, which runs command. An
// older line of Windsock is replaced.
func withLine(text []byte, command string) ([]byte, error) {
	o, err := parse(text)
	if err != nil {
		return nil, err
	}
	if o.line >= 0 {
		have, whose := o.have(command)
		switch {
		case whose == other:
			return nil, errOther
		case have.Command == command && have.Enabled:
			return nil, errHaveLine
		}
		m := o.members[o.line]
		return o.replaced(m.valueStart, m.end, encode(command, o.blank(o.line))), nil
	}
	key := `"` + statusLineKey + `": `
	last := len(o.members) - 1
	if last < 0 {
		return o.replaced(o.open+1, o.close, "\n  "+key+encode(command, "\n  ")+"\n"), nil
	}
	blank := o.blank(last)
	end := o.members[last].end
	return o.replaced(end, end, ","+blank+key+encode(command, blank)), nil
}

// withoutLine returns the settings without Windsock's status line. command is how this
// program would be called.
func withoutLine(text []byte, command string) ([]byte, error) {
	o, err := parse(text)
	switch {
	case err != nil:
		return nil, err
	case o.line < 0:
		return nil, errNoLine
	}
	switch _, whose := o.have(command); whose {
	case nobodys:
		return nil, errNoLine
	case other:
		return nil, errOther
	case windsocks:
	}
	m := o.members[o.line]
	switch {
	case o.line > 0:
		return o.replaced(o.members[o.line-1].end, m.end, ""), nil
	case len(o.members) > 1:
		return o.replaced(m.start, o.members[1].start, ""), nil
	default:
		return o.replaced(o.open+1, o.close, ""), nil
	}
}

// replaced returns the text with another piece between two offsets.
func (o object) replaced(from, to int, piece string) []byte {
	return append(append(bytes.Clone(o.text[:from]), piece...), o.text[to:]...)
}

// owner is whose a status line is.
type owner int

const (
	other     owner = iota
	windsocks       // of this program, or of a Windsock elsewhere
	nobodys         // it runs nothing; agy writes such a one when it is switched on or off
)

// have returns the status line, and whose it is.
func (o object) have(command string) (statusLine, owner) {
	m := o.members[o.line]
	var have statusLine
	value := o.text[m.valueStart:m.end]
	if json.Unmarshal(value, &have) != nil {
		return statusLine{}, other
	}
	program, ok := strings.CutSuffix(have.Command, arguments)
	name := strings.Trim(path.Base(strings.ReplaceAll(program, `\`, "/")), `"'`)
	switch {
	case have.Command == "" && onlyKnown(value):
		return have, nobodys
	case have.Command == command && command != "", ok && (name == "windsock" || name == "windsock.exe"):
		return have, windsocks
	default:
		return have, other
	}
}

// onlyKnown reports whether a status line has no keys but those that Windsock writes.
func onlyKnown(value []byte) bool {
	decoder := json.NewDecoder(bytes.NewReader(value))
	decoder.DisallowUnknownFields()
	return decoder.Decode(&statusLine{}) == nil
}

// encode writes a status line on one line, or where blank begins a line on several of
// them.
func encode(command, blank string) string {
	compact, _ := json.Marshal(statusLine{Type: "command", Command: command, Enabled: true, StackWithDefault: true}) //nolint:errchkjson // strings and bools do not fail
	at := strings.LastIndexByte(blank, '\n')
	if at < 0 {
		return string(compact)
	}
	var indented bytes.Buffer
	_ = json.Indent(&indented, compact, blank[at+1:], blank[at+1:]) // it is valid
	if at > 0 && blank[at-1] == '\r' {
		return strings.ReplaceAll(indented.String(), "\n", "\r\n")
	}
	return indented.String()
}
