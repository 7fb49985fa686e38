package window

import (
	"context"
	"errors"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"windsock/chat"
	"windsock/probe/probetest"
)

// The server is there as long as it is wanted, and no longer.
func TestLife(t *testing.T) {
	t.Parallel()
	short := func(w *Window) {
		w.times.ticket, w.times.enter, w.times.leave = 50*time.Millisecond, 50*time.Millisecond, 50*time.Millisecond
		w.times.beat = 10 * time.Millisecond
	}
	t.Run("nobody_enters", func(t *testing.T) {
		t.Parallel()
		p := show(t, &fake{}, short)
		probetest.Eventually(t, "closed", func() bool { return !p.serves() })
	})
	t.Run("no_stream", func(t *testing.T) {
		t.Parallel()
		p := enter(t, &fake{}, func(w *Window) { w.times.enter = 50 * time.Millisecond })
		probetest.Eventually(t, "closed", func() bool { return !p.serves() })
	})
	t.Run("stream", func(t *testing.T) {
		t.Parallel()
		p := enter(t, &fake{}, func(w *Window) { w.times.leave, w.times.beat = 50*time.Millisecond, 10*time.Millisecond })
		lines, end := p.events("")
		for range 5 {
			next(t, lines, ":")
		}
		end()
		p.window.Wait(t.Context())
		probetest.Eventually(t, "closed", func() bool { return !p.serves() })
		if err := p.window.Show(t.Context(), Prompt); err != nil || len(p.opened) != 2 {
			t.Errorf("shown anew: %v, opened %d", err, len(p.opened))
		}
	})
}

// A page in front shows the requested view; a page behind others hands over to a
// successor, and closes.
func TestRaise(t *testing.T) {
	t.Parallel()
	p := enter(t, &fake{}, func(w *Window) { w.times.raise = patience })
	lines, _ := p.events("")
	shown := make(chan error, 1)
	ask := func(view View, answer string) {
		t.Helper()
		go func() { shown <- p.window.Show(context.WithoutCancel(t.Context()), view) }()
		next(t, lines, `{"view":"`+string(view)+`"}`)
		if got := p.do("POST", "/api/raised", answer, nil); got.status != http.StatusNoContent {
			t.Errorf("answered: %+v", got)
		}
		if err := <-shown; err != nil {
			t.Error(err)
		}
	}
	ask(Settings, `{"focused":true}`)
	if len(p.opened) != 1 {
		t.Errorf("opened %q", p.opened)
	}
	ask(Usage, `{"focused":false,"state":{"draft":"half a thought"}}`)
	if len(p.opened) != 2 || !strings.Contains(p.opened[1], p.host) {
		t.Fatalf("opened %q", p.opened)
	}
	_, ticket, _ := strings.Cut(p.opened[1], "#")
	if got := p.do("POST", "/enter", "t="+ticket, nil); got.status != http.StatusNoContent {
		t.Errorf("entered: %+v", got)
	}
	if hello := p.do("GET", "/api/hello", "", nil).body; !strings.Contains(hello, `"view":"usage"`) || !strings.Contains(hello, `"state":{"draft":"half a thought"}`) {
		t.Errorf("hello: %s", hello)
	}
	successor, _ := p.stream("?from=one&after=0", "")
	next(t, lines, "event: moved")
	next(t, lines, `{"page":"one"}`)
	next(t, successor, "usage")
	if hello := p.do("GET", "/api/hello", "", nil).body; strings.Contains(hello, "thought") {
		t.Errorf("loaded again: %s", hello)
	}
	p.window.times.raise = time.Millisecond
	if err := p.window.Show(t.Context(), Prompt); err != nil || len(p.opened) != 3 {
		t.Errorf("a page that says nothing: %v, %q", err, p.opened)
	}
	for len(successor) > 0 {
		if line := <-successor; strings.Contains(line, "moved") {
			t.Error("the successor is told to go")
		}
	}
}

