package openai

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"windsock/chat"
	"windsock/probe/simulator"
)

// instant is a server without delays of its own, except those that a turn needs.
var instant = simulator.Config{Cascade: simulator.Cascade{Idle: time.Millisecond, Tick: time.Millisecond}}

// BenchmarkFirstByte is the time from the moment that Windsock has the first text
// of an answer to the moment that a client has it.
func BenchmarkFirstByte(b *testing.B) {
	var had atomic.Int64
	s := run(b, func(_ context.Context, _ chat.Prompt, tell func(chat.Event)) (chat.Answer, error) {
		had.Store(time.Now().UnixNano())
		tell(chat.Event{Kind: chat.Grows, Text: "first"})
		return chat.Answer{Text: "first", Ref: "c1", Sent: true}, nil
	}, nil)
	var passed time.Duration
	for b.Loop() {
		response := s.post(b, streamBody)
		lines := bufio.NewScanner(response.Body)
		for lines.Scan() && !strings.Contains(lines.Text(), "first") {
		}
		passed += time.Duration(time.Now().UnixNano() - had.Load())
		_, _ = io.Copy(io.Discard, response.Body)
		_ = response.Body.Close()
	}
	b.ReportMetric(float64(passed.Microseconds())/float64(b.N), "µs/first-byte")
}

// BenchmarkRequest is a whole answer of a server that answers at once, by the
// local API and as `windsock ask` has it, which looks for the server each time.
func BenchmarkRequest(b *testing.B) {
	e := startEditor(b, instant)
	b.Run("ask", func(b *testing.B) {
		for b.Loop() {
			engine := e.engine(b)
			service := behind(engine, "", nil)
			m, _, err := service.Choose(b.Context(), "claude-opus-4.5")
			if err != nil {
				b.Fatal(err)
			}
			if _, err := service.Ask(b.Context(), chat.Prompt{Text: "turn:echo", Model: m.UID}, func(chat.Event) {}); err != nil {
				b.Fatal(err)
			}
			engine.Close()
		}
	})
	s := run(b, nil, e.behind(b))
	b.Run("api", func(b *testing.B) {
		for b.Loop() {
			response := s.post(b, `{"model":"claude-opus-4.5","messages":[{"role":"user","content":"turn:echo"}]}`)
			_, _ = io.Copy(io.Discard, response.Body)
			_ = response.Body.Close()
			if response.StatusCode != http.StatusOK {
				b.Fatal(response.Status)
			}
		}
	})
}

// BenchmarkFold is the API's own work on a long conversation.
func BenchmarkFold(b *testing.B) {
	message := `{"role":"user","content":"` + strings.Repeat("word ", 2000) + `"},{"role":"assistant","content":"` + strings.Repeat("answer ", 1000) + `"},`
	body := []byte(`{"messages":[` + strings.Repeat(message, 20) + `{"role":"user","content":"?"}]}`)
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		r, wrong := decodeChat(body)
		if wrong != nil {
			b.Fatal(wrong.says)
		}
		_ = r.fold()
	}
}

func (s *served) post(tb testing.TB, body string) *http.Response {
	tb.Helper()
	request, err := http.NewRequestWithContext(tb.Context(), http.MethodPost, s.base+completions, strings.NewReader(body))
	if err != nil {
		tb.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+s.key)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		tb.Fatal(err)
	}
	return response
}
