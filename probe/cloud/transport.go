package cloud

import (
	"cmp"
	"compress/flate"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"unicode"
)

// Proxy is the proxy through which a host is asked, as host and port; "" for none. It is
// the environment's (HTTPS_PROXY, NO_PROXY); its user and password are not told.
func Proxy(host string) string {
	proxy, err := proxyFor(host)
	if err != nil || proxy == nil {
		return ""
	}
	return proxy.Host
}

// proxyFor is the environment's proxy for a host; nil for none. Its error holds nothing of
// the environment: that may be the proxy's password.
func proxyFor(host string) (*url.URL, error) {
	proxy, err := http.ProxyFromEnvironment(&http.Request{URL: &url.URL{Scheme: "https", Host: host}})
	// What is no URL is read again by net/http with http:// before it, and may become one.
	if err != nil || proxy != nil && (proxy.Hostname() == "" || strings.Trim(proxy.Path, "/") != "") {
		return nil, errors.New("read the environment's proxy")
	}
	return proxy, nil
}

// errElsewhere ends a request that is not for the host of its question. That is a mistake
// of this package; no byte has left then.
var errElsewhere = errors.New("a request to another host was stopped")

// newTransport asks one host over https, through proxy unless that is nil, and connects to
// nothing else.
func newTransport(host string, proxy *url.URL) *http.Transport {
	only := net.JoinHostPort(host, "443")
	if proxy != nil {
		only = addressOf(proxy)
	}
	// Reading the system's root certificates takes 10 ms: they are there when the host
	// shows its own.
	go func() { _, _ = x509.SystemCertPool() }() // ends soon; where they cannot be read, the handshake tells
	dialer := &net.Dialer{}
	return &http.Transport{
		Proxy: func(r *http.Request) (*url.URL, error) {
			if r.URL.Scheme != "https" || r.URL.Host != host {
				return nil, errElsewhere
			}
			return proxy, nil
		},
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			if address != only {
				return nil, errElsewhere
			}
			return dialer.DialContext(ctx, network, address)
		},
		OnProxyConnectResponse: func(_ context.Context, by *url.URL, _ *http.Request, response *http.Response) error {
			if response.StatusCode != http.StatusOK {
				return &proxyError{by.Host, response.StatusCode}
			}
			return nil
		},
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
		MaxResponseHeaderBytes: 64 << 10,
	}
}

// addressOf is what net/http dials for a proxy.
func addressOf(proxy *url.URL) string {
	port := proxy.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443", "socks5": "1080", "socks5h": "1080"}[proxy.Scheme]
	}
	return net.JoinHostPort(proxy.Hostname(), port)
}

// proxyError is a proxy's refusal to connect.
type proxyError struct {
	proxy  string // host and port
	status int
}

func (e *proxyError) Error() string { return fmt.Sprintf("proxy: HTTP %d", e.status) }

// noAnswer is the failure of a request without a usable answer.
func (s *service) noAnswer(err error) *Failure {
	cause := plain(err)
	through := ""
	if s.proxy != nil {
		through = " through the proxy " + s.proxy.Host
	}
	refusal, refused := errors.AsType[*proxyError](err)
	operation, _ := errors.AsType[*net.OpError](err)
	untrusted, isUntrusted := errors.AsType[*tls.CertificateVerificationError](err)
	switch {
	case refused:
		return s.proxyRefused(refusal.proxy, refusal.status, cause)
	case isUntrusted:
		return s.untrusted(untrusted, cause)
	case isTLS(err):
		return s.failed(TLS, "what answers there does not speak TLS as it should", cause)
	case errors.Is(err, context.DeadlineExceeded):
		return s.failed(Offline, fmt.Sprintf("no answer%s within %d seconds", through, int(s.patience.Seconds())), cause)
	case s.proxy != nil && operation != nil && operation.Op == "proxyconnect":
		return s.failed(Offline, "the proxy "+s.proxy.Host+" does not answer", cause)
	case isGarbled(err):
		return s.failed(BadResponse, "", cause)
	default:
		return s.failed(Offline, "", cause)
	}
}

// proxyRefused is the failure of a proxy that lets nothing through.
func (s *service) proxyRefused(proxy string, status int, cause error) *Failure {
	if status != http.StatusProxyAuthRequired {
		return s.failed(Offline, fmt.Sprintf("the proxy %s does not let it through (HTTP %d)", proxy, status), cause)
	}
	f := s.failed(Offline, "the proxy "+proxy+" wants a sign-in of its own", cause)
	f.cure = "Put its user and password into HTTPS_PROXY, or ask who runs it."
	return f
}

// untrusted is the failure of a certificate that was not verified. It names who has issued
// it: where a company's proxy opens connections, that is the proxy.
func (s *service) untrusted(err *tls.CertificateVerificationError, cause error) *Failure {
	issuer := label("")
	if len(err.UnverifiedCertificates) > 0 {
		name := err.UnverifiedCertificates[0].Issuer
		issuer = label(cmp.Or(name.CommonName, strings.Join(name.Organization, ", ")))
	}
	invalid, _ := errors.AsType[x509.CertificateInvalidError](err)
	_, otherName := errors.AsType[x509.HostnameError](err)
	f := s.failed(TLS, "its certificate was issued by "+issuer, cause)
	switch {
	case invalid.Cert != nil && invalid.Reason == x509.Expired:
		f = s.failed(TLS, "by this computer's clock its certificate, issued by "+issuer+", is not valid", cause)
		f.cure = "Check the date and the time of this computer."
	case otherName:
		f = s.failed(TLS, "another host answers there, with a certificate issued by "+issuer, cause)
		f.cure = "Sign in to the Wi-Fi if it wants that, or ask who runs the network."
	}
	return f
}

// label is a name out of a certificate, as one short piece of a line.
func label(name string) string {
	name = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, name)
	if letters := []rune(name); len(letters) > 60 {
		name = string(letters[:60]) + "…"
	}
	if name == "" {
		return "nobody by name"
	}
	return "“" + name + "”"
}

func isTLS(err error) bool {
	_, record := errors.AsType[tls.RecordHeaderError](err)
	_, alert := errors.AsType[tls.AlertError](err)
	operation, _ := errors.AsType[*net.OpError](err)
	return record || alert || errors.Is(err, http.ErrSchemeMismatch) ||
		operation != nil && (operation.Op == "remote error" || operation.Op == "local error")
}

func isGarbled(err error) bool {
	_, corrupt := errors.AsType[flate.CorruptInputError](err)
	return corrupt || errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) || errors.Is(err, errElsewhere)
}

// plain is an error of the network in words of this program and the system alone: the
// text of net/http's quotes what was received.
func plain(err error) error {
	if number, ok := errors.AsType[syscall.Errno](err); ok {
		return number
	}
	refusal, refused := errors.AsType[*proxyError](err)
	_, look := errors.AsType[*net.DNSError](err)
	_, untrusted := errors.AsType[*tls.CertificateVerificationError](err)
	switch {
	case refused:
		return refusal
	case errors.Is(err, context.DeadlineExceeded):
		return context.DeadlineExceeded
	case look:
		return errors.New("the host's name was not found")
	case untrusted:
		return errors.New("verify the certificate")
	case isTLS(err):
		return errors.New("tls handshake")
	case errors.Is(err, errElsewhere):
		return errElsewhere
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return io.ErrUnexpectedEOF
	default:
		return errors.New("no answer that can be read")
	}
}
