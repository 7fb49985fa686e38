package openai

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"windsock/probe/probetest"
	"windsock/probe/simulator"
)

// quick is a server whose turns take no longer than they have to.
var quick = simulator.Config{Cascade: simulator.Cascade{Idle: 20 * time.Millisecond, Tick: 20 * time.Millisecond}}

// official is OpenAI's own library, unchanged.
func official(s *served, options ...option.RequestOption) *openai.Client {
	options = append([]option.RequestOption{option.WithBaseURL(s.base + "/v1"), option.WithAPIKey(s.key), option.WithMaxRetries(0)}, options...)
	client := openai.NewClient(options...)
	return &client
}

func ask(text string) openai.ChatCompletionNewParams {
	return openai.ChatCompletionNewParams{
		Model:    "claude-opus-4.5",
		Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(text)},
	}
}

func TestOpenAIModels(t *testing.T) {
	t.Parallel()
	e := startEditor(t, quick)
	client := official(run(t, nil, e.behind(t)))
	page, err := client.Models.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	for _, m := range page.Data {
		ids[m.ID] = true
	}
	for _, id := range []string{"gpt-5.4:low", "claude-opus-4.5:thinking", "swe-1.6"} {
		if !ids[id] {
			t.Errorf("no %s in %v", id, ids)
		}
	}
	// Each name leads to the model that has it.
	for id := range ids {
		m, err := client.Models.Get(t.Context(), id)
		if err != nil || m.ID != id {
			t.Errorf("%s: %v, %v", id, m, err)
		}
	}
}

func TestOpenAIChat(t *testing.T) {
	t.Parallel()
	e := startEditor(t, quick)
	client := official(run(t, nil, e.behind(t)))
	params := ask("turn:echo and no more")
	params.Temperature = openai.Float(0.2)
	answer, err := client.Chat.Completions.New(t.Context(), params)
	if err != nil {
		t.Fatal(err)
	}
	if got := answer.Choices[0]; got.Message.Content != "turn:echo and no more" || got.FinishReason != "stop" || answer.Model != "claude-opus-4.5" {
		t.Errorf("got %+v", answer)
	}
	e.nothingWrong(t)
}

func TestOpenAIStream(t *testing.T) {
	t.Parallel()
	e := startEditor(t, quick)
	client := official(run(t, nil, e.behind(t)))
	for turn, want := range map[string]string{
		"markdown": "# A heading", "tools": "(All of this is simulated.)", "waits": "It was busy for a while.",
	} {
		params := ask("turn:" + turn)
		whole, err := client.Chat.Completions.New(t.Context(), params)
		if err != nil {
			t.Fatal(err)
		}
		stream := client.Chat.Completions.NewStreaming(t.Context(), params)
		var all openai.ChatCompletionAccumulator
		for stream.Next() {
			if !all.AddChunk(stream.Current()) {
				t.Fatal("a chunk that does not fit the others")
			}
		}
		if err := stream.Err(); err != nil {
			t.Fatal(err)
		}
		got := all.Choices[0]
		if got.Message.Content != whole.Choices[0].Message.Content || !strings.Contains(got.Message.Content, want) || got.FinishReason != "stop" {
			t.Errorf("%s: streamed %q, whole %q", turn, got.Message.Content, whole.Choices[0].Message.Content)
		}
	}
}

// Rewritten text is never doubled: the stream has the server's text, or says that it
// does not.
func TestOpenAIRewrites(t *testing.T) {
	t.Parallel()
	e := startEditor(t, quick)
	client := official(run(t, nil, e.behind(t)))
	for _, turn := range []string{"rewrite", "rewrite_midway", "late_insert"} {
		params := ask("turn:" + turn)
		whole, err := client.Chat.Completions.New(t.Context(), params)
		if err != nil {
			t.Fatal(err)
		}
		final := whole.Choices[0].Message.Content
		stream := client.Chat.Completions.NewStreaming(t.Context(), params)
		var text strings.Builder
		for stream.Next() {
			text.WriteString(stream.Current().Choices[0].Delta.Content)
		}
		failure := stream.Err()
		switch {
		case failure == nil && text.String() != final:
			t.Errorf("%s: streamed %q, final %q", turn, text.String(), final)
		case failure != nil && (!strings.Contains(failure.Error(), "answer_rewritten") || !strings.Contains(failure.Error(), "final_text")):
			t.Errorf("%s: %v", turn, failure)
		}
		if turn == "rewrite" && failure == nil {
			t.Error("a draft that was streamed became another text, and nobody was told")
		}
	}
}

