package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"windsock/probe/simulator"
)

// promptPage is the page of a `windsock prompt`, in a browser of the test's own.
type promptPage struct {
	t       *testing.T
	cmd     *exec.Cmd
	address *url.URL
	cookie  *http.Cookie
	stream  *http.Response
	events  *bufio.Scanner
}

// openPrompt starts `windsock prompt` and opens its page.
func (d *desk) openPrompt() *promptPage {
	d.t.Helper()
	browser := fakeBrowser{filepath.Join(d.dir, "chromium-of-the-test"), filepath.Join(d.dir, "shown")}
	browser.write(d.t)
	cmd, _ := d.command("prompt")
	cmd.Env = append(cmd.Env, browser.env())
	if err := cmd.Start(); err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it may have ended
	})
	p := newPage(d.t, browser.shown(d.t, 1))
	p.cmd = cmd
	d.t.Cleanup(p.leave)
	return p
}

// newPage is the page at an address; leave closes it.
func newPage(t *testing.T, address *url.URL) *promptPage {
	t.Helper()
	p := &promptPage{t: t, address: address}
	entered := p.do(http.MethodPost, "/enter", "t="+p.address.Fragment)
	_ = entered.Body.Close()
	if cookies := entered.Cookies(); len(cookies) == 1 {
		p.cookie = cookies[0]
	} else {
		t.Fatalf("entered: %s", entered.Status)
	}
	p.stream = p.do(http.MethodGet, "/api/events", "") //nolint:bodyclose // leave does
	p.events = bufio.NewScanner(p.stream.Body)
	return p
}

func (p *promptPage) leave() { _ = p.stream.Body.Close() }

func (p *promptPage) do(method, path, body string) *http.Response {
	p.t.Helper()
	r, err := http.NewRequestWithContext(p.t.Context(), method, "http://127.0.0.1:"+p.address.Port()+path, strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	r.Host = p.address.Host
	r.Close = p.cmd == nil // of an app whose connections are counted
	if p.cookie != nil {
		r.AddCookie(p.cookie)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		p.t.Fatal(err)
	}
	return answer
}

// ask sends a prompt, in the conversation of a card unless that is empty, and waits for
// the whole answer.
func (p *promptPage) ask(text, card string) (id, answer string) {
	p.t.Helper()
	id, failure := p.sends(text, card)
	if failure == "" {
		answer, failure = p.answer(id)
	}
	if failure != "" {
		p.t.Fatalf("%s: %s", text, failure)
	}
	return id, answer
}

// sends sends a prompt, and returns its card or why there is none.
func (p *promptPage) sends(text, card string) (id, failure string) {
	p.t.Helper()
	body, err := json.Marshal(map[string]string{"text": text, "further": card})
	if err != nil {
		p.t.Fatal(err)
	}
	response := p.do(http.MethodPost, "/api/ask", string(body))
	defer response.Body.Close()
	var asked struct{ ID string }
	if err := json.NewDecoder(response.Body).Decode(&asked); err != nil || response.StatusCode != http.StatusAccepted {
		return "", fmt.Sprintf("%s, %v", response.Status, err)
	}
	return asked.ID, ""
}

// answer waits for the end of an answer, and returns its text or what failed.
func (p *promptPage) answer(id string) (text, failure string) {
	p.t.Helper()
	for p.events.Scan() {
		var event struct {
			ID, Kind, Code, Sentence string
			Answer                   struct {
				Text string
				Open bool
			}
		}
		data, ok := strings.CutPrefix(p.events.Text(), "data: ")
		if !ok || json.Unmarshal([]byte(data), &event) != nil || event.ID != id {
			continue
		}
		switch {
		case event.Kind == "failed" || event.Kind == "done" && !event.Answer.Open:
			return "", data
		case event.Kind == "done":
			return event.Answer.Text, ""
		}
	}
	return "", fmt.Sprintf("the stream ended: %v", p.events.Err())
}

// A conversation that is open for further prompts is left alone by another process, and
// is archived with the window, with Windsock, or by the next one after a kill -9.
func TestFurtherIsTidiedUp(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*promptPage){
		"closed":      (*promptPage).leave,
		"interrupted": func(p *promptPage) { _ = p.cmd.Process.Signal(os.Interrupt) },
		"killed":      func(p *promptPage) { _ = p.cmd.Process.Signal(syscall.SIGKILL) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t)
			server := d.serve(simulator.Config{})
			p := d.openPrompt()
			card, _ := p.ask("turn:echo one", "")
			if _, answer := p.ask("turn:echo two", card); answer != "turn:echo two" {
				t.Errorf("the further answer is %q", answer)
			}
			open := d.live(server)
			d.ahead = time.Minute
			if code, told := d.run("ask", "turn:echo"); code != 0 {
				t.Fatal(told)
			}
			if left := d.live(server); len(open) != 1 || len(left) != 1 || left[0] != open[0] {
				t.Errorf("open %q, after another process's prompt %q", open, left)
			}
			end(p)
			_ = p.cmd.Wait() // the codes are TestWindow's
			if name == "killed" {
				d.drain(server)
			}
			if left := d.live(server); len(left) > 0 {
				t.Errorf("left %q", left)
			}
			if locks, _ := filepath.Glob(d.state("open-*")); len(locks) > 0 {
				t.Errorf("left %q", locks)
			}
			if wrong := server.Violations(); len(wrong) > 0 {
				t.Error(wrong)
			}
		})
	}
}
