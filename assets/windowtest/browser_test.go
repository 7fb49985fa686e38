// Package windowtest tests the window's page in a real browser.
package windowtest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"windsock/probe/probetest"
)

// patience is how long something on the page may take on a machine that has much
// else to do.
const patience = time.Minute

// browser is a window of a Chromium with nothing in it from other tests.
type browser struct {
	t testing.TB
	//nolint:containedctx // chromedp keeps the tab in it
	ctx context.Context

	mu        sync.Mutex // guards addresses
	addresses []string   // of all requests
}

// chromium is a browser that runs.
type chromium struct {
	ctx     context.Context //nolint:containedctx // chromedp keeps the browser in it
	end     func() error
	profile string // its directory
	netLog  string // the file with what its network did
}

// startChromium keeps all of the browser's files in a directory.
func startChromium(dir string) (*chromium, error) {
	c := &chromium{profile: filepath.Join(dir, "profile"), netLog: filepath.Join(dir, "net.json")}
	alloc, stop := chromedp.NewExecAllocator(
		context.Background(), // so that it can be closed in order
		chromedp.ExecPath("chromium"), chromedp.UserDataDir(c.profile),
		chromedp.Flag("headless", true), chromedp.Flag("no-sandbox", true), chromedp.Flag("disable-gpu", true),
		chromedp.Flag("no-first-run", true), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true),
		chromedp.Env("TZ=UTC"), // which the expected times are of
		chromedp.Flag("log-net-log", c.netLog),
	)
	ctx, cancel := chromedp.NewContext(alloc)
	c.ctx = ctx
	c.end = sync.OnceValue(func() error {
		defer stop()
		defer cancel()
		return chromedp.Cancel(ctx)
	})
	if _, err := chromedp.Call(ctx, network.Enable, network.EnableParams{}); err != nil {
		return nil, errors.Join(err, c.end())
	}
	return c, nil
}

// endShared ends what shared has started.
var endShared = func() {}

// shared is the browser of all tests except those that examine its files.
var shared = sync.OnceValues(func() (*chromium, error) {
	dir, err := os.MkdirTemp("", "windsock-chromium")
	if err != nil {
		return nil, err
	}
	c, err := startChromium(dir)
	endShared = func() {
		if c != nil {
			_ = c.end() // it has nothing to save
		}
		_ = os.RemoveAll(dir)
	}
	return c, err
})

// newBrowser returns a window of the shared browser, in a context of its own: no
// storage, cookie or cache is another test's.
func newBrowser(tb testing.TB) *browser {
	tb.Helper()
	probetest.NeedTools(tb, "chromium")
	c, err := shared()
	if err != nil {
		tb.Fatal(err)
	}
	ctx, cancel := chromedp.NewContext(c.ctx, chromedp.WithNewBrowserContext())
	tb.Cleanup(cancel)
	b := &browser{t: tb, ctx: ctx}
	b.watch()
	return b
}

// ownBrowser returns the first window of a browser of the test's own.
func ownBrowser(t *testing.T) (*browser, *chromium) {
	t.Helper()
	probetest.NeedTools(t, "chromium")
	c, err := startChromium(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.end() }) // its outcome does not matter
	b := &browser{t: t, ctx: c.ctx}
	b.watch()
	return b, c
}

// watch notes the window's requests.
func (b *browser) watch() {
	b.t.Helper()
	if err := chromedp.Listen(b.ctx, func(event any) {
		if sent, ok := event.(*network.EventRequestWillBeSent); ok {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.addresses = append(b.addresses, sent.Request.URL)
		}
	}); err != nil {
		b.t.Fatal(err)
	}
	if _, err := chromedp.Call(b.ctx, network.Enable, network.EnableParams{}); err != nil {
		b.t.Fatal(err)
	}
	b.size(900, 760)
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

// text is the visible text of an element, "" if it is missing.
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
	b.until("((x) => x && !x.disabled && (x.click(), true))(" + find + ")") // at once: it may go a moment later
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
