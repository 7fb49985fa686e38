package openai

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"windsock/chat"
)

// Switched on and off and on again, with requests under way, beside another one.
func TestService(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{}, 1)
	options := Options{
		Chat: behind(asking(func(ctx context.Context, _ chat.Prompt, _ func(chat.Event)) (chat.Answer, error) {
			asked <- struct{}{}
			<-ctx.Done()
			return chat.Answer{}, ctx.Err()
		}), "", nil),
		Usage: noUsage,
		Dir:   filepath.Join(t.TempDir(), "state"), Config: Config{Concurrency: 2}, Log: slog.New(slog.DiscardHandler),
	}
	service := NewService(options)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- service.Run(ctx) }()
	var last State
	wait := func(what string, holds func(State) bool) {
		t.Helper()
		deadline := time.After(time.Minute)
		for !holds(last) {
			select {
			case last = <-service.States():
			case <-deadline:
				t.Fatalf("not in time: %s; %+v", what, last)
			}
		}
	}
	on := Config{Concurrency: 2, Enabled: true}
	service.Configure(on)
	wait("on", func(s State) bool { return s.On && s.Port != 0 })
	key, err := readKey(options.Dir)
	if err != nil {
		t.Fatal(err)
	}
	post := func(port int) (status int) {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, fmt.Sprintf("http://127.0.0.1:%d%s", port, completions), strings.NewReader(helloBody))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+key.Reveal())
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Error(err)
			return 0
		}
		_ = response.Body.Close()
		return response.StatusCode
	}
	got := make(chan int, 1)
	port := last.Port
	go func() { got <- post(port) }()
	<-asked
	wait("a request", func(s State) bool { return s.Requests == 1 })
	service.Configure(on) // which changes nothing
	service.Configure(Config{Concurrency: 2})
	if status := <-got; status != http.StatusServiceUnavailable {
		t.Errorf("status %d", status)
	}
	wait("off", func(s State) bool { return s == State{} })

	other := run(t, says("Hi."), func(o *Options) { o.Dir = options.Dir })
	service.Configure(on)
	wait("a problem", func(s State) bool { return strings.Contains(s.Problem, "served already") })
	if err := other.stop(); err != nil {
		t.Error(err)
	}
	service.Configure(on)
	wait("on again", func(s State) bool { return s.Port != 0 && s.Problem == "" })
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if serves(options.Dir) {
		t.Error("it is served after the end")
	}
}