// A Show while a browser is on its way starts no other one: its page shows the last
// requested view.
func TestTwoWishes(t *testing.T) {
	t.Parallel()
	p := show(t, &fake{}, nil)
	if err := p.window.Show(t.Context(), Usage); err != nil || len(p.opened) != 1 {
		t.Fatalf("wished for twice: %v, opened %d", err, len(p.opened))
	}
	if got := p.do("POST", "/enter", "t="+p.ticket(), nil); got.status != http.StatusNoContent {
		t.Fatalf("entered: %+v", got)
	}
	if hello := p.do("GET", "/api/hello", "", nil).body; !strings.Contains(hello, `"view":"usage"`) {
		t.Errorf("hello: %s", hello)
	}
	lines, end := p.events("")
	next(t, lines, "usage")
	end() // closed at once
	if err := p.window.Show(t.Context(), Prompt); err != nil || len(p.opened) != 2 {
		t.Errorf("the page was closed: %v, opened %d", err, len(p.opened))
	}
	late := show(t, &fake{}, func(w *Window) { w.times.open = 0 })
	if err := late.window.Show(t.Context(), Prompt); err != nil || len(late.opened) != 2 {
		t.Errorf("no browser came in time: %v, opened %d", err, len(late.opened))
	}
}

// A browser that did not start is not on its way.
func TestWishAfterAFailure(t *testing.T) {
	t.Parallel()
	errNoBrowser := errors.New("no browser")
	p := show(t, &fake{}, func(w *Window) {
		open, first := w.config.Open, true
		w.config.Open = func(ctx context.Context, address string) (func(), error) {
			clearAway, err := open(ctx, address)
			if !first {
				err = errNoBrowser
			}
			first = false
			return clearAway, err
		}
		w.times.open = 0
	})
	p.window.times.open = patience
	for range 2 {
		if err := p.window.Show(t.Context(), Prompt); !errors.Is(err, errNoBrowser) {
			t.Errorf("got %v", err)
		}
	}
	if len(p.opened) != 3 {
		t.Errorf("opened %d", len(p.opened))
	}
}

// The browser's start file is removed once the ticket is spent or expired, or the
// window closed.
func TestCleared(t *testing.T) {
	t.Parallel()
	t.Run("spent", func(t *testing.T) {
		t.Parallel()
		p := show(t, &fake{}, func(w *Window) { w.times.ticket, w.times.enter = time.Hour, time.Hour })
		p.do("POST", "/enter", "t=wrong", nil)
		if p.cleared() != 0 {
			t.Error("cleared before the browser came")
		}
		p.do("POST", "/enter", "t="+p.ticket(), nil)
		probetest.Eventually(t, "cleared", func() bool { return p.cleared() == 1 })
	})
	t.Run("old", func(t *testing.T) {
		t.Parallel()
		p := show(t, &fake{}, func(w *Window) { w.times.ticket = time.Millisecond })
		probetest.Eventually(t, "cleared", func() bool { return p.cleared() == 1 })
		if !p.serves() {
			t.Error("it is over")
		}
	})
	t.Run("over", func(t *testing.T) {
		t.Parallel()
		p := show(t, &fake{}, nil)
		p.window.mu.Lock()
		s := p.window.served
		p.window.mu.Unlock()
		s.close()
		<-s.ended
		if p.cleared() != 1 {
			t.Error("left behind")
		}
	})
}

// Whatever is under way, nothing is left behind.
func TestRunLeavesNothing(t *testing.T) { //nolint:paralleltest // it counts goroutines
	asking, archived := make(chan struct{}), false
	f := &fake{ask: func(ctx context.Context, _, _ string, _ func(chat.Event)) (chat.Answer, error) {
		close(asking)
		<-ctx.Done()
		archived = true
		return chat.Answer{}, ctx.Err()
	}}
	ours := func() string {
		stacks := make([]byte, 1<<20)
		return string(stacks[:runtime.Stack(stacks, true)])
	}
	t.Run("open", func(t *testing.T) {
		p := enter(t, f, nil)
		lines, _ := p.events("")
		p.do("POST", "/api/ask", `{"text":"hi"}`, nil)
		<-asking
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := p.window.Run(ctx); err != nil {
			t.Error(err)
		}
		next(t, lines, `"sentence":"Stopped."`)
		next(t, lines, `{"quit":true}`)
		if !archived || p.serves() {
			t.Errorf("archived %t, serves %t", archived, p.serves())
		}
		if err := p.window.Show(t.Context(), Prompt); !errors.Is(err, errClosed) {
			t.Errorf("shown after the end: %v", err)
		}
	})
	probetest.Eventually(t, "no goroutine left", func() bool { return !strings.Contains(ours(), "window.(*served)") })
}
