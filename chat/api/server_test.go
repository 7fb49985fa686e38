package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"windsock/chat"
)

const modelList = `{"userStatus":{"cascadeModelConfigData":{"clientModelConfigs":[
{"label":"GPT-5.2 High","modelUid":"gpt-5-2-high","maxTokens":400000,"creditMultiplier":2,"isRecommended":true},
{"label":"GPT-5.2 X-High Fast","modelUid":"gpt-5-2-xhigh-fast"},
{"label":"Claude Opus 4.5","modelUid":"claude-opus-4-5"},
{"label":"Claude Opus 4.5 Thinking","modelUid":"claude-opus-4-5-thinking"},
{"label":"Secret Model","modelUid":"MODEL_PRIVATE_7"},
{"label":"Old One","modelUid":"old-one","disabled":true}]}}}`

// asking is a fake Asker.
type asking func(ctx context.Context, prompt chat.Prompt, tell func(chat.Event)) (chat.Answer, error)

func (a asking) Ask(ctx context.Context, prompt chat.Prompt, _ *chat.Queue, tell func(chat.Event), _ *slog.Logger) (chat.Answer, error) {
	return a(ctx, prompt, tell)
}

// says answers at once.
func says(text string) asking {
	return func(_ context.Context, _ chat.Prompt, tell func(chat.Event)) (chat.Answer, error) {
		tell(chat.Event{Kind: chat.Grows, Text: text})
		return chat.Answer{Text: text, CascadeID: "c1", Archived: true}, nil
	}
}

// logBook is a log that can be read while it is written.
type logBook struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logBook) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logBook) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// served is a server under test.
type served struct {
	*Server

	base, key string
	log       *logBook
	stop      func() error // ends Run, and returns its error
}

func run(tb testing.TB, ask asking, change func(*Options), tune ...func(*Server)) *served {
	tb.Helper()
	book := &logBook{}
	o := Options{
		Connect: func(context.Context) (Connection, error) {
			return Connection{
				Client: ask, Status: []byte(modelList), Close: func() {},
				Refresh: func(context.Context) ([]byte, error) { return []byte(modelList), nil },
			}, nil
		},
		Usage:  func(context.Context) ([]byte, error) { return []byte(`{"schema":1}`), nil },
		Model:  func() string { return "" },
		Dir:    filepath.Join(tb.TempDir(), "state"),
		Config: Config{Concurrency: 2},
		Log:    slog.New(slog.NewTextHandler(book, &slog.HandlerOptions{Level: slog.LevelDebug})),
	}
	if change != nil {
		change(&o)
	}
	told := o.Changed
	ready := make(chan int, 1)
	o.Changed = func(s Status) {
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

// eventually polls until it holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !holds(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not in time: %s", what)
		}
	}
}

func TestCompletion(t *testing.T) {
	t.Parallel()
	var got chat.Prompt
	s := run(t, func(ctx context.Context, prompt chat.Prompt, tell func(chat.Event)) (chat.Answer, error) {
		got = prompt
		return says("Hi.")(ctx, prompt, tell)
	}, nil)
	a := s.do(t, http.MethodPost, completions, `{"temperature":1,`+helloBody[1:])
	var c completion
	if err := json.Unmarshal([]byte(a.body), &c); err != nil || a.status != 200 {
		t.Fatal(a, err)
	}
	text, stop := "Hi.", "stop"
	want := completion{
		ID: c.ID, Object: "chat.completion", Created: c.Created, Model: "gpt-5.2:high",
		Choices:  []answerPart{{Message: &reply{Role: "assistant", Content: &text}, FinishReason: &stop}},
		Warnings: []string{"Without effect: temperature."}, Windsock: &account{CascadeID: "c1", Archived: true},
	}
	if diff := cmp.Diff(want, c); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(chat.Prompt{Text: "hello", Model: "gpt-5-2-high"}, got); diff != "" {
		t.Error(diff)
	}
	if got := a.header.Get("Windsock-Ignored"); got != "temperature" {
		t.Errorf("ignored %q", got)
	}
	if strings.Contains(a.body, `"usage"`) {
		t.Error("tokens that nobody has counted")
	}
}

