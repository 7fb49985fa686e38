package wire

import (
	"bufio"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// repeated reads a text again and again.
type repeated struct {
	text string
	at   int
}

func (r *repeated) Read(b []byte) (int, error) {
	n := copy(b, r.text[r.at:])
	r.at = (r.at + n) % len(r.text)
	return n, nil
}

// discard is a child that reads everything.
type discard struct{ io.Writer }

func (discard) Close() error { return nil }

func TestEnds(t *testing.T) {
	t.Parallel()
	const message = `{"jsonrpc":"2.0","method":"x"}` + "\n"
	tests := []struct {
		name     string
		out      io.Reader
		messages int // at least
		err      error
	}{
		{"end", strings.NewReader(message + "\n" + message), 2, io.EOF},
		{"no_line_end", strings.NewReader(message + strings.TrimSpace(message)), 2, io.EOF},
		{"half_a_line", strings.NewReader(message + message[:20]), 1, ErrBroken},
		{"line", io.MultiReader(strings.NewReader(message), &repeated{text: strings.Repeat("x", 64<<10)}), 1, ErrLine},
		{"longest_line", strings.NewReader(`{"jsonrpc":"2.0","method":"` + strings.Repeat("x", MaxLine-30) + `"}` + "\n" + message), 2, io.EOF},
		{"noise", io.MultiReader(strings.NewReader(strings.Repeat("hello\n", MaxNoise)+message), strings.NewReader("hello\n")), 1, ErrNoise},
		{"stream", &repeated{text: `{"jsonrpc":"2.0","method":"` + strings.Repeat("x", 1<<20) + `"}` + "\n"}, 60, ErrStream},
		{"blank_lines", &repeated{text: strings.Repeat(" ", 1<<20) + "\n"}, 0, ErrStream},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := New(discard{io.Discard}, tt.out)
			defer c.Close()
			n := 0
			for range c.Messages() {
				n++
			}
			if n < tt.messages || !errors.Is(c.Err(), tt.err) {
				t.Errorf("%d messages, %v", n, c.Err())
			}
		})
	}
}

// TestRenew: the limits count for one prompt.
func TestRenew(t *testing.T) {
	t.Parallel()
	in, child := io.Pipe()
	c := New(discard{io.Discard}, in)
	defer c.Close()
	for range 3 {
		go func() {
			_, _ = io.WriteString(child, strings.Repeat("hello\n", MaxNoise)+`{"jsonrpc":"2.0","method":"x"}`+"\n")
		}()
		if _, ok := <-c.Messages(); !ok {
			t.Fatal(c.Err())
		}
		c.Renew()
	}
}

func TestSend(t *testing.T) {
	t.Parallel()
	child, in := io.Pipe()
	out, toUs := io.Pipe()
	c := New(in, out)
	defer c.Close()
	written := bufio.NewScanner(child)
	ask := func(line string) Message {
		go func() { _, _ = io.WriteString(toUs, line+"\n") }()
		return <-c.Messages()
	}
	tests := []struct {
		name string
		send func() error
		want string
	}{
		{"request", func() error {
			id, err := c.Request(t.Context(), "m", map[string]int{"a": 1})
			if id != 1 {
				t.Errorf("id %d", id)
			}
			return err
		}, `{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":1}}`},
		{"notification", func() error { return c.Notify(t.Context(), "n", struct{}{}) }, `{"jsonrpc":"2.0","method":"n","params":{}}`},
		{"reply_to_0", func() error {
			return c.Reply(t.Context(), ask(`{"jsonrpc":"2.0","id":0,"method":"p"}`), map[string]string{"x": "y"})
		}, `{"jsonrpc":"2.0","id":0,"result":{"x":"y"}}`},
		{"refusal_to_text", func() error { return c.Refuse(t.Context(), ask(`{"jsonrpc":"2.0","id":"q-1","method":"p"}`)) }, `{"jsonrpc":"2.0","id":"q-1","error":{"code":-32601,"message":"Method not found"}}`},
	}
	for _, tt := range tests { // one after the other, on one connection
		t.Run(tt.name, func(t *testing.T) {
			if err := tt.send(); err != nil {
				t.Fatal(err)
			}
			if !written.Scan() || written.Text() != tt.want {
				t.Errorf("wrote %s", written.Text())
			}
		})
	}
}

// TestStuck: a child that reads nothing holds nobody up for long.
func TestStuck(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, in := io.Pipe()
		out, toUs := io.Pipe()
		c := New(in, out)
		if err := c.Notify(t.Context(), "taken", nil); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		if err := c.Notify(t.Context(), "not taken", nil); !errors.Is(err, ErrStuck) || time.Since(began) != sendTime {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := c.Notify(ctx, "cancelled", nil); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
		c.Close()
		if err := c.Notify(t.Context(), "closed", nil); !errors.Is(err, ErrClosed) && !errors.Is(err, io.EOF) {
			t.Error(err)
		}
		_ = toUs.Close()
	})
}
