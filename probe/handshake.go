package probe

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"connectrpc.com/connect"
	"github.com/tidwall/gjson"

	"windsock/probe/jsoncheck"
	"windsock/probe/languageserver"
	"windsock/probe/secret"
	"windsock/probe/system"
)

const (
	// csrfHeader goes with every RPC (PROTOCOL.md 1).
	csrfHeader = "X-Codeium-Csrf-Token"
	// handshakeTimeout is for one scheme on one port.
	handshakeTimeout = time.Second
	// maxHandshake is more than any answer to an empty GetUnleashData.
	maxHandshake = 4 << 20
)

// endpoint is a port that has answered as the RPC port.
type endpoint struct {
	base   string // scheme, address and port
	client *http.Client
}

// errRefused is the handshake's answer "right port, wrong token".
var errRefused = errors.New("permission_denied")

// notConnectError is the answer of a port that speaks HTTP, but not Connect.
type notConnectError struct{ status int }

func (e *notConnectError) Error() string {
	return fmt.Sprintf("status %d without a Connect answer", e.status)
}

// handshake asks all of p's ports at once which one is the RPC port and returns
// the first that says so. The request carries the token and no API key.
// errRefused wins over every other error.
func handshake(ctx context.Context, sys system.System, p system.Process, addrs []netip.AddrPort) (endpoint, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type result struct {
		endpoint endpoint
		err      error
	}
	results := make(chan result, len(addrs))
	var asking sync.WaitGroup // ends with handshake: cancel, then wait
	for _, addr := range addrs {
		asking.Go(func() {
			e, err := handshakePort(ctx, sys, p, addr)
			results <- result{e, err}
		})
	}
	go func() {
		asking.Wait()
		close(results)
	}()
	var found endpoint
	var failed error
	for r := range results {
		switch {
		case r.err == nil && found.client == nil:
			found = r.endpoint
			cancel()
		case r.err == nil:
			r.endpoint.client.CloseIdleConnections()
		case errors.Is(r.err, errRefused):
			failed = r.err
		case failed == nil:
			failed = r.err
		}
	}
	if found.client != nil {
		return found, nil
	}
	return endpoint{}, failed
}

// handshakePort tries http, which is what servers were seen to speak
// (PROTOCOL.md 1), then https: a server that speaks only one of them refuses the
// other at once. The other way round costs every status a connection.
func handshakePort(ctx context.Context, sys system.System, p system.Process, addr netip.AddrPort) (endpoint, error) {
	client := newClient(sys, p, addr)
	var failed error
	for _, scheme := range []string{"http", "https"} {
		base := scheme + "://" + addr.String()
		err := askUnleash(ctx, client, base, p.Token)
		if err == nil {
			return endpoint{base: base, client: client}, nil
		}
		if errors.Is(err, errRefused) {
			client.CloseIdleConnections()
			return endpoint{}, err
		}
		if failed == nil || !errors.Is(failed, context.DeadlineExceeded) {
			failed = err
		}
	}
	client.CloseIdleConnections()
	return endpoint{}, failed
}

// askUnleash sends one GetUnleashData with an empty message. Only an answer in
// Connect form counts: an object, or an error with a code of Connect's; the bare
// 404, 405 or 415 of some other server does not (PROTOCOL.md 4.3).
func askUnleash(ctx context.Context, client *http.Client, base string, token secret.Secret) error {
	ctx, cancel := context.WithTimeout(ctx, handshakeTimeout)
	defer cancel()
	url := base + languageserver.LanguageServerServiceGetUnleashDataProcedure
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader("{}"))
	if err != nil {
		return fmt.Errorf("build handshake: %w", err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Connect-Protocol-Version", "1")
	request.Header.Set(csrfHeader, token.Reveal())
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxHandshake))
	if err != nil {
		return err
	}
	mediaType, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if mediaType != "application/json" || !jsoncheck.Valid(body) || !gjson.ParseBytes(body).IsObject() {
		return &notConnectError{response.StatusCode}
	}
	if response.StatusCode == http.StatusOK {
		return nil
	}
	var code connect.Code
	if err := code.UnmarshalText([]byte(gjson.GetBytes(body, "code").String())); err != nil {
		return &notConnectError{response.StatusCode}
	}
	if code == connect.CodePermissionDenied {
		return errRefused
	}
	return nil
}