// What a model that does not comply comes to, and one that does.
func TestConclusions(t *testing.T) {
	t.Parallel()
	const tools = `"tools":[{"type":"function","function":{"name":"get_time"}}],`
	const callText = `{"tool_calls":[{"name":"get_time","arguments":{"zone":"UTC"}},{"name":"get_time","arguments":{}}]}`
	tests := []struct {
		name, fields, text string
		content            string // "null" is none
		calls              int
		reason, warning    string
	}{
		{"calls", tools, "I look.\n" + callText, "I look.", 2, "tool_calls", ""},
		{"calls_only", tools, callText, "null", 2, "tool_calls", ""},
		{"one_call_is_wanted", tools + `"parallel_tool_calls":false,`, callText, "null", 1, "tool_calls", "several tools"},
		{"no_call", tools, "It is noon.", "It is noon.", 0, "stop", ""},
		{"call_was_demanded", tools + `"tool_choice":"required",`, "It is noon.", "It is noon.", 0, "stop", "called no tool"},
		{"tools_are_off", tools + `"tool_choice":"none",`, callText, callText, 0, "stop", ""},
		{"json", `"response_format":{"type":"json_object"},`, "```json\n{\"a\":1}\n```", `{"a":1}`, 0, "stop", ""},
		{"json_was_demanded", `"response_format":{"type":"json_object"},`, "no", "no", 0, "stop", "no JSON object"},
		{"json_or_call", tools + `"response_format":{"type":"json_object"},`, callText, "null", 2, "tool_calls", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := run(t, says(tt.text), nil)
			for _, body := range []string{helloBody, streamBody} {
				a := s.do(t, http.MethodPost, completions, "{"+tt.fields+body[1:])
				var got completion
				if strings.HasPrefix(a.body, "data:") {
					got = assemble(t, a.body)
				} else if err := json.Unmarshal([]byte(a.body), &got); err != nil {
					t.Fatal(err)
				}
				part := got.Choices[0]
				content := "null"
				if part.Message.Content != nil {
					content = *part.Message.Content
				}
				if content != tt.content || len(part.Message.Calls) != tt.calls || *part.FinishReason != tt.reason {
					t.Errorf("got %q, %d calls, %s\n%s", content, len(part.Message.Calls), *part.FinishReason, a.body)
				}
				if all := strings.Join(got.Warnings, " "); !strings.Contains(all, tt.warning) || (all == "") != (tt.warning == "") {
					t.Errorf("warnings %q", all)
				}
			}
		})
	}
}

// assemble puts a stream together as a client does.
func assemble(t *testing.T, body string) completion {
	t.Helper()
	whole := completion{Choices: []answerPart{{Message: &reply{}}}}
	message := whole.Choices[0].Message
	for _, event := range events(t, body) {
		var chunk completion
		if err := json.Unmarshal([]byte(event), &chunk); err != nil {
			t.Fatal(err)
		}
		delta := chunk.Choices[0].Delta
		if delta.Content != nil && *delta.Content != "" {
			text := *delta.Content
			if message.Content != nil {
				text = *message.Content + text
			}
			message.Content = &text
		}
		message.Calls = append(message.Calls, delta.Calls...)
		whole.Warnings = append(whole.Warnings, chunk.Warnings...)
		if chunk.Choices[0].FinishReason != nil {
			whole.Choices[0].FinishReason = chunk.Choices[0].FinishReason
		}
	}
	return whole
}

// events are the data of a stream, which has to end as one.
func events(t *testing.T, body string) []string {
	t.Helper()
	var found []string
	for event := range strings.SplitSeq(strings.TrimSuffix(body, "\n\n"), "\n\n") {
		data, ok := strings.CutPrefix(event, "data: ")
		if !ok && !strings.HasPrefix(event, ":") || strings.Contains(data, "\n") {
			t.Fatalf("event %q", event)
		}
		if ok {
			found = append(found, data)
		}
	}
	last := len(found) - 1
	if found[last] != "[DONE]" {
		t.Fatalf("ends with %q", found[last])
	}
	return found[:last]
}

// trouble is an error as packages probe and chat have it.
type trouble struct {
	code string
	wait time.Duration
}

func (e trouble) Error() string       { return e.code }
func (e trouble) Code() string        { return e.code }
func (e trouble) Sentence() string    { return "Something is amiss: " + e.code + "." }
func (e trouble) Wait() time.Duration { return e.wait }

