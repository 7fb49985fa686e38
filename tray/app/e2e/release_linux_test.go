package e2e

import (
	"net/http"
	"os/exec"
	"strings"
	"testing"

	"connectrpc.com/connect"

	pb "windsock/probe/languageserver"
	"windsock/probe/simulator"
	"windsock/probe/simulator/simtest"
)

// TestReleaseWithoutHTTP2: the demo's help is right about other clients.
func TestReleaseWithoutHTTP2(t *testing.T) {
	t.Parallel()
	server := simtest.Start(t, simulator.Options{Exe: shipped(t)})
	ask := func(http2 bool, options ...connect.ClientOption) error {
		transport := &http.Transport{Protocols: new(http.Protocols)}
		defer transport.CloseIdleConnections()
		transport.Protocols.SetHTTP1(!http2)
		transport.Protocols.SetUnencryptedHTTP2(http2)
		request := connect.NewRequest(&pb.GetUnleashDataRequest{})
		request.Header().Set("X-Codeium-Csrf-Token", server.Ready().Token)
		_, err := pb.NewLanguageServerServiceClient(&http.Client{Transport: transport}, server.URL(), options...).GetUnleashData(t.Context(), request)
		return err
	}
	if err := ask(false); err != nil {
		t.Errorf("Connect: %v", err)
	}
	if ask(true, connect.WithGRPC()) == nil {
		t.Error("gRPC is answered")
	}
	help, err := exec.CommandContext(t.Context(), shipped(t), "demo", "--help").Output()
	if err != nil || !strings.Contains(strings.Join(strings.Fields(string(help)), " "), "not by gRPC, which needs HTTP/2") {
		t.Errorf("help: %v\n%s", err, help)
	}
}
