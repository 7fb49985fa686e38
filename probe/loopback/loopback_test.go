package loopback

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// serve runs a server whose handler is guarded, and returns its address.
func serve(t *testing.T, handler http.HandlerFunc, change func(*Listener)) string {
	t.Helper()
	l, err := Listen(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(l)
	}
	guard := Guard{Hosts: l.Hosts("127.0.0.1", "localhost"), Refuse: func(w http.ResponseWriter, _ *http.Request, why Refusal) {
		http.Error(w, string(why), http.StatusForbidden)
	}}
	server := NewServer(guard.Wrap(handler), slog.New(slog.DiscardHandler))
	done := make(chan error, 1)
	go func() { done <- server.Serve(l) }()
	t.Cleanup(func() {
		_ = server.Close()
		if err := <-done; !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	})
	return l.Addr().String()
}

// do sends a request and returns the status and the body in one string.
func do(t *testing.T, request *http.Request) string {
	t.Helper()
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(response.StatusCode, " ", strings.TrimSpace(string(body)))
}

func TestGuard(t *testing.T) {
	t.Parallel()
	is := func(p peer) func(*Listener) {
		return func(l *Listener) { l.look = func(_, _ netip.AddrPort) (peer, error) { return p, nil } }
	}
	tests := []struct {
		name   string
		host   string // %s is the port
		header http.Header
		change func(*Listener)
		want   string
	}{
		{name: "program", want: "200 fine"},
		{name: "by_name", host: "localhost:%s", want: "200 fine"},
		{name: "address_bar", header: http.Header{"Sec-Fetch-Site": {"none"}}, want: "200 fine"},
		{name: "rebound_name", host: "evil.example:%s", want: "403 foreign_host"},
		{name: "other_port", host: "127.0.0.1:1", want: "403 foreign_host"},
		{name: "no_port", host: "127.0.0.1", want: "403 foreign_host"},
		{name: "name_that_begins_so", host: "localhost:%s.evil.example", want: "403 foreign_host"},
		{name: "upper_case", host: "LOCALHOST:%s", want: "403 foreign_host"},
		{name: "origin", header: http.Header{"Origin": {"https://evil.example"}}, want: "403 foreign_page"},
		{name: "origin_null", header: http.Header{"Origin": {"null"}}, want: "403 foreign_page"},
		{name: "origin_empty", header: http.Header{"Origin": {""}}, want: "403 foreign_page"},
		{name: "picture_on_a_page", header: http.Header{"Sec-Fetch-Site": {"cross-site"}}, want: "403 foreign_page"},
		{name: "two_sites", header: http.Header{"Sec-Fetch-Site": {"none", "cross-site"}}, want: "403 foreign_page"},
		{name: "other_account", change: is(peerForeign), want: "403 foreign_user"},
		{name: "system_that_does_not_tell", change: is(peerUnchecked), want: "200 fine"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			address := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "fine") }, tt.change)
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address, http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			_, port, _ := net.SplitHostPort(address)
			request.Host = strings.ReplaceAll(tt.host, "%s", port)
			maps.Copy(request.Header, tt.header)
			if got := do(t, request); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// A connection that did not come through a Listener has no known owner.
func TestGuardElsewhere(t *testing.T) {
	t.Parallel()
	if got := peerOf(withPeer(t.Context(), &net.TCPConn{})); got != peerForeign {
		t.Errorf("got %v", got)
	}
}

