package wire

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"sync/atomic"

	"github.com/charmbracelet/x/ansi"
	"github.com/tidwall/gjson"

	"windsock/probe/jsoncheck"
)

// lines reads lines within the limits.
type lines struct {
	in    *bufio.Reader
	read  atomic.Int64 // bytes, since the last Renew
	noise atomic.Int64 // lines, since the last Renew
}

// next returns the next line, without an error also a last one that has no end.
func (l *lines) next() ([]byte, error) {
	var line []byte
	for {
		part, err := l.in.ReadSlice('\n')
		switch {
		case l.read.Add(int64(len(part))) > MaxStream:
			return nil, ErrStream
		case len(line)+len(part) > MaxLine:
			return nil, ErrLine
		}
		line = append(line, part...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && len(line) > 0, err == nil:
			return line, nil
		default:
			return nil, err
		}
	}
}

// verdict is what a line is worth.
type verdict int

const (
	good   verdict = iota // a message
	empty                 // nothing that anyone could miss
	noise                 // text of another kind
	broken                // a message that cannot be read
)

// parse reads a line. Some programs write text, titles and colours between messages, or
// on the line of one (PROTOCOL.md 11.1).
func parse(line []byte) (Message, verdict) {
	// JSON has no bare escape character, so only a line with noise is changed.
	if bytes.IndexByte(line, 0x1b) >= 0 {
		line = []byte(ansi.Strip(string(line)))
	}
	line = bytes.TrimSpace(bytes.TrimPrefix(bytes.TrimSpace(line), []byte("\ufeff")))
	switch {
	case len(line) == 0:
		return Message{}, empty
	case line[0] != '{':
		return Message{}, noise // also a batch, which the protocol does not have
	case !jsoncheck.Valid(line):
		if bytes.Contains(line, []byte(`"jsonrpc"`)) {
			return Message{}, broken
		}
		return Message{}, noise
	}
	text := gjson.ParseBytes(line)
	if !text.Get("jsonrpc").Exists() {
		return Message{}, noise
	}
	return read(text)
}

// read sorts a message by its fields.
func read(text gjson.Result) (Message, verdict) {
	m := Message{Method: text.Get("method").String(), id: text.Get("id")}
	hasID := m.id.Type == gjson.Number || m.id.Type == gjson.String
	if m.Method != "" {
		m.Params = text.Get("params")
		switch {
		case hasID:
			m.Kind = Request
		case m.id.Exists():
			return Message{}, empty // nobody can answer it
		}
		return m, good
	}
	if !hasID {
		return Message{}, empty
	}
	m.Kind, m.Result = Response, text.Get("result")
	if e := text.Get("error"); e.IsObject() {
		m.Err = &Error{Code: e.Get("code").Int(), Message: e.Get("message").String(), Data: e.Get("data")}
	}
	return m, good
}