// What the server counts for all steps of a turn is what the library reads.
func TestOpenAITokens(t *testing.T) {
	t.Parallel()
	e := startEditor(t, quick)
	client := official(run(t, nil, e.behind(t)))
	whole, err := client.Chat.Completions.New(t.Context(), ask("turn:counted"))
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"prompt_tokens":12425,"completion_tokens":256,"total_tokens":12681,"prompt_tokens_details":{"cached_tokens":11317}}`
	if got := whole.Usage.RawJSON(); got != want {
		t.Errorf("got %s", got)
	}
	params := ask("turn:counted")
	params.StreamOptions.IncludeUsage = openai.Bool(true)
	stream := client.Chat.Completions.NewStreaming(t.Context(), params)
	var all openai.ChatCompletionAccumulator
	for stream.Next() {
		all.AddChunk(stream.Current())
	}
	if stream.Err() != nil || all.Usage.TotalTokens != 12681 {
		t.Errorf("streamed %+v, %v", all.Usage, stream.Err())
	}
	response, err := client.Responses.New(t.Context(), respond("turn:counted"))
	if err != nil || response.Usage.InputTokens != 12425 || response.Usage.OutputTokens != 256 || response.Usage.InputTokensDetails.CachedTokens != 11317 {
		t.Errorf("got %+v, %v", response, err)
	}
}

// A client that stops in the middle of the stream stops the turn, and its cascade
// is archived.
func TestOpenAICancel(t *testing.T) {
	t.Parallel()
	e := startEditor(t, quick)
	s := run(t, nil, e.behind(t))
	ctx, cancel := context.WithCancel(t.Context())
	stream := official(s).Chat.Completions.NewStreaming(ctx, ask("turn:never_ends"))
	for stream.Next() {
		if stream.Current().Choices[0].Delta.Content != "" {
			cancel()
		}
	}
	cancel()
	if !errors.Is(stream.Err(), context.Canceled) {
		t.Error(stream.Err())
	}
	probetest.Eventually(t, "the slot is free", func() bool { return s.now().Requests == 0 })
	if left, most := e.left(); len(left) > 0 || most != 1 || e.Count()["CancelCascadeInvocation"] != 1 {
		t.Errorf("left %v of %d, calls %v", left, most, e.Count())
	}
	if queued, err := e.queue.Waiting(t.Context()); len(queued) > 0 || err != nil {
		t.Errorf("queued %v, %v", queued, err)
	}
}

// A tool is offered, called, run, and its result understood.
func TestOpenAITools(t *testing.T) {
	t.Parallel()
	e := startEditor(t, quick)
	client := official(run(t, nil, e.behind(t)))
	const obey = `turn:call_tool get_weather {"city":"Paris"}`
	params := ask(obey)
	params.Tools = []openai.ChatCompletionToolUnionParam{openai.ChatCompletionFunctionTool(openai.FunctionDefinitionParam{
		Name: "get_weather", Description: openai.String("The weather of a city"),
		Parameters: openai.FunctionParameters{"type": "object", "properties": map[string]any{"city": map[string]string{"type": "string"}}},
	})}
	answer, err := client.Chat.Completions.New(t.Context(), params)
	if err != nil {
		t.Fatal(err)
	}
	choice := answer.Choices[0]
	if choice.FinishReason != "tool_calls" || len(choice.Message.ToolCalls) != 1 {
		t.Fatalf("got %+v", choice)
	}
	call := choice.Message.ToolCalls[0]
	if call.Function.Name != "get_weather" || call.Function.Arguments != `{"city":"Paris"}` || call.ID == "" || call.Type != "function" {
		t.Errorf("got %+v", call)
	}
	stream := client.Chat.Completions.NewStreaming(t.Context(), params)
	var all openai.ChatCompletionAccumulator
	for stream.Next() {
		all.AddChunk(stream.Current())
	}
	if err := stream.Err(); err != nil || len(all.Choices[0].Message.ToolCalls) != 1 ||
		all.Choices[0].Message.ToolCalls[0].Function.Arguments != `{"city":"Paris"}` || all.Choices[0].FinishReason != "tool_calls" {
		t.Errorf("streamed %+v, %v", all.Choices, err)
	}
	params.Messages = append(
		[]openai.ChatCompletionMessageParamUnion{openai.SystemMessage("turn:plain")},
		openai.UserMessage("And now?"), choice.Message.ToParam(), openai.ToolMessage("18 degrees, sunny", call.ID),
	)
	answer, err = client.Chat.Completions.New(t.Context(), params)
	if err != nil || answer.Choices[0].FinishReason != "stop" {
		t.Fatal(answer, err)
	}
	prompts := e.prompts()
	last := prompts[len(prompts)-1]
	for _, want := range []string{`":[{"id":"` + call.ID + `","name":"get_weather","arguments":{"city":"Paris"}}`, "18 degrees, sunny", `tool_call_id="` + call.ID + `"`, "And now?"} {
		if !strings.Contains(last, want) {
			t.Errorf("no %s in\n%s", want, last)
		}
	}
}

