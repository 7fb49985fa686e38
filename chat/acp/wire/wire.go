// Package wire carries the messages of the Agent Client Protocol: JSON-RPC 2.0, one
// message a line, over the pipes of a child (PROTOCOL.md 11.1).
//
// It trusts the other side with nothing: lines, noise and the whole stream have limits,
// what is no message is skipped or ends the connection, and no text of a message is in
// an error. It knows no method of the protocol, and starts no process.
package wire

import (
	"errors"
	"strconv"
	"time"

	"github.com/tidwall/gjson"
)

// The limits.
const (
	// MaxLine is the longest line in bytes.
	MaxLine = 8 << 20
	// MaxStream is how many bytes are read between two calls of [Conn.Renew].
	MaxStream = 64 << 20
	// MaxNoise is how many lines that are no messages are skipped in the same time.
	MaxNoise = 64
	// sendTime is how long the other side may leave a message unread.
	sendTime = 10 * time.Second
)

// Reasons for the end of a connection, beside io.EOF and errors of the system.
var (
	ErrLine   = errors.New("a line is too long")
	ErrStream = errors.New("the stream is too long")
	ErrNoise  = errors.New("too many lines are no messages")
	ErrBroken = errors.New("a message is cut off or no JSON")
	ErrStuck  = errors.New("a message was not read in time")
	ErrClosed = errors.New("the connection is closed")
)

// Kind is what a message is.
type Kind int

// The kinds.
const (
	Notification Kind = iota
	Request
	Response
)

// Message is what came from the other side. Its texts are the other side's: they are
// bounded in length and depth, and nothing else is certain of them.
type Message struct {
	Kind   Kind
	Method string       // of a request or notification
	Params gjson.Result // of a request or notification
	Result gjson.Result // of a response
	Err    *Error       // of a response; nil if it has none
	id     gjson.Result // of a request or response
}

// Answers reports whether the message is the response to the request of that id. The
// other side may repeat the id as a string.
func (m Message) Answers(id int64) bool {
	if m.Kind != Response {
		return false
	}
	number := strconv.FormatInt(id, 10)
	switch m.id.Type {
	case gjson.Number:
		return m.id.Raw == number || m.id.Num == float64(id)
	case gjson.String:
		return m.id.Str == number
	default:
		return false
	}
}

// Error is the error of a response. Error returns only its code, since the rest is the
// other side's text.
type Error struct {
	Code    int64
	Message string
	Data    gjson.Result
}

func (e *Error) Error() string { return "error " + strconv.FormatInt(e.Code, 10) }

// The codes that Windsock sends or knows (PROTOCOL.md 11.4).
const (
	MethodNotFound = -32601
	AuthRequired   = -32000
	NotFound       = -32002
	Exhausted      = -32011
	Locked         = -32015
	NoSession      = -32016
)
