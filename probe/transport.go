package probe

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"time"

	"windsock/probe/system"
)

// ownerError says that a connection was closed unused, because the other end is
// not the server that was looked for.
type ownerError struct{ cause error }

func (e *ownerError) Error() string { return "check the owner of the port: " + e.cause.Error() }

func (e *ownerError) Unwrap() error { return e.cause }

// noAnswerError says that a request got no HTTP answer. Connect tells that by a
// code that a server may send as well, and drops the types of net/http.
type noAnswerError struct{ cause error }

func (e *noAnswerError) Error() string { return "no answer: " + e.cause.Error() }

func (e *noAnswerError) Unwrap() error { return e.cause }

// transport is an http.Transport whose errors are noAnswerErrors, and whose answers
// end where Connect has read its fill: it would read on to the end, which may never
// come, for the connection's sake. So that is closed.
type transport struct{ *http.Transport }

// RoundTrip implements http.RoundTripper.
func (t transport) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := t.Transport.RoundTrip(request)
	if err != nil {
		return nil, &noAnswerError{err}
	}
	response.Body = http.MaxBytesReader(nil, response.Body, maxMessage+1)
	return response, nil
}

// newClient returns an HTTP client that talks to p at addr and to nothing else:
// no proxy, no redirect, whatever host a request names. Each connection is
// checked for its owner between the dial and the first byte (PROTOCOL.md 4.4).
// TLS certificates are not verified: addr is loopback, the certificate is
// self-signed, and the owner of the socket says more than a name could.
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
			// As many calls run at once at most; the default of 2 would dial anew, with a
			// look at the port's owner, for most of them.
			MaxIdleConnsPerHost: 8,
			IdleConnTimeout:     30 * time.Second,
		}},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}