func TestFaults(t *testing.T) {
	t.Parallel()
	reset := time.Now().Add(90 * time.Minute).UTC().Truncate(time.Second)
	tests := []struct {
		code   string
		wait   time.Duration
		sent   bool // a prompt may have left
		status int
		retry  string // Retry-After
		again  bool   // a client may try again by itself
	}{
		{code: "not_running", status: 503, retry: "5", again: true},
		{code: "no_token", status: 503, retry: "5", again: true},
		{code: "no_port", status: 503, retry: "5", again: true},
		{code: "not_signed_in", status: 503, retry: "5"},
		{code: "rejected", status: 503, retry: "5"},
		{code: "bad_response", status: 502},
		{code: "timeout", sent: true, status: 504},
		{code: "quota_exhausted", wait: 90 * time.Second, status: 429, retry: "90"},
		{code: "quota_exhausted", status: 429, retry: "until the reset"},
		{code: "rate_limited", wait: 20 * time.Second, status: 429, retry: "20", again: true},
		{code: "rate_limited", wait: time.Hour, status: 429, retry: "3600"},
		{code: "model_not_in_plan", sent: true, status: 403},
		{code: "editor_outdated", sent: true, status: 503},
		{code: "busy", status: 503, retry: "1"},
		{code: "cascade_off", status: 501},
		{code: "server_gone", sent: true, status: 502},
		{code: "turn_failed", sent: true, status: 502},
		{code: "something_new", status: 502, again: true},
		{code: "something_new", sent: true, status: 502},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprint(tt.code, tt.wait, tt.sent), func(t *testing.T) {
			t.Parallel()
			s := run(t, func(context.Context, chat.Prompt, func(chat.Event)) (chat.Answer, error) {
				var a chat.Answer
				if tt.sent {
					a.CascadeID = "c1"
				}
				return a, fmt.Errorf("ask: %w", trouble{tt.code, tt.wait})
			}, func(o *Options) {
				o.Usage = func(context.Context) ([]byte, error) {
					return []byte(`{"binding":"daily","meters":[{"id":"weekly","state":"exhausted","resets_at":"2999-01-01T00:00:00Z"},
						{"id":"daily","state":"exhausted","resets_at":"` + reset.Format(time.RFC3339) + `"}]}`), nil
				}
			})
			for _, body := range []string{helloBody, strings.Replace(streamBody, "hello", "another", 1)} {
				a := s.do(t, http.MethodPost, completions, body)
				if a.status != tt.status || a.code() != tt.code || (a.header.Get("X-Should-Retry") != "false") != tt.again {
					t.Errorf("got %d, %q, %v", a.status, a.code(), a.header)
				}
				got := a.header.Get("Retry-After")
				if n, err := strconv.Atoi(got); err == nil && n > 5340 && n <= 5400 {
					got = "until the reset"
				}
				if got != tt.retry {
					t.Errorf("retry after %q, want %q", got, tt.retry)
				}
				if tt.code == "quota_exhausted" && tt.wait == 0 && !strings.Contains(a.body, reset.Format(time.RFC3339)) {
					t.Errorf("no reset: %s", a.body)
				}
			}
		})
	}
}

func TestRequestsRefused(t *testing.T) {
	t.Parallel()
	s := run(t, says("Hi."), nil)
	tests := []struct {
		name, method, path, body string
		status                   int
		code, says               string
	}{
		{"unknown_model", "POST", completions, `{"model":"opus 9","messages":[{"role":"user","content":"x"}]}`, 404, "model_not_found", "Claude Opus 4.5"},
		{"ambiguous_model", "POST", completions, `{"model":"gpt","messages":[{"role":"user","content":"x"}]}`, 400, "ambiguous_model", "GPT-5.2 High"},
		{"disabled_model", "POST", completions, `{"model":"old-one","messages":[{"role":"user","content":"x"}]}`, 403, "disabled_model", "Old One"},
		{"no_json", "POST", completions, `hello`, 400, "invalid_value", ""},
		{"too_large", "POST", completions, strings.Repeat("x", maxBody+1), 413, "request_too_large", ""},
		{"too_long", "POST", completions, `{"messages":[{"role":"user","content":"` + strings.Repeat("x", chat.MaxPrompt+1) + `"}]}`, 400, "context_length_exceeded", ""},
		{"other_method", "GET", completions, "", 405, "method_not_allowed", "POST"},
		{"other_path", "POST", "/v1/embeddings", "{}", 404, "not_found", "/v1/chat/completions"},
		{"responses", "POST", "/v1/responses", "{}", 404, "not_found", "useResponsesApi: false"},
		{"response", "GET", "/v1/responses/resp_1", "", 404, "not_found", "Chat Completions alone"},
		{"old_completions", "POST", "/v1/completions", "{}", 404, "not_found", "Chat Completions alone"},
		{"other_api", "POST", "/v1/messages", "{}", 404, "not_found", "Chat Completions alone"},
		{"other_model", "GET", "/v1/models/opus-9", "", 404, "model_not_found", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := s.do(t, tt.method, tt.path, tt.body)
			if a.status != tt.status || a.code() != tt.code || !strings.Contains(a.body, tt.says) {
				t.Errorf("got %d: %s", a.status, a.body)
			}
		})
	}
}

