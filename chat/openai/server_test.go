package openai

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/chat"
	"windsock/probe/probetest"
)

// 50 requests at a limit of 2: never more at once, and each is answered without a
// request to retry.
func TestConcurrency(t *testing.T) {
	t.Parallel()
	var now, most, begun, answers, seen atomic.Int32
	two := make(chan struct{}) // closed once two have begun: the first waits for the second
	s := run(t, func(ctx context.Context, p chat.Prompt, tell func(chat.Event)) (chat.Answer, error) {
		n := now.Add(1)
		defer now.Add(-1)
		for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
		}
		if begun.Add(1) == 2 {
			close(two)
		}
		select {
		case <-two:
		case <-ctx.Done():
		}
		return says("Hi.")(ctx, p, tell)
	}, func(o *Options) {
		o.Changed = func(st State) {
			if int32(st.Requests) > seen.Load() {
				seen.Store(int32(st.Requests))
			}
		}
	})
	var group sync.WaitGroup
	for i := range 50 {
		group.Go(func() {
			body := helloBody
			if i%2 == 0 {
				body = streamBody
			}
			if a := s.do(t, http.MethodPost, completions, body); a.status == 200 && strings.Contains(a.body, "Hi.") {
				answers.Add(1)
			} else {
				t.Errorf("got %d: %s", a.status, a.body)
			}
		})
	}
	group.Wait()
	if answers.Load() != 50 || most.Load() != 2 || seen.Load() != 2 || s.now().Requests != 0 {
		t.Errorf("%d answers, %d at once, %d seen, %+v", answers.Load(), most.Load(), seen.Load(), s.now())
	}
}

// A client that goes away ends its prompt, and its slot is free again.
func TestClientGone(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{"whole": helloBody, "stream": streamBody} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked, ended := make(chan struct{}), make(chan error, 1)
			s := run(t, func(ctx context.Context, _ chat.Prompt, tell func(chat.Event)) (chat.Answer, error) {
				tell(chat.Event{Kind: chat.Grows, Text: "Half"})
				close(asked)
				<-ctx.Done()
				ended <- ctx.Err()
				return chat.Answer{Ref: "c1", Sent: true}, ctx.Err()
			}, nil)
			ctx, cancel := context.WithCancel(t.Context())
			request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.base+completions, strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			request.Header.Set("Authorization", "Bearer "+s.key)
			go func() {
				<-asked
				cancel()
			}()
			response, err := http.DefaultClient.Do(request)
			if err == nil {
				_, err = io.ReadAll(response.Body)
				_ = response.Body.Close()
			}
			if !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
			if err := <-ended; !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
			probetest.Eventually(t, "the slot is free", func() bool { return s.now().Requests == 0 })
			probetest.Eventually(t, "it is in the log", func() bool { return strings.Contains(s.log.String(), "code=client_gone") })
		})
	}
}

// The end of the server ends the prompts, tells the clients, and leaves the key
// and nothing else.
func TestStop(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{})
	s := run(t, func(ctx context.Context, _ chat.Prompt, _ func(chat.Event)) (chat.Answer, error) {
		close(asked)
		<-ctx.Done()
		return chat.Answer{Ref: "c1", Sent: true}, ctx.Err()
	}, nil)
	if port, ok := readPort(s.Dir); !ok || s.base != fmt.Sprintf("http://127.0.0.1:%d", port) || !serves(s.Dir) {
		t.Errorf("port %d, %t", port, ok)
	}
	stopped := make(chan error, 1)
	go func() {
		<-asked
		stopped <- s.stop()
	}()
	if a := s.do(t, http.MethodPost, completions, helloBody); a.status != 503 || a.code() != "stopping" {
		t.Errorf("got %d: %s", a.status, a.body)
	}
	if err := <-stopped; err != nil {
		t.Error(err)
	}
	if _, ok := readPort(s.Dir); ok || serves(s.Dir) {
		t.Error("the port is still told")
	}
	if key, err := readKey(s.Dir); err != nil || key.Reveal() != s.key {
		t.Error("the key is gone:", err)
	}
	if diff := cmp.Diff(State{}, s.now()); diff != "" {
		t.Error(diff)
	}
}

// Neither the key, nor prompts, answers or a client's inventions get into the log.
func TestLog(t *testing.T) {
	t.Parallel()
	s := run(t, says("ANSWER-SECRET"), nil)
	s.do(t, http.MethodPost, completions, strings.ReplaceAll(helloBody, "hello", "PROMPT-SECRET"))
	s.do(t, http.MethodPost, completions, `{"model":"XYZZYSECRET","messages":[{"role":"user","content":"x"}]}`)
	s.do(t, http.MethodGet, "/v1/"+s.key+"?key="+s.key, "")
	s.do(t, "SECRETMETHOD", "/v1/models/PATH-SECRET", "BODY-SECRET")
	s.key = "wrong-" + s.key
	s.do(t, http.MethodGet, "/v1/models", "")
	probetest.Eventually(t, "five lines", func() bool { return strings.Count(s.log.String(), "local API request") == 5 })
	text := s.log.String()
	for _, secret := range []string{"SECRET", s.key, strings.TrimPrefix(s.key, "wrong-"), s.Dir} {
		if strings.Contains(text, secret) {
			t.Errorf("%q in\n%s", secret, text)
		}
	}
	for _, want := range []string{"method=POST route=/v1/chat/completions status=200", "code=model_not_found", "route=other status=404", "method=other", "status=401"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

func TestHandlerBreaks(t *testing.T) {
	t.Parallel()
	s := run(t, func(context.Context, chat.Prompt, func(chat.Event)) (chat.Answer, error) { panic("SECRET") }, nil)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.base+completions, strings.NewReader(helloBody))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+s.key)
	if response, err := http.DefaultClient.Do(request); err == nil {
		_ = response.Body.Close()
		if response.StatusCode != 500 {
			t.Error(response.Status)
		}
	}
	probetest.Eventually(t, "the slot is free", func() bool { return s.now().Requests == 0 })
	if strings.Contains(s.log.String(), "SECRET") {
		t.Error(s.log.String())
	}
}

// A stream that breaks is written no more: net/http has taken its connection apart.
func TestStreamBreaks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := httptest.NewRecorder()
		r := newRetrier(func(context.Context, chat.Prompt, func(chat.Event)) (chat.Answer, error) {
			time.Sleep(heartbeat + time.Second)
			panic("broken")
		})
		func() {
			defer func() { _ = recover() }()
			r.answer(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, completions, strings.NewReader(streamBody)), chatCompletions)
		}()
		before := w.Body.Len()
		time.Sleep(3 * heartbeat)
		if after := w.Body.Len(); after != before || before == 0 {
			t.Fatalf("%d bytes, then %d", before, after)
		}
	})
}

// A slow client that has kept its connection is served after as before.
func TestKeptConnection(t *testing.T) {
	t.Parallel()
	s := run(t, says("Hi."), nil)
	c, err := net.Dial("tcp", strings.TrimPrefix(s.base, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for range 3 {
		fmt.Fprintf(c, "GET /health HTTP/1.1\r\nHost: %s\r\n\r\n", strings.TrimPrefix(s.base, "http://"))
		buffer := make([]byte, 4096)
		if n, err := c.Read(buffer); err != nil || !strings.HasPrefix(string(buffer[:n]), "HTTP/1.1 200") {
			t.Fatal(string(buffer[:n]), err)
		}
	}
}
