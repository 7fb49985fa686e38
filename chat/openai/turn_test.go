package openai

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"windsock/chat"
)

// queue is a Server whose answers take a time, in a bubble.
type queue struct {
	*retrier

	order []string // the prompts, as they reached the model
}

func newQueue(each time.Duration) *queue {
	q := &queue{}
	q.retrier = newRetrier(func(ctx context.Context, p chat.Prompt, tell func(chat.Event)) (chat.Answer, error) {
		q.mu.Lock()
		q.order = append(q.order, p.Text)
		q.mu.Unlock()
		select {
		case <-time.After(each):
			return says("Hi.")(ctx, p, tell)
		case <-ctx.Done():
			return chat.Answer{Ref: "c1", Sent: true}, ctx.Err()
		}
	})
	return q
}

// ask sends a prompt, and is there when nothing happens any more.
func (q *queue) ask(ctx context.Context, prompt string) <-chan answered {
	got := make(chan answered, 1)
	go func() { got <- q.send(ctx, strings.Replace(helloBody, "hello", prompt, 1)) }()
	synctest.Wait()
	return got
}

// Requests beyond the concurrency wait, and are answered in the order in which they
// came.
func TestTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(5 * time.Second)
		q.slots = make(chan struct{}, 1)
		began := time.Now()
		var all []<-chan answered
		var want []string
		for n := range 6 {
			want = append(want, fmt.Sprint("prompt ", n))
			all = append(all, q.ask(t.Context(), want[n]))
		}
		if len(q.order) != 1 || q.now().Requests != 1 {
			t.Errorf("what waits has begun: %q, %+v", q.order, q.now())
		}
		for n, got := range all {
			if a := <-got; a.status != 200 || time.Since(began) != time.Duration(n+1)*5*time.Second {
				t.Errorf("request %d after %v: %+v", n, time.Since(began), a)
			}
		}
		if !slices.Equal(q.order, want) {
			t.Errorf("order %q", q.order)
		}
	})
}

// A request that has waited for half a minute gets the advice to retry. One whose
// client leaves, or whose server ends, stops waiting. None of them was sent, and none
// keeps a slot.
func TestTurnsThatDoNotCome(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(time.Minute)
		first, second := q.ask(t.Context(), "first"), q.ask(t.Context(), "second")
		began := time.Now()
		patient := q.ask(t.Context(), "patient")
		gone, leave := context.WithCancel(t.Context())
		impatient := q.ask(gone, "impatient")
		requests, stop := context.WithCancelCause(t.Context())
		stopped := q.ask(requests, "stopped")

		time.Sleep(time.Second)
		leave()
		stop(errStopping)
		if a := <-impatient; a.status != statusGone || time.Since(began) != time.Second {
			t.Errorf("a client that is gone after %v: %+v", time.Since(began), a)
		}
		if a := <-stopped; a.code() != "stopping" || time.Since(began) != time.Second {
			t.Errorf("the end of the server after %v: %+v", time.Since(began), a)
		}
		if a := <-patient; a.status != 429 || a.code() != "concurrency_limit" || a.header.Get("Retry-After") != "1" || time.Since(began) != 30*time.Second {
			t.Errorf("after %v: %+v", time.Since(began), a)
		}
		for _, got := range []<-chan answered{first, second, q.ask(t.Context(), "first again")} {
			if a := <-got; a.status != 200 && a.status != 429 {
				t.Errorf("got %+v", a)
			}
		}
		if a := <-q.ask(t.Context(), "last"); a.status != 200 || !slices.Equal(q.order, []string{"first", "second", "last"}) {
			t.Errorf("got %+v, asked %q", a, q.order)
		}
	})
}

// The number of waiting requests is limited, so that connections are left for others.
func TestTurnsAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(time.Second)
		var all []<-chan answered
		for n := range 2 + maxWaiting {
			all = append(all, q.ask(t.Context(), fmt.Sprint("prompt ", n)))
		}
		began := time.Now()
		if a := <-q.ask(t.Context(), "one more"); a.code() != "concurrency_limit" || time.Since(began) != 0 {
			t.Errorf("got %+v after %v", a, time.Since(began))
		}
		answers := 0
		for _, got := range all {
			if a := <-got; a.status == 200 {
				answers++
			}
		}
		if answers < 60 || q.waiting.Load() != 0 {
			t.Errorf("%d answers, %d wait", answers, q.waiting.Load())
		}
	})
}

// The bytes of all requests are limited, until each has its answer.
func TestHeldBytesAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(time.Second)
		before := int64(maxHeld - 2*len(helloBody))
		q.held.Store(before)
		first, second := q.ask(t.Context(), "hello"), q.ask(t.Context(), "world")
		if a := <-q.ask(t.Context(), "third"); a.status != 429 || a.code() != "requests_too_large" || a.header.Get("Retry-After") != "1" {
			t.Errorf("got %+v", a)
		}
		for _, got := range []<-chan answered{first, second} {
			if a := <-got; a.status != 200 {
				t.Errorf("got %+v", a)
			}
		}
		if a := <-q.ask(t.Context(), "again"); a.status != 200 || !slices.Equal(q.order, []string{"hello", "world", "again"}) {
			t.Errorf("got %+v, asked %q", a, q.order)
		}
		if got := q.held.Load(); got != before {
			t.Errorf("%d bytes are held", got-before)
		}
	})
}

// Bodies are decoded one at a time.
func TestDecodesOneAtATime(t *testing.T) {
	t.Parallel()
	r := newRetrier(says("Hi."))
	var now, most atomic.Int32
	d := chatCompletions
	d.decode = func(_ *Server, body []byte) (request, *fault) {
		most.Store(max(most.Load(), now.Add(1)))
		defer now.Add(-1)
		for range 1000 {
			runtime.Gosched()
		}
		return decodeChat(body)
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() { r.sendTo(t.Context(), d, helloBody) })
	}
	all.Wait()
	if most.Load() != 1 {
		t.Errorf("%d at once", most.Load())
	}
}

// If the first of two equal simultaneous prompts fails, the second one is not paid
// for.
func TestFailedWhileWaiting(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRetrier(func(context.Context, chat.Prompt, func(chat.Event)) (chat.Answer, error) {
			time.Sleep(time.Second)
			return chat.Answer{Ref: "c1", Sent: true}, trouble{code: "turn_failed"}
		})
		r.slots = make(chan struct{}, 1)
		q := &queue{retrier: r}
		first, second := q.ask(t.Context(), "same"), q.ask(t.Context(), "same")
		if a := <-first; a.code() != "turn_failed" {
			t.Errorf("got %+v", a)
		}
		if a := <-second; a.code() != "failed_before" || r.prompts != 1 {
			t.Errorf("%d prompts, %+v", r.prompts, a)
		}
	})
}
