package windowtest

import (
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"
)

// TestEndIsToldOf: for every kind of end, the page says what ended and what to do, and
// blames nothing else. The wanted lines also have its sentences meanwhile.
func TestEndIsToldOf(t *testing.T) {
	t.Parallel()
	const (
		retries = "Windsock does not answer. Trying again…"
		gone    = "Windsock has ended. Copy what you need from this page, then start Windsock again, or run “windsock demo prompt” for a new window."
		over    = "This window’s session is over. Copy what you need from this page, then open a new window from the tray, or with “windsock demo prompt”."
	)
	signal := func(t *testing.T, p *program, s syscall.Signal) {
		t.Helper()
		if err := p.cmd.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		name string
		end  func(t *testing.T, b *browser, p *program)
		want []string
	}{
		{"windsock_crashes", func(t *testing.T, b *browser, p *program) {
			t.Helper()
			b.view("prompt")
			b.write("turn:never_ends")
			b.shows(".turn .answer", "There is more to come")
			signal(t, p, syscall.SIGKILL)
			b.shows(".turn.failed .told", "Windsock ended before the answer did.")
		}, []string{retries, gone}},
		{"windsock_quits", func(t *testing.T, _ *browser, p *program) {
			t.Helper()
			signal(t, p, syscall.SIGTERM)
		}, []string{gone}},
		{"editor_quits_first", func(t *testing.T, b *browser, p *program) {
			t.Helper()
			p.signal(t, syscall.SIGKILL)
			b.shows(".left", "Windsurf is not running")
			b.do(chromedp.Reload()) // so that the models are missing, too
			b.shows(".meter", "Prompt credits")
			b.view("prompt")
			b.shows(".composer .told", "Windsurf")
			watchLink(b)
			signal(t, p, syscall.SIGTERM)
		}, []string{gone}},
		{"ticket_is_used_again", func(t *testing.T, _ *browser, p *program) {
			t.Helper()
			address, err := url.Parse(p.address)
			if err != nil {
				t.Fatal(err)
			}
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1:"+address.Port()+"/enter", strings.NewReader("t="+address.Fragment))
			if err != nil {
				t.Fatal(err)
			}
			r.Host = address.Host
			answer, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			if _ = answer.Body.Close(); answer.StatusCode != http.StatusForbidden {
				t.Fatalf("the ticket is good again: %s", answer.Status)
			}
		}, []string{over}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newBrowser(t)
			p := start(t, "teams_credits", "usage")
			b.enter(p)
			b.shows(".meter", "Prompt credits") // which the stream brings
			watchLink(b)
			tt.end(t, b, p)
			b.until("/ended|over/.test(document.querySelector('.link-told')?.innerText)")
			if diff := cmp.Diff(tt.want, js[[]string](b, "window.linkTold")); diff != "" {
				t.Errorf("told of the link (-want +got):\n%s", diff)
			}
			if text := b.text("body"); strings.Contains(text, "Windsurf") || !strings.Contains(text, "453 of 500 left") {
				t.Errorf("the page says:\n%s", text)
			}
			b.keep("end-" + tt.name)
		})
	}
}

// watchLink notes each sentence about the link from now on.
func watchLink(b *browser) {
	b.t.Helper()
	js[any](b, `window.linkTold = []; new MutationObserver(() => {
		const told = document.querySelector('.link-told')?.innerText;
		if (told && told !== window.linkTold.at(-1)) { window.linkTold.push(told) }
	}).observe(document.querySelector('.top'), {childList: true, subtree: true, characterData: true}); 0`)
}
