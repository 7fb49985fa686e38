package window

import (
	"context"
	"testing"
	"time"

	"windsock/chat"
)

// A Show that comes while an answer of the previous window is being archived opens
// another window, and Wait waits for that one's end.
func TestWaitGoesOnWithTheNextRun(t *testing.T) {
	t.Parallel()
	began, hold := make(chan struct{}), make(chan struct{})
	f := &fake{ask: func(ctx context.Context, _, _ string, _ func(chat.Event)) (chat.Answer, error) {
		close(began)
		<-ctx.Done()
		<-hold
		return chat.Answer{}, ctx.Err()
	}}
	p := enter(t, f, nil)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	first, waiting := make(chan struct{}), make(chan struct{})
	go func() { // ends with ctx
		close(first)
		p.window.Wait(ctx)
		close(waiting)
	}()
	<-first
	p.do("POST", "/api/ask", `{"text":"hi"}`, nil)
	<-began
	p.window.mu.Lock()
	old := p.window.served
	p.window.mu.Unlock()
	old.revoke()
	if err := p.window.Show(ctx, Prompt); err != nil {
		t.Fatal(err)
	}
	close(hold)
	<-old.ended
	select {
	case <-waiting:
		t.Error("the wait ended with the window before")
	case <-time.After(50 * time.Millisecond):
	}
	cancel()
	<-waiting
}
