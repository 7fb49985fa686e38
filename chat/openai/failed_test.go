package openai

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/chat"
	"windsock/probe/say"
)

// retrier is a program that retries a request, whatever the response.
type retrier struct {
	*Server

	mu      sync.Mutex // guards prompts while there are several requests
	prompts int        // that reached the model
}

func newRetrier(ask asking) *retrier {
	r := &retrier{}
	counted := asking(func(ctx context.Context, p chat.Prompt, tell func(chat.Event)) (chat.Answer, error) {
		r.mu.Lock()
		r.prompts++
		r.mu.Unlock()
		return ask(ctx, p, tell)
	})
	r.Server = New(Options{
		Chat:   behind(counted, "", nil),
		Usage:  noUsage,
		Config: Config{Concurrency: 2}, Log: slog.New(slog.DiscardHandler),
	})
	return r
}

// send sends a request, past the guard and the key.
func (r *retrier) send(ctx context.Context, body string) answered {
	return r.sendTo(ctx, chatCompletions, body)
}

func (r *retrier) sendTo(ctx context.Context, d dialect, body string) answered {
	w := httptest.NewRecorder()
	request := httptest.NewRequestWithContext(ctx, http.MethodPost, completions, strings.NewReader(body))
	r.answer(w, request, d)
	return answered{w.Code, w.Header(), w.Body.String()}
}

// fails is a prompt that fails; a streamed one fails after some text.
func fails(text, cascade string, err error) asking {
	return func(_ context.Context, _ chat.Prompt, tell func(chat.Event)) (chat.Answer, error) {
		if text != "" {
			tell(grows(text))
		}
		return chat.Answer{Text: text, Ref: cascade, Sent: cascade != ""}, err
	}
}

// What failed after it may have been sent is not sent again, however often and in
// whichever form it is asked for, until a minute after the failure.
func TestFailedBefore(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"at_once": "", "in_the_stream": "Half of"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := newRetrier(fails(text, "c1", trouble{code: "turn_failed"}))
				failed := time.Now()
				if first := r.send(t.Context(), streamBody); text == "" && first.status != 502 || text != "" && !strings.Contains(first.body, "turn_failed") {
					t.Fatalf("got %+v", first)
				}
				for _, body := range []string{streamBody, helloBody, streamBody} {
					time.Sleep(19 * time.Second)
					a := r.send(t.Context(), body)
					var got map[string]faultBody
					if err := json.Unmarshal([]byte(a.body), &got); err != nil || a.status != 400 || a.header.Get("X-Should-Retry") != "false" {
						t.Fatal(a, err)
					}
					want := faultBody{
						Type: invalidRequest, Code: "failed_before",
						Message: "This prompt was not sent again, since it may have been paid for when it failed at " + failed.Format(time.TimeOnly) +
							": " + say.Sentence(trouble{code: "turn_failed"}, "") + " It will be sent again from " + failed.Add(time.Minute).Format(time.TimeOnly) + " on.",
					}
					if diff := cmp.Diff(want, got["error"]); diff != "" {
						t.Error(diff)
					}
				}
				if other := r.send(t.Context(), strings.Replace(helloBody, "hello", "hello!", 1)); r.prompts != 2 || other.status != 502 {
					t.Errorf("%d prompts, another one: %+v", r.prompts, other)
				}
				r.send(t.Context(), strings.Replace(helloBody, "gpt-5.2:high", "claude-opus-4.5", 1))
				if r.prompts != 3 {
					t.Error("another model is another prompt")
				}
				time.Sleep(3 * time.Second)
				if r.send(t.Context(), helloBody); r.prompts != 4 {
					t.Errorf("%d prompts a minute later", r.prompts)
				}
			})
		})
	}
}

// An answer that takes too long, behind a long wait for its turn, ends before the
// official libraries would give up and have it paid for again.
func TestTimesOutBeforeClients(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRetrier(func(ctx context.Context, _ chat.Prompt, _ func(chat.Event)) (chat.Answer, error) {
			<-ctx.Done()
			return chat.Answer{Ref: "c1", Sent: true}, &chat.Failure{Code: chat.TimedOut, Cause: ctx.Err()}
		})
		r.slots = make(chan struct{}, 1)
		r.slots <- struct{}{}
		time.AfterFunc(turnTime-time.Second, func() { <-r.slots })
		began := time.Now()
		if a := r.send(t.Context(), helloBody); a.status != 504 || !strings.Contains(a.body, "It has 9 minutes here.") || time.Since(began) >= 10*time.Minute-bodyTime {
			t.Errorf("got %+v after %v", a, time.Since(began))
		}
		if a := r.send(t.Context(), helloBody); a.code() != "failed_before" || r.prompts != 1 {
			t.Errorf("%d prompts, %+v", r.prompts, a)
		}
	})
}

