package probe

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/netip"
	"slices"
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
	// csrfHeader is required in every RPC (PROTOCOL.md 1).
	csrfHeader = "X-Codeium-Csrf-Token"
	// handshakeTimeout is for one scheme on one port.
	handshakeTimeout = time.Second
	// maxHandshake is more than any response to an empty GetUnleashData.
	maxHandshake = 4 << 20
)

// PortAnswer is why a port failed the handshake.
type PortAnswer struct {
	Addr netip.AddrPort
	// Says is a clause such as "hangs up". It holds nothing that the other end wrote.
	Says string
}

// errRefused means "right port, wrong token".
var errRefused = errors.New("permission_denied")

// notConnectError is the response of a port that speaks HTTP, but not Connect.
type notConnectError struct{ status int }

func (e *notConnectError) Error() string {
	return fmt.Sprintf("status %d without a Connect answer", e.status)
}

// handshake asks all ports of the process at once and takes the first that answers as
// the RPC port. The request carries the token and no API key. errRefused takes
// precedence over all other errors.
func (s *server) handshake(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	failures := make([]error, len(s.addrs))
	var mu sync.Mutex // guards base and client
	var asking sync.WaitGroup
	for i, addr := range s.addrs {
		asking.Go(func() {
			base, client, err := handshakePort(ctx, s.finder.system, s.process, addr)
			if failures[i] = err; err != nil {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			if s.client != nil {
				client.CloseIdleConnections()
				return
			}
			s.base, s.client = base, client
			cancel()
		})
	}
	asking.Wait()
	if s.client != nil {
		return nil
	}
	if slices.Contains(failures, errRefused) {
		return errRefused
	}
	for i, err := range failures {
		s.answers = append(s.answers, PortAnswer{s.addrs[i], refusal(err)})
	}
	return failures[0]
}

// handshakePort tries http, which all known servers speak (PROTOCOL.md 1), then https.
// A server that speaks only one of them refuses the other at once. The other order
// would cost every status a connection.
//
// If both fail, a response counts more than a broken connection, and the response to
// https counts more than that to http: a port that speaks https also answers http.
func handshakePort(ctx context.Context, sys system.System, p system.Process, addr netip.AddrPort) (base string, _ *http.Client, _ error) {
	client := newClient(sys, p, addr)
	var failed error
	for _, scheme := range []string{"http", "https"} {
		base := scheme + "://" + addr.String()
		err := askUnleash(ctx, client, base, p.Token)
		if err == nil {
			return base, client, nil
		}
		if _, answered := errors.AsType[*notConnectError](err); failed == nil || answered {
			failed = err
		}
		if errors.Is(err, errRefused) {
			failed = err
			break
		}
	}
	client.CloseIdleConnections()
	return "", nil, failed
}

// refusal says why a port is not the RPC port.
func refusal(err error) string {
	err = ownWords(err)
	owner, notOwned := errors.AsType[*ownerError](err)
	other, notConnect := errors.AsType[*notConnectError](err)
	switch {
	case notOwned && errors.Is(owner, system.ErrNotOwner):
		return "belongs to another process"
	case notOwned:
		return "could not be told to be its own"
	case notConnect:
		return fmt.Sprintf("answers with status %d, not as a language server does", other.status)
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return "does not answer in time"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "hangs up"
	default:
		return "gives the error: " + err.Error()
	}
}

// askUnleash sends one GetUnleashData with an empty message. Only a response in Connect
// form counts: an object, or an error with a Connect code. A bare 404, 405 or 415 of
// some other server does not count (PROTOCOL.md 4.3).
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
	if tokenRefused(code, gjson.GetBytes(body, "message").String()) {
		return errRefused
	}
	return nil
}
