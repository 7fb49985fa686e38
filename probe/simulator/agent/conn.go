package agent

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"sync"
)

// message is a message in either direction.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  any             `json:"params,omitempty"`
	Result  any             `json:"result,omitempty"`
	Error   *rpcError       `json:"error,omitempty"`
}

// received is a message of the client's.
type received struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   *rpcError       `json:"error"`
}

// rpcError is an error of a response.
type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

// conn is the connection to the client.
type conn struct {
	in        *bufio.Reader
	stringIDs bool
	before    string // written before each message, on its line

	mu      sync.Mutex // guards what is below
	out     io.Writer
	asked   int // requests so far
	waiting map[string]chan received
}

func newConn(in io.Reader, out io.Writer, p *program) *conn {
	c := &conn{in: bufio.NewReader(in), out: out, stringIDs: p.has(StringIDs), waiting: map[string]chan received{}}
	if p.has(Escapes) {
		c.before = "\x1b]0;Devin\x07\x1b[2K\x1b[32m"
	}
	return c
}

var errNotJSON = errors.New("a line that is no message")

// next returns the client's next message, and passes on responses.
func (c *conn) next() (received, error) {
	for {
		line, err := c.in.ReadBytes('\n')
		if err != nil {
			return received{}, err
		}
		var m received
		if json.Unmarshal(line, &m) != nil || m.Version != "2.0" {
			return received{}, errNotJSON
		}
		if m.Method != "" {
			return m, nil
		}
		c.mu.Lock()
		answer, known := c.waiting[string(m.ID)]
		delete(c.waiting, string(m.ID))
		c.mu.Unlock()
		if !known {
			return received{}, errNotJSON
		}
		answer <- m
	}
}

// raw writes a text. A client that is gone is seen at the end of the input.
func (c *conn) raw(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, _ = io.WriteString(c.out, text)
}

func (c *conn) write(m message) {
	m.Version = "2.0"
	text, err := json.Marshal(m)
	if err != nil {
		return // nothing here cannot be written
	}
	c.raw(c.before + string(text) + "\n")
}

func (c *conn) notify(method string, params any) { c.write(message{Method: method, Params: params}) }

// respond answers a request.
func (c *conn) respond(to received, result any, failure *rpcError) {
	id := to.ID
	if c.stringIDs {
		id = json.RawMessage(strconv.Quote(string(id)))
	}
	if failure != nil {
		result = nil
	}
	c.write(message{ID: id, Result: result, Error: failure})
}

// request asks the client for something, and returns its answer, or ctx's error. The
// first request has the id 0, as some agents have it.
func (c *conn) request(ctx context.Context, method string, params any) (received, error) {
	c.mu.Lock()
	id := strconv.Itoa(c.asked)
	if c.stringIDs {
		id = strconv.Quote("ask-" + id)
	}
	c.asked++
	answer := make(chan received, 1)
	c.waiting[id] = answer
	c.mu.Unlock()
	c.write(message{ID: json.RawMessage(id), Method: method, Params: params})
	select {
	case m := <-answer:
		return m, nil
	case <-ctx.Done():
		return received{}, ctx.Err()
	}
}