func TestModels(t *testing.T) {
	t.Parallel()
	s := run(t, says("Hi."), func(o *Options) { o.Model = func() string { return "opus 4.5" } })
	var list struct{ Data []modelEntry }
	if err := json.Unmarshal([]byte(s.do(t, http.MethodGet, "/v1/models", "").body), &list); err != nil {
		t.Fatal(err)
	}
	two := 2.0
	want := []modelEntry{
		{ID: "gpt-5.2:high", Object: "model", OwnedBy: "openai", Label: "GPT-5.2 High", UID: "gpt-5-2-high", ContextLength: 400000, CreditMultiplier: &two},
		{ID: "gpt-5.2:xhigh-fast", Object: "model", OwnedBy: "openai", Label: "GPT-5.2 X-High Fast", UID: "gpt-5-2-xhigh-fast"},
		{ID: "claude-opus-4.5", Object: "model", OwnedBy: "anthropic", Label: "Claude Opus 4.5", UID: "claude-opus-4-5", Default: true},
		{ID: "claude-opus-4.5:thinking", Object: "model", OwnedBy: "anthropic", Label: "Claude Opus 4.5 Thinking", UID: "claude-opus-4-5-thinking"},
		{ID: "secret-model", Object: "model", OwnedBy: "windsurf", Label: "Secret Model"},
	}
	if diff := cmp.Diff(want, list.Data); diff != "" {
		t.Error(diff)
	}
	for _, name := range []string{"gpt-5.2:high", "gpt-5-2-high", "GPT-5.2%20High"} {
		if a := s.do(t, http.MethodGet, "/v1/models/"+name, ""); a.status != 200 || !strings.Contains(a.body, `"id":"gpt-5.2:high"`) {
			t.Errorf("%s: %s", name, a.body)
		}
	}
}

// 50 requests at a limit of 2: never more at once, each is answered or told to
// come again, and with patience all are answered.
func TestConcurrency(t *testing.T) {
	t.Parallel()
	var now, most, answers, refusals atomic.Int32
	var seen atomic.Int32
	refused := make(chan struct{})
	refuse := sync.OnceFunc(func() { close(refused) })
	s := run(t, func(ctx context.Context, p chat.Prompt, tell func(chat.Event)) (chat.Answer, error) {
		n := now.Add(1)
		defer now.Add(-1)
		for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
		}
		select {
		case <-refused: // which nobody is before there are two
		case <-ctx.Done():
		}
		return says("Hi.")(ctx, p, tell)
	}, func(o *Options) {
		o.Changed = func(st Status) {
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
			for {
				a := s.do(t, http.MethodPost, completions, body)
				if a.status == 200 && strings.Contains(a.body, "Hi.") {
					answers.Add(1)
					return
				}
				if a.status != 429 || a.code() != "concurrency_limit" || a.header.Get("Retry-After") != "1" {
					t.Errorf("got %d: %s", a.status, a.body)
					return
				}
				refusals.Add(1)
				refuse()
			}
		})
	}
	group.Wait()
	if answers.Load() != 50 || most.Load() != 2 || refusals.Load() == 0 || seen.Load() != 2 || s.Status().Requests != 0 {
		t.Errorf("%d answers, %d at once, %d refusals, %d seen, %+v", answers.Load(), most.Load(), refusals.Load(), seen.Load(), s.Status())
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
				return chat.Answer{CascadeID: "c1"}, ctx.Err()
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
			eventually(t, "the slot is free", func() bool { return s.Status().Requests == 0 })
			eventually(t, "it is in the log", func() bool { return strings.Contains(s.log.String(), "code=client_gone") })
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
		return chat.Answer{CascadeID: "c1"}, ctx.Err()
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
	if diff := cmp.Diff(Status{}, s.Status()); diff != "" {
		t.Error(diff)
	}
}

