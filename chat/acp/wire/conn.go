package wire

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"
)

// Conn is a connection to a child. One goroutine at a time uses it; Close may be called
// from any.
type Conn struct {
	in       io.WriteCloser // what the child reads
	lines    lines
	messages chan Message
	outgoing chan []byte
	closed   chan struct{}
	close    func()
	broken   chan struct{} // closed when nothing can be written any more
	err      error         // why the messages ended; set before messages is closed
	last     int64         // the last id
}

// New returns the connection that writes to in and reads from out. Two goroutines serve
// it: the writer's ends with Close or the first error, the reader's when out ends, or
// when its next message is ready after Close. Who closes the Conn closes out as well.
func New(in io.WriteCloser, out io.Reader) *Conn {
	c := &Conn{
		in: in, lines: lines{in: bufio.NewReaderSize(out, 64<<10)},
		messages: make(chan Message), outgoing: make(chan []byte), closed: make(chan struct{}), broken: make(chan struct{}),
	}
	c.close = sync.OnceFunc(func() { close(c.closed) })
	go c.read()
	go c.write()
	return c
}

// Messages are the messages of the other side in their order. It is closed at the end
// of the stream, or at the first thing that cannot be read; then Err says why.
func (c *Conn) Messages() <-chan Message { return c.messages }

// Err says why Messages was closed: io.EOF if the other side has ended.
func (c *Conn) Err() error { return c.err }

// Renew begins to count bytes and noise anew. A limit holds for one prompt, not for the
// life of a process.
func (c *Conn) Renew() {
	c.lines.read.Store(0)
	c.lines.noise.Store(0)
}

// Close stops both goroutines, and closes what the child reads.
func (c *Conn) Close() {
	c.close()
	_ = c.in.Close() // nobody waits for what it had to write
}

// Request sends a request and returns its id. No id is used twice.
func (c *Conn) Request(ctx context.Context, method string, params any) (id int64, _ error) {
	c.last++
	return c.last, c.send(ctx, outgoing{ID: strconv.AppendInt(nil, c.last, 10), Method: method, Params: params})
}

// Notify sends a notification.
func (c *Conn) Notify(ctx context.Context, method string, params any) error {
	return c.send(ctx, outgoing{Method: method, Params: params})
}

// Reply answers a request. The answer repeats the request's id as it came.
func (c *Conn) Reply(ctx context.Context, to Message, result any) error {
	return c.send(ctx, outgoing{ID: json.RawMessage(to.id.Raw), Result: result})
}

// Refuse answers a request for something that Windsock does not offer.
func (c *Conn) Refuse(ctx context.Context, to Message) error {
	return c.send(ctx, outgoing{ID: json.RawMessage(to.id.Raw), Error: &refusal{MethodNotFound, "Method not found"}})
}

type outgoing struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  any             `json:"params,omitempty"`
	Result  any             `json:"result,omitempty"`
	Error   *refusal        `json:"error,omitempty"`
}

type refusal struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (c *Conn) send(ctx context.Context, m outgoing) error {
	m.Version = "2.0"
	line, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("encode message: %w", err)
	}
	slow := time.NewTimer(sendTime)
	defer slow.Stop()
	select {
	case c.outgoing <- append(line, '\n'):
		return nil
	case <-c.broken:
		return io.EOF
	case <-c.closed:
		return ErrClosed
	case <-slow.C:
		return ErrStuck
	case <-ctx.Done():
		return ctx.Err()
	}
}

// write is a goroutine of its own, since a child that does not read blocks it.
func (c *Conn) write() {
	defer close(c.broken)
	for {
		select {
		case line := <-c.outgoing:
			if _, err := c.in.Write(line); err != nil {
				return
			}
		case <-c.closed:
			return
		}
	}
}

func (c *Conn) read() {
	defer close(c.messages)
	for {
		line, err := c.lines.next()
		if err != nil {
			c.err = err
			return
		}
		m, is := parse(line)
		switch is {
		case empty:
			continue
		case broken:
			c.err = ErrBroken
			return
		case noise:
			if c.lines.noise.Add(1) > MaxNoise {
				c.err = ErrNoise
				return
			}
			continue
		case good:
		}
		select {
		case c.messages <- m:
		case <-c.closed:
			c.err = ErrClosed
			return
		}
	}
}