// With tools, each prompt contains another word, and still counts as the same prompt.
func TestFailedBeforeWithTools(t *testing.T) {
	t.Parallel()
	var prompts []string
	r := newRetrier(func(ctx context.Context, p chat.Prompt, tell func(chat.Event)) (chat.Answer, error) {
		prompts = append(prompts, p.Text)
		return fails("", "c1", trouble{code: "turn_failed"})(ctx, p, tell)
	})
	body := `{"tools":[{"type":"function","function":{"name":"get_time"}}],` + helloBody[1:]
	r.send(t.Context(), body)
	if a := r.send(t.Context(), body); a.code() != "failed_before" || len(prompts) != 1 {
		t.Errorf("%d prompts, %+v", len(prompts), a)
	}
	r.send(t.Context(), strings.Replace(body, "hello", "hello!", 1))
	if len(prompts) != 2 || keyPattern.FindString(prompts[0]) == keyPattern.FindString(prompts[1]) {
		t.Errorf("the same word in %q", prompts)
	}
}

// Where nothing was sent, a moment's trouble or the client's own doing ended it, the
// same prompt is sent as often as it is asked for.
func TestFailedBeforeIsNot(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		ask  asking
	}{
		{"answered", says("Hi.")},
		{"not_sent", fails("", "", trouble{code: "turn_failed"})},
		{"busy", fails("", "c1", trouble{code: "busy"})},
		{"rate_limited", fails("", "c1", trouble{code: "rate_limited", wait: time.Hour})},
		{"switched_off", fails("", "c1", errEnding)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRetrier(tt.ask)
			for n := range 3 {
				r.send(t.Context(), helloBody)
				if r.prompts != n+1 {
					t.Fatalf("%d prompts for %d requests", r.prompts, n+1)
				}
			}
		})
	}
	gone, cancel := context.WithCancel(t.Context())
	r := newRetrier(func(context.Context, chat.Prompt, func(chat.Event)) (chat.Answer, error) {
		cancel()
		return chat.Answer{Ref: "c1", Sent: true}, context.Canceled
	})
	r.send(gone, helloBody)
	if r.send(t.Context(), helloBody); r.prompts != 2 {
		t.Errorf("after a client that went away: %d prompts", r.prompts)
	}
}

// A stream that could not be set right is not paid for twice; without stream, as
// its error proposes, the prompt is sent.
func TestFailedStream(t *testing.T) {
	t.Parallel()
	r := newRetrier(func(_ context.Context, _ chat.Prompt, tell func(chat.Event)) (chat.Answer, error) {
		tell(grows("This is the draft."))
		tell(changes("This is the text."))
		return chat.Answer{Text: "This is the text.", Ref: "c1", Sent: true}, nil
	})
	if a := r.send(t.Context(), streamBody); !strings.Contains(a.body, "answer_rewritten") {
		t.Fatal(a)
	}
	if a := r.send(t.Context(), streamBody); a.code() != "failed_before" {
		t.Error(a)
	}
	if a := r.send(t.Context(), helloBody); a.status != 200 || r.prompts != 2 {
		t.Errorf("%d prompts, %+v", r.prompts, a)
	}
}

func TestFailuresBounded(t *testing.T) {
	t.Parallel()
	var l failures
	prompt := func(n int) *job { return &job{prompt: fmt.Sprint(n)} }
	for n := range 2 * maxFailed {
		l.remember(prompt(n), &fault{final: true}, false)
	}
	if len(l.list) != maxFailed || l.refuse(prompt(maxFailed-1)) != nil || l.refuse(prompt(maxFailed)) == nil {
		t.Errorf("%d remembered, and not the latest", len(l.list))
	}
}

// What must not be tried again is not called server_error, which programs take
// for a reason to do so, also where a stream has no status.
func TestFinalErrorType(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"": "502", "Half of": "200"} {
		r := newRetrier(fails(text, "c1", trouble{code: "turn_failed"}))
		a := r.send(t.Context(), streamBody)
		if fmt.Sprint(a.status) != want || !strings.Contains(a.body, `"type":"api_error"`) {
			t.Errorf("got %+v", a)
		}
	}
	r := newRetrier(fails("", "", trouble{code: "not_running"}))
	if a := r.send(t.Context(), streamBody); !strings.Contains(a.body, `"type":"server_error"`) {
		t.Errorf("got %+v", a)
	}
}
