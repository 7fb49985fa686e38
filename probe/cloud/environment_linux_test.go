package cloud

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"windsock/probe/simulator/cloud"
)

// asksHome is set for a process of its own: net/http reads the proxy of the environment
// once, and crypto/x509 the roots. Where to find them is like that on Linux alone.
const asksHome = "WINDSOCK_TEST_ASKS_HOME"

// TestAsks is that process, with nothing in place of the client's own transport.
func TestAsks(t *testing.T) {
	dir := os.Getenv(asksHome)
	if dir == "" {
		t.Skip("run by TestEnvironment")
	}
	h := home{t, dir}
	answer, err := Client{Version: "1.2.3"}.Ask(t.Context(), Question{Source: h.source("devin-cli"), Host: "server.codeium.com"})
	told := "answered"
	if err != nil {
		failure := err.(*Failure) //nolint:errorlint // what Ask returns
		told = sentences(failure) + "\n" + err.Error()
	}
	fmt.Fprintf(os.Stdout, "proxy %q, %d bytes, %s\n", Proxy("server.codeium.com"), min(len(answer.Raw), 1), told)
}

// The proxy and the roots are those of the environment; a proxy's password is not told.
func TestEnvironment(t *testing.T) {
	t.Parallel()
	sim, err := cloud.New(known)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = sim.Close() })
	h := newHome(t)
	h.devin(token, "")
	h.write("root.pem", string(sim.Root()))
	at := strings.TrimPrefix(sim.ProxyURL(), "http://")
	tests := []struct {
		name  string
		proxy string
		roots string
		says  []string
	}{
		{"proxy", "http://planted:planted@" + at, "root.pem", []string{`proxy "` + at + `", 1 bytes, answered`}},
		{"no_root", "http://planted:planted@" + at, "empty.pem", []string{"0 bytes, tls (exit 1)", "Windsock Simulator Root"}},
		{"no_proxy_there", "http://planted:planted@127.0.0.1:1", "root.pem", []string{"0 bytes, offline (exit 1)", "the proxy 127.0.0.1:1 does not answer"}},
		{"no_url", "http://planted:planted@[::1", "root.pem", []string{`proxy "", 0 bytes, offline (exit 1)`, "Correct HTTPS_PROXY."}},
	}
	h.write("empty.pem", "")
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			process := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestAsks$")
			process.Env = []string{
				asksHome + "=" + h.dir, "HOME=" + h.dir, "HTTPS_PROXY=" + tt.proxy,
				"SSL_CERT_FILE=" + filepath.Join(h.dir, tt.roots), "SSL_CERT_DIR=" + filepath.Join(h.dir, "none"),
			}
			out, err := process.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			for _, want := range tt.says {
				if !strings.Contains(string(out), want) {
					t.Errorf("%q is not in %s", want, out)
				}
			}
			if strings.Contains(string(out), "planted") {
				t.Errorf("tells %s", out)
			}
		})
	}
}
