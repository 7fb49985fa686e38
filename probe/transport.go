package probe

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"time"

	"windsock/probe/jsonpick"
	"windsock/probe/system"
)

// ownerError says that a connection was closed unused, because the other end is not
// known to be the right server.
type ownerError struct{ cause error }

func (e *ownerError) Error() string { return "check the owner of the port: " + e.cause.Error() }

func (e *ownerError) Unwrap() error { return e.cause }

// noAnswerError says that a request got no HTTP response. Connect reports that with a
// code that a server may send as well, and drops the types of net/http.
type noAnswerError struct{ cause error }

func (e *noAnswerError) Error() string { return "no answer: " + e.cause.Error() }

func (e *noAnswerError) Unwrap() error { return e.cause }

// transport is an http.Transport whose errors are noAnswerErrors.
type transport struct{ *http.Transport }

// RoundTrip implements http.RoundTripper.
func (t transport) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := t.Transport.RoundTrip(request)
	if err != nil {
		return nil, &noAnswerError{err}
	}
	return response, nil
}

// bounded is a client for Connect. It cuts off responses beyond Connect's limit: to reuse
// the connection, Connect would read on to their end, which may never come. The cut
// closes the connection. Connect's limit is for what is picked.
type bounded struct {
	client *http.Client
	pick   jsonpick.Fields // nil for all
	raw    *RawJSON        // takes the response; nil leaves it to Connect
	room   int             // bytes that raw takes at first
	most   int             // bytes that raw takes at most
}

// Do implements connect.HTTPClient.
func (b bounded) Do(request *http.Request) (*http.Response, error) {
	response, err := b.client.Do(request) //nolint:gosec // it dials one loopback address, see newClient
	switch {
	case err != nil:
		return nil, err
	case b.pick == nil || response.StatusCode != http.StatusOK: // an error is read as a whole
		response.Body = http.MaxBytesReader(nil, response.Body, maxMessage+1)
	default:
		body := http.MaxBytesReader(nil, response.Body, maxPicked)
		response.Body = pickedBody{jsonpick.NewReader(body, b.pick), body}
	}
	if b.raw != nil && response.StatusCode == http.StatusOK {
		response.Body = taken{response.Body, b}
	}
	return response, nil
}

// taken is a body of which Connect gets only the end, and the RawJSON all that is before
// it. Connect's buffer would double its way to the size, and would have to be copied.
type taken struct {
	io.ReadCloser

	by bounded
}

// Read implements io.Reader.
func (t taken) Read([]byte) (int, error) {
	buffer := bytes.NewBuffer(make([]byte, 0, t.by.room+bytes.MinRead))
	n, err := buffer.ReadFrom(io.LimitReader(t.ReadCloser, int64(t.by.most)+1))
	if err == nil && n > int64(t.by.most) {
		err = &http.MaxBytesError{Limit: int64(t.by.most)} // as of Connect's own limit
	}
	t.by.raw.Data = buffer.Bytes()
	return 0, cmp.Or(err, io.EOF)
}

type pickedBody struct {
	*jsonpick.Reader
	io.Closer
}

// newClient returns an HTTP client that talks to p at addr and to nothing else: it uses
// no proxy, follows no redirect, and ignores the host of a request. It checks the owner
// of each connection between the dial and the first byte (PROTOCOL.md 4.4). It does not
// verify TLS certificates: addr is loopback, the certificate is self-signed, and the
// owner of the socket proves more than a name could.
func newClient(sys system.System, p system.Process, addr netip.AddrPort) *http.Client {
	dialer := &net.Dialer{}
	return &http.Client{
		Transport: transport{&http.Transport{
			DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
				if !addr.Addr().IsLoopback() {
					return nil, fmt.Errorf("dial %s: not a loopback address", addr)
				}
				conn, err := dialer.DialContext(ctx, "tcp", addr.String())
				if err != nil {
					return nil, err
				}
				if err := sys.Verify(ctx, p, addr); err != nil {
					_ = conn.Close()
					return nil, &ownerError{cause: err}
				}
				return conn, nil
			},
			TLSClientConfig:    &tls.Config{InsecureSkipVerify: true, MinVersion: tls.VersionTLS12}, //nolint:gosec // loopback, see above
			DisableCompression: true,
			// This many calls may run at once. The default of 2 would dial most of them
			// anew, with a check of the port's owner.
			MaxIdleConnsPerHost: 8,
			IdleConnTimeout:     30 * time.Second,
		}},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}