// Neither the key, nor what is asked, answered or made up by a client gets into
// the log.
func TestLog(t *testing.T) {
	t.Parallel()
	s := run(t, says("ANSWER-SECRET"), nil)
	s.do(t, http.MethodPost, completions, strings.ReplaceAll(helloBody, "hello", "PROMPT-SECRET"))
	s.do(t, http.MethodPost, completions, `{"model":"XYZZYSECRET","messages":[{"role":"user","content":"x"}]}`)
	s.do(t, http.MethodGet, "/v1/"+s.key+"?key="+s.key, "")
	s.do(t, "SECRETMETHOD", "/v1/models/PATH-SECRET", "BODY-SECRET")
	s.key = "wrong-" + s.key
	s.do(t, http.MethodGet, "/v1/models", "")
	eventually(t, "five lines", func() bool { return strings.Count(s.log.String(), "local API request") == 5 })
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
	eventually(t, "the slot is free", func() bool { return s.Status().Requests == 0 })
	if strings.Contains(s.log.String(), "SECRET") {
		t.Error(s.log.String())
	}
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

func TestUsage(t *testing.T) {
	t.Parallel()
	var failure error
	report := `{"schema":1,"meters":[]}`
	s := run(t, says("Hi."), func(o *Options) {
		o.Usage = func(context.Context) ([]byte, error) { return []byte(report), failure }
	})
	if a := s.do(t, http.MethodGet, "/v1/usage", ""); a.status != 200 || strings.TrimSpace(a.body) != report {
		t.Error(a)
	}
	failure = errors.New("no figures")
	report = `{"schema":1,"meters":[],"problems":[{"code":"not_running","message":"Start it."}]}`
	if a := s.do(t, http.MethodGet, "/v1/usage", ""); a.status != 503 || strings.TrimSpace(a.body) != report {
		t.Error(a)
	}
	report, failure = "", trouble{code: "not_running"}
	if a := s.do(t, http.MethodGet, "/v1/usage", ""); a.status != 503 || a.code() != "not_running" {
		t.Error(a)
	}
}

// The server is looked for once, and again when it does not answer any more.
func TestUpstream(t *testing.T) {
	t.Parallel()
	var connects, refreshes, closes int
	var broken bool
	u := newUpstream(func(context.Context) (Connection, error) {
		connects++
		return Connection{
			Client: says("Hi."), Status: []byte(modelList), Close: func() { closes++ },
			Refresh: func(context.Context) ([]byte, error) {
				refreshes++
				if broken {
					return nil, errors.New("gone")
				}
				return []byte(modelList), nil
			},
		}, nil
	})
	get := func(age time.Duration) {
		t.Helper()
		if _, all, err := u.get(t.Context(), age); err != nil || len(all.Models) != 6 {
			t.Fatal(len(all.Models), err)
		}
	}
	get(time.Hour)
	get(time.Hour)
	get(0)
	u.distrust(errors.New("x"))
	get(time.Hour)
	broken = true
	get(0)
	u.close()
	if connects != 2 || refreshes != 3 || closes != 2 {
		t.Errorf("%d connects, %d refreshes, %d closes", connects, refreshes, closes)
	}
}

func TestKeyFile(t *testing.T) {
	t.Parallel()
	write := func(dir, text string, mode os.FileMode) {
		t.Helper()
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, keyName), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(filepath.Join(dir, keyName), mode); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		name, text string
		mode       os.FileMode
		want       error
	}{
		{"own", "a-key-of-my-own-choice\n", 0o600, nil},
		{"open_to_others", "a-key-of-my-own-choice", 0o640, errOpenKey},
		{"empty", "", 0o600, errBadKey},
		{"short", "key", 0o600, errBadKey},
		{"breaks_out_of_a_shell", "a-key-of-my-own-choice'; rm -rf /", 0o600, errBadKey},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if runtime.GOOS == "windows" && tt.mode != 0o600 {
				t.Skip("no modes")
			}
			dir := filepath.Join(t.TempDir(), "state")
			write(dir, tt.text, tt.mode)
			if _, err := readKey(dir); !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
		})
	}
	s := run(t, says("Hi."), nil)
	for _, name := range []string{keyName, portName, lockName} {
		info, err := os.Stat(filepath.Join(s.Dir, name))
		if err != nil || runtime.GOOS != "windows" && info.Mode() != 0o600 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
	if err := New(s.Options).Run(t.Context()); !errors.Is(err, errServes) {
		t.Errorf("a second one: %v", err)
	}
}
