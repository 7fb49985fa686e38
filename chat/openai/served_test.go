package openai

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"windsock/chat"
	"windsock/chat/models"
	"windsock/probe/probetest"
)

const modelList = `{"userStatus":{"cascadeModelConfigData":{"clientModelConfigs":[
{"label":"GPT-5.2 High","modelUid":"gpt-5-2-high","maxTokens":400000,"creditMultiplier":2,"isRecommended":true},
{"label":"GPT-5.2 X-High Fast","modelUid":"gpt-5-2-xhigh-fast"},
{"label":"Claude Opus 4.5","modelUid":"claude-opus-4-5"},
{"label":"Claude Opus 4.5 Thinking","modelUid":"claude-opus-4-5-thinking"},
{"label":"Secret Model","modelUid":"MODEL_PRIVATE_7"},
{"label":"Old One","modelUid":"old-one","disabled":true}]}}}`

// asking is a fake engine.
type asking func(ctx context.Context, prompt chat.Prompt, tell func(chat.Event)) (chat.Answer, error)

func (asking) ID() string { return chat.Cascade }

func (asking) Models(context.Context) (chat.Catalogue, error) {
	return models.Decode([]byte(modelList))
}

func (a asking) Ask(ctx context.Context, prompt chat.Prompt, tell func(chat.Event)) (chat.Answer, error) {
	return a(ctx, prompt, tell)
}

func (asking) End(context.Context, string) chat.Leftover { return chat.NothingLeft }

// behind is a service of an engine; model is the default.
func behind(e chat.Engine, model string, back func(context.Context) (time.Time, string)) *chat.Service {
	return chat.NewService(chat.ServiceParts{Engine: func() (chat.Engine, error) { return e, nil }, Model: func(string) (string, error) { return model, nil }, Back: back})
}

// says answers at once.
func says(text string) asking {
	return func(_ context.Context, _ chat.Prompt, tell func(chat.Event)) (chat.Answer, error) {
		tell(chat.Event{Kind: chat.Grows, Text: text})
		return chat.Answer{Text: text, Ref: "c1", Sent: true}, nil
	}
}

// noUsage knows nothing of the plan.
func noUsage(context.Context) Usage { return Usage{} }

// now is the latest state.
func (s *Server) now() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state
}

// served is a server under test.
type served struct {
	*Server

	base, key string
	log       *probetest.Log
	stop      func() error // ends Run, and returns its error
}

func run(tb testing.TB, ask asking, change func(*Options), tune ...func(*Server)) *served {
	tb.Helper()
	book := &probetest.Log{}
	o := Options{
		Chat:   behind(ask, "", nil),
		Usage:  noUsage,
		Dir:    filepath.Join(tb.TempDir(), "state"),
		Config: Config{Concurrency: 2},
		Log:    slog.New(slog.NewTextHandler(book, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	if change != nil {
		change(&o)
	}
	told := o.Changed
	ready := make(chan int, 1)
	o.Changed = func(s State) {
		if s.Port != 0 {
			select {
			case ready <- s.Port:
			default:
			}
		}
		if told != nil {
			told(s)
		}
	}
	s := &served{Server: New(o), log: book}
	for _, do := range tune {
		do(s.Server)
	}
	ctx, cancel := context.WithCancel(tb.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	s.stop = sync.OnceValue(func() error {
		cancel()
		return <-ended
	})
	tb.Cleanup(func() {
		if err := s.stop(); err != nil {
			tb.Error(err)
		}
	})
	select {
	case port := <-ready:
		s.base = fmt.Sprintf("http://127.0.0.1:%d", port)
	case err := <-ended:
		ended <- err
		tb.Fatal(err)
	}
	key, err := readKey(o.Dir)
	if err != nil {
		tb.Fatal(err)
	}
	s.key = key.Reveal()
	return s
}

// answered is a response that was read to its end.
type answered struct {
	status int
	header http.Header
	body   string
}

func (a answered) code() string {
	var e struct{ Error struct{ Code string } }
	_ = json.Unmarshal([]byte(a.body), &e)
	return e.Error.Code
}

func (s *served) do(t *testing.T, method, path, body string) answered {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, s.base+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+s.key)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answered{response.StatusCode, response.Header, string(text)}
}

const (
	completions = "/v1/chat/completions"
	helloBody   = `{"model":"gpt-5.2:high","messages":[{"role":"user","content":"hello"}]}`
	streamBody  = `{"model":"gpt-5.2:high","stream":true,"messages":[{"role":"user","content":"hello"}]}`
)
