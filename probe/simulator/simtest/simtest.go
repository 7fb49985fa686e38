// Package simtest is what only tests and measurements need of a simulated editor.
package simtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"windsock/probe/simulator"
)

// Start starts a server process, which ends with the test. Without a Root it uses a
// directory of the test's.
func Start(tb testing.TB, o simulator.Options) *simulator.Process {
	tb.Helper()
	if o.Root == "" {
		o.Root = tb.TempDir()
	}
	p, err := simulator.Start(context.WithoutCancel(tb.Context()), o)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := p.Stop(); err != nil {
			tb.Error(err)
		}
	})
	return p
}

// Answer starts a server, asks it once, and returns its response.
func Answer(ctx context.Context, c simulator.Config, rpc, body string) (answer []byte, err error) {
	server, err := simulator.New(c) //nolint:contextcheck // Serve has it
	if err != nil {
		return nil, err
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(ctx) }()
	defer func() { err = errors.Join(err, server.Close(), <-served) }()
	base := server.URL()
	if port := server.HTTPPort(); port != 0 { // the other one of Antigravity has a certificate of its own
		base = fmt.Sprintf("http://127.0.0.1:%d", port)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost,
		base+"/exa.language_server_pb.LanguageServerService/"+rpc, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-Codeium-Csrf-Token", server.Token())
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	return io.ReadAll(response.Body)
}