func TestListenTaken(t *testing.T) {
	t.Parallel()
	first, err := Listen(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	if _, err := Listen(t.Context(), first.Port()); !errors.Is(err, syscall.EADDRINUSE) {
		t.Errorf("got %v", err)
	}
}

// timed is the writer of a request whose time is bounded.
type timed struct {
	http.ResponseWriter

	until time.Time
}

func (w *timed) SetReadDeadline(until time.Time) error {
	w.until = until
	return http.NewResponseController(w.ResponseWriter).SetReadDeadline(until)
}

func TestReadBody(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		send   string // after the head
		size   int
		within time.Duration
		want   string
	}{
		{name: "whole", send: "hello", size: 5, within: time.Minute, want: "hello <nil>"},
		{name: "none", within: time.Minute, want: " <nil>"},
		{name: "too_large", send: "hello world", size: 11, within: time.Minute, want: " the body is too large"},
		{name: "too_slow", send: "hel", size: 5, within: 300 * time.Millisecond, want: " the body comes too slowly"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := make(chan string, 1)
			address := serve(t, func(w http.ResponseWriter, r *http.Request) {
				bounded := &timed{ResponseWriter: w}
				body, err := ReadBody(bounded, r, 10, tt.within)
				// The deadline for the body must not end what follows it.
				if err == nil && !bounded.until.IsZero() {
					err = errors.New("the time goes on")
				}
				got <- fmt.Sprint(string(body), " ", err)
			}, nil)
			c, err := net.Dial("tcp", address)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			fmt.Fprintf(c, "POST / HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\n\r\n%s", address, tt.size, tt.send)
			if diff := cmp.Diff(tt.want, <-got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A client that sends nothing, or too slowly, is disconnected.
func TestSlowHead(t *testing.T) {
	t.Parallel()
	address := serve(t, func(http.ResponseWriter, *http.Request) {}, nil)
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_, _ = io.WriteString(c, "GET / HTTP/1.1\r\nHost: ")
	_ = c.SetReadDeadline(time.Now().Add(headerTime + 20*time.Second))
	if _, err := io.ReadAll(c); err != nil {
		t.Errorf("still open: %v", err)
	}
}

// A head larger than any browser's is refused.
func TestLargeHead(t *testing.T) {
	t.Parallel()
	address := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "fine") }, nil)
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for size, want := range map[int]bool{20 << 10: true, 60 << 10: false} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+address, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Cookie", strings.Repeat("x", size))
		response, err := client.Do(request) // the connection may end before the refusal arrives
		if err == nil {
			_ = response.Body.Close()
		}
		if got := err == nil && response.StatusCode == http.StatusOK; got != want {
			t.Errorf("%d bytes: %+v, %v", size, response, err)
		}
	}
}

// Connections above the limit are closed, those of other accounts much earlier. Each
// that ends makes room.
func TestConnections(t *testing.T) {
	t.Parallel()
	var foreign atomic.Bool
	address := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "fine") }, func(l *Listener) {
		l.look = func(netip.AddrPort, netip.AddrPort) (peer, error) {
			if foreign.Load() {
				return peerForeign, nil
			}
			return peerSame, nil
		}
	})
	open := func() (net.Conn, string) {
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		fmt.Fprintf(c, "GET / HTTP/1.1\r\nHost: %s\r\n\r\n", address)
		_ = c.SetReadDeadline(time.Now().Add(30 * time.Second))
		start := make([]byte, 12)
		_, err = io.ReadFull(c, start)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return c, "silent"
		}
		if err != nil {
			return c, "closed"
		}
		return c, string(start[9:])
	}
	foreign.Store(true)
	for i := range maxForeign + 1 {
		want := "403"
		if i == maxForeign {
			want = "closed"
		}
		if _, got := open(); got != want {
			t.Errorf("foreign connection %d: %s, want %s", i, got, want)
		}
	}
	foreign.Store(false)
	var last net.Conn
	for i := range maxConnections + 1 {
		c, got := open()
		want := "200"
		if i == maxConnections {
			want = "closed"
		} else {
			last = c
		}
		if got != want {
			t.Errorf("connection %d: %s, want %s", i, got, want)
		}
	}
	_ = last.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for {
		if _, got := open(); got == "200" {
			return
		}
		if ctx.Err() != nil {
			t.Fatal("a connection that ended makes no room")
		}
	}
}
