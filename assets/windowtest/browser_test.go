// Package windowtest tests the window's page in a real browser.
package windowtest

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// patience is how long something on the page may take on a machine that has much
// else to do.
const patience = 20 * time.Second

// tool is the path of a program that a test needs. Without it the test is
// skipped, and fails in CI.
func tool(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	switch {
	case err == nil:
		return path
	case os.Getenv("CI") != "":
		t.Fatalf("%s is not installed, and CI is set", name)
	default:
		t.Skipf("%s is not installed", name)
	}
	return ""
}

// browser is a Chromium of the test's own, with a profile of its own.
type browser struct {
	t *testing.T
	//nolint:containedctx // chromedp keeps the tab in it
	ctx     context.Context
	profile string
	close   func()

	mu        sync.Mutex // guards addresses
	addresses []string   // of all requests
}

func newBrowser(t *testing.T) *browser {
	t.Helper()
	dir := t.TempDir()
	b := &browser{t: t, profile: filepath.Join(dir, "profile")}
	alloc, end := chromedp.NewExecAllocator(
		context.WithoutCancel(t.Context()), // so that it can be closed in order
		chromedp.ExecPath(tool(t, "chromium")), chromedp.UserDataDir(b.profile),
		chromedp.Flag("headless", true), chromedp.Flag("no-sandbox", true), chromedp.Flag("disable-gpu", true),
		chromedp.Flag("no-first-run", true), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true),
		chromedp.Env("TZ=UTC"), // which the expected times are of
		chromedp.Flag("log-net-log", filepath.Join(dir, "net.json")),
	)
	ctx, cancel := chromedp.NewContext(alloc)
	b.ctx = ctx
	b.close = sync.OnceFunc(func() {
		if err := chromedp.Cancel(ctx); err != nil {
			t.Logf("close browser: %v", err)
		}
		cancel()
		end()
	})
	t.Cleanup(b.close)
	if err := chromedp.Listen(ctx, func(event any) {
		if sent, ok := event.(*network.EventRequestWillBeSent); ok {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.addresses = append(b.addresses, sent.Request.URL)
		}
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Call(ctx, network.Enable, network.EnableParams{}); err != nil {
		t.Fatal(err)
	}
	b.size(900, 760)
	return b
}

func (b *browser) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		b.t.Fatalf("%v; the page says:\n%s", err, b.text("body"))
	}
}

// js evaluates an expression, a promise's too.
func js[T any](b *browser, expression string) T {
	b.t.Helper()
	got, err := evaluate[T](b, expression)
	if err != nil {
		b.t.Fatalf("evaluate %.80s: %v", expression, err)
	}
	return got
}

func evaluate[T any](b *browser, expression string) (T, error) {
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	return chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise, chromedp.EvalAsValue))
}

// text is what a person sees of an element, "" if it is not there.
func (b *browser) text(selector string) string {
	b.t.Helper()
	return js[string](b, "document.querySelector("+quote(selector)+")?.innerText ?? ''")
}

// until waits for an expression to hold.
func (b *browser) until(expression string) {
	b.t.Helper()
	for deadline := time.Now().Add(patience); ; <-time.After(20 * time.Millisecond) {
		holds, err := evaluate[bool](b, "Boolean("+expression+")") // which fails while the page goes to another
		switch {
		case err == nil && holds:
			return
		case time.Now().After(deadline):
			b.t.Fatalf("never: %s (%v)\nThe page says:\n%s", expression, err, b.text("body"))
		}
	}
}

// shows waits until an element has a text in it.
func (b *browser) shows(selector, text string) {
	b.t.Helper()
	b.until("document.querySelector(" + quote(selector) + ")?.innerText.includes(" + quote(text) + ")")
}

// press clicks the button whose label begins with a text.
func (b *browser) press(label string) {
	b.t.Helper()
	find := "[...document.querySelectorAll('button')].find((x) => x.innerText.startsWith(" + quote(label) + "))"
	b.until(find + " && !" + find + ".disabled")
	js[any](b, find+".click()")
}

// view goes to a view and waits for it.
func (b *browser) view(name string) {
	b.t.Helper()
	b.press(strings.ToUpper(name[:1]) + name[1:])
	b.until("document.querySelector('main section." + name + "')")
}

func (b *browser) size(width, height int64) {
	b.t.Helper()
	b.do(chromedp.EmulateViewport(width, height))
}

func (b *browser) scheme(name string) {
	b.t.Helper()
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}, {Name: "prefers-reduced-motion", Value: "reduce"}},
	}); err != nil {
		b.t.Fatal(err)
	}
}

// keep writes a picture of the window where somebody wants them.
func (b *browser) keep(name string) {
	b.t.Helper()
	dir := os.Getenv("WINDSOCK_SCREENSHOTS")
	if dir == "" {
		return
	}
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	picture, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err != nil {
		b.t.Fatal(err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "window-"+name+".png"), picture, 0o600); err != nil {
		b.t.Fatal(err)
	}
}

func (b *browser) requests() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]string(nil), b.addresses...)
}