// Each error comes as the library's own.
func TestOpenAIErrors(t *testing.T) {
	t.Parallel()
	e := startEditor(t, simulator.Config{Scenario: "exhausted", Cascade: quick.Cascade})
	reset := time.Now().Add(time.Hour).UTC().Truncate(time.Second)
	s := run(t, nil, func(o *Options) {
		o.Chat = behind(e.engine(t), "", func(context.Context) (time.Time, string) { return reset, "" })
	})
	image := ask("")
	image.Messages[0] = openai.UserMessage([]openai.ChatCompletionContentPartUnionParam{
		openai.ImageContentPart(openai.ChatCompletionContentPartImageImageURLParam{URL: "data:image/png;base64,AA=="}),
	})
	blind := imageAsk("image/png", "\x89PNG\r\n\x1a\n")
	blind.Model = "swe-1.6"
	unknown := ask("hello")
	unknown.Model = "opus-9"
	tests := []struct {
		name   string
		params openai.ChatCompletionNewParams
		client *openai.Client
		status int
		code   string
		says   string
		header string // that has to be there
	}{
		{"unknown_model", unknown, official(s), 404, "model_not_found", "Claude Opus", ""},
		{"exhausted", ask("turn:error_quota"), official(s), 429, "quota_exhausted", reset.Format(time.RFC3339), "Retry-After"},
		{"exhausted_at_once", ask("turn:send_quota"), official(s), 429, "quota_exhausted", reset.Format(time.RFC3339), "Retry-After"},
		{"outdated", ask("turn:error_outdated"), official(s), 503, "editor_outdated", "Update", ""},
		{"broke_off", ask("turn:error_after_text"), official(s), 502, "turn_failed", "", ""},
		{"image", image, official(s), 400, "image_kind", "image", ""},
		{"image_for_none", blind, official(s), 400, "image_not_supported", "Claude", ""},
		{"wrong_key", ask("hello"), official(s, option.WithAPIKey("wrong")), 401, "invalid_api_key", "--print-env", ""},
	}
	check := func(t *testing.T, name string, err error, status int, code, says, header string) {
		t.Helper()
		failure, ok := errors.AsType[*openai.Error](err)
		if !ok || failure.StatusCode != status || failure.Code != code || !strings.Contains(failure.Message, says) {
			t.Fatalf("%s: got %v", name, err)
		}
		if header != "" && failure.Response.Header.Get(header) == "" {
			t.Errorf("%s: no %s in %v", name, header, failure.Response.Header)
		}
	}
	for _, tt := range tests {
		_, err := tt.client.Chat.Completions.New(t.Context(), tt.params)
		check(t, tt.name, err, tt.status, tt.code, tt.says, tt.header)
	}
	// After some text, there is no status left to say it with.
	stream := official(s).Chat.Completions.NewStreaming(t.Context(), ask("turn:error_after_text once more"))
	text := ""
	for stream.Next() {
		text += stream.Current().Choices[0].Delta.Content
	}
	if stream.Err() == nil || text != "" && !strings.Contains(stream.Err().Error(), "turn_failed") {
		t.Errorf("%q, then %v", text, stream.Err())
	}
	e.nothingWrong(t)
	if err := e.Stop(); err != nil {
		t.Fatal(err)
	}
	_, err := official(s).Models.List(t.Context())
	check(t, "no_server", err, 503, "not_running", "Start Windsurf", "Retry-After")
	_, err = official(s).Chat.Completions.New(t.Context(), ask("hello"))
	check(t, "no_server", err, 503, "not_running", "Start Windsurf", "Retry-After")
}

// A library that tries again by itself does so only where nothing is paid for
// twice.
func TestOpenAIRetries(t *testing.T) {
	t.Parallel()
	e := startEditor(t, quick)
	s := run(t, nil, e.behind(t))
	_, err := official(s, option.WithMaxRetries(3)).Chat.Completions.New(t.Context(), ask("turn:error_after_text"))
	if err == nil || len(e.prompts()) != 1 {
		t.Errorf("%v after %d prompts", err, len(e.prompts()))
	}
}

// 50 requests at a limit of 2, all at once: each waits its turn.
func TestOpenAIConcurrency(t *testing.T) {
	t.Parallel()
	e := startEditor(t, quick)
	s := run(t, nil, e.behind(t))
	client := official(s, option.WithMaxRetries(2)) // as it is without an option
	var group sync.WaitGroup
	for range 50 {
		group.Go(func() {
			if _, err := client.Chat.Completions.New(t.Context(), ask("turn:echo")); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if left, most := e.left(); most > 2 || len(left) > 0 || len(e.prompts()) != 50 {
		t.Errorf("%d at once, %d prompts, left %v", most, len(e.prompts()), left)
	}
}
