package openai

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"windsock/chat"
	"windsock/probe/say"
)

// trouble is an error as packages probe and chat have it.
type trouble struct {
	code string
	wait time.Duration
}

func (e trouble) Error() string { return e.code }

func (e trouble) Tell() say.Error {
	return say.Error{Code: e.code, What: "Something is wrong: " + e.code + ".", Exit: 3}
}

// failure is the same, as package chat has it where there is more to it than a code.
func (e trouble) failure() error {
	if e.wait > 0 || e.code == string(chat.QuotaExhausted) {
		return &chat.Failure{Code: chat.Code(e.code), Wait: e.wait}
	}
	return e
}

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
		{code: "needs_permission", sent: true, status: 403},
		{code: "no_archive", sent: true, status: 501},
		{code: "something_new", status: 502, again: true},
		{code: "something_new", sent: true, status: 502},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprint(tt.code, tt.wait, tt.sent), func(t *testing.T) {
			t.Parallel()
			s := run(t, nil, func(o *Options) {
				o.Chat = behind(asking(func(context.Context, chat.Prompt, func(chat.Event)) (chat.Answer, error) {
					var a chat.Answer
					if tt.sent {
						a.Ref, a.Sent = "c1", true
					}
					return a, fmt.Errorf("ask: %w", trouble{tt.code, tt.wait}.failure())
				}), "", func(context.Context) (time.Time, string) { return reset, "" })
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

// Each code of the packages that an error comes from has its meaning.
func TestMeanings(t *testing.T) {
	t.Parallel()
	for dir, known := range map[string]chat.Code{"..": chat.NeedsPerson, filepath.Join("..", "..", "probe"): "not_running"} {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		var codes []string
		for _, file := range files {
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(parsed, func(n ast.Node) bool {
				spec, ok := n.(*ast.ValueSpec)
				if !ok {
					return true
				}
				if kind, ok := spec.Type.(*ast.Ident); ok && kind.Name == "Code" {
					for _, value := range spec.Values {
						if text, ok := value.(*ast.BasicLit); ok {
							codes = append(codes, strings.Trim(text.Value, `"`))
						}
					}
				}
				return true
			})
		}
		if !slices.Contains(codes, string(known)) {
			t.Errorf("%s: found %q", dir, codes)
		}
		for _, code := range codes {
			if _, there := meanings[code]; !there {
				t.Errorf("%s has %s, which means nothing here", dir, code)
			}
		}
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
		{"response", "GET", "/v1/responses/resp_1", "", 404, "not_found", "keeps no responses"},
		{"response_of_another_method", "GET", responsesPath, "", 405, "method_not_allowed", "POST"},
		{"response_too_long", "POST", responsesPath, responseBodyOf(strings.Repeat("x", chat.MaxPrompt+1)), 400, "context_length_exceeded", "input has more than"},
		{"response_of_an_unknown_model", "POST", responsesPath, `{"model":"opus 9","input":"x"}`, 404, "model_not_found", "Claude Opus 4.5"},
		{"old_completions", "POST", "/v1/completions", "{}", 404, "not_found", "Chat Completions and Responses"},
		{"other_api", "POST", "/v1/messages", "{}", 404, "not_found", "Chat Completions and Responses"},
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
