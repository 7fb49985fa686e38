package e2e

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"windsock/probe/simulator"
)

var crowdFor = flag.Duration("crowd", 3*time.Second, "how long TestCrowd keeps asking")

// crowd is how many clients ask at once, more than there are turns.
const crowd = 50

// TestCrowd is 50 clients of the local API that ask again and again, through both APIs,
// streamed and not, and some leave in the middle. Each gets its own answer, or a 429
// that says why. No prompt is sent twice, and no cascade is left. The two minutes
// are
//
//	go test -run '^TestCrowd$' -v ./tray/app/e2e -crowd 2m
func TestCrowd(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	p := d.serve(simulator.Config{})
	cmd, out := d.command("serve", "--port", "42193", "--concurrency", "4")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // which has ended, mostly
	api := d.served()
	var all tally
	var clients sync.WaitGroup
	until := time.Now().Add(*crowdFor)
	for n := range crowd {
		clients.Go(func() {
			for i := 0; time.Now().Before(until); i++ {
				all.count(t, api.asks(t.Context(), n, i))
			}
		})
	}
	clients.Wait()
	status := fmt.Sprintf("/proc/%d/status", cmd.Process.Pid)
	most := number(t, status, "VmHWM:")
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	sent := map[string]int{}
	for _, call := range p.Calls() {
		if call.RPC == "SendUserCascadeMessage" {
			sent[call.Prompt]++
		}
	}
	for prompt, times := range sent {
		if times > 1 {
			t.Errorf("%q was sent %d times", prompt, times)
		}
	}
	if left := d.live(p); len(left) > 0 {
		t.Errorf("%d cascades are left", len(left))
	}
	t.Logf("%d answers, %d left in the middle, %d times 429, %d prompts sent, at most %d KB RSS", all.answers, all.gone, all.busy, len(sent), most)
	if all.answers == 0 || all.answers+all.gone != len(sent) {
		t.Errorf("%d answers and %d that left, of %d prompts", all.answers, all.gone, len(sent))
	}
	if most > 60_000 {
		t.Errorf("%d KB RSS", most)
	}
}

// tally counts what became of requests.
type tally struct {
	mu                  sync.Mutex // guards all
	answers, gone, busy int
}

func (c *tally) count(t *testing.T, outcome string) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	switch outcome {
	case "answer":
		c.answers++
	case "gone":
		c.gone++
	case "busy":
		c.busy++
	default:
		t.Error(outcome)
	}
}

// asks sends one request of a client, and says what became of it.
func (s served) asks(ctx context.Context, client, i int) string {
	p := apiPrompt{path: "/chat/completions", prompt: fmt.Sprintf("turn:echo request %d of client %d", i, client), stream: i%2 == 0}
	if i%7 == client%7 {
		p.prompt, p.stream, p.leaves = fmt.Sprintf("turn:never_ends request %d of client %d", i, client), true, true
	}
	if (client+i)%2 == 0 {
		p.path = "/responses"
	}
	return s.sends(ctx, p)
}

// An apiPrompt is a request to the local API.
type apiPrompt struct {
	path, prompt   string
	stream, leaves bool // leaves in the middle of the answer
	alone          bool // on a connection of its own
}

// sends sends a request, and says what became of it.
func (s served) sends(ctx context.Context, p apiPrompt) string {
	body := fmt.Sprintf(`{"messages":[{"role":"user","content":%q}],"stream":%t}`, p.prompt, p.stream)
	if p.path == "/responses" {
		body = fmt.Sprintf(`{"input":%q,"stream":%t}`, p.prompt, p.stream)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.address+p.path, strings.NewReader(body))
	if err != nil {
		return err.Error()
	}
	r.Close = p.alone
	r.Header.Set("Authorization", "Bearer "+s.key)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return err.Error()
	}
	defer response.Body.Close()
	if response.StatusCode == http.StatusOK && p.leaves {
		lines := bufio.NewScanner(response.Body)
		for lines.Scan() && !strings.Contains(lines.Text(), "more to come") {
		}
		return "gone"
	}
	text, err := io.ReadAll(response.Body)
	switch {
	case err != nil:
		return err.Error()
	case response.StatusCode == http.StatusTooManyRequests && strings.Contains(string(text), `"code":"concurrency_limit"`):
		return "busy"
	case response.StatusCode != http.StatusOK:
		return fmt.Sprintf("%s: %s", response.Status, text)
	}
	answer := string(text)
	for _, piece := range pieces.FindAllStringSubmatch(string(text), -1) {
		answer += piece[1]
	}
	if !strings.Contains(answer, p.prompt) {
		return fmt.Sprintf("another answer than that of %q: %s", p.prompt, text)
	}
	return "answer"
}

// pieces finds those of a streamed answer, in either API.
var pieces = regexp.MustCompile(`"(?:content|delta)":"([^"]*)"`)
