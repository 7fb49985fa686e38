package openai

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	sdk "github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"

	"windsock/probe/probetest"
	"windsock/probe/simulator"
)

func respond(text string) sdk.ResponseNewParams {
	return sdk.ResponseNewParams{Model: "claude-opus-4.5", Input: sdk.ResponseNewParamsInputUnion{OfString: openai.String(text)}}
}

// A question by the Responses API, whole and streamed; what the library puts together
// is the same.
func TestOpenAIResponses(t *testing.T) {
	t.Parallel()
	e := startEditor(t, quick)
	client := official(run(t, nil, e.behind(t)))
	for turn, want := range map[string]string{"markdown": "# A heading", "tools": "(All of this is simulated.)", "waits": "It was busy for a while."} {
		whole, err := client.Responses.New(t.Context(), respond("turn:"+turn))
		if err != nil {
			t.Fatal(err)
		}
		if whole.Status != sdk.ResponseStatusCompleted || !strings.Contains(whole.OutputText(), want) || whole.Model != "claude-opus-4.5" || whole.Usage.TotalTokens == 0 {
			t.Errorf("got %s", whole.RawJSON())
		}
		stream := client.Responses.NewStreaming(t.Context(), respond("turn:"+turn))
		var text strings.Builder
		var last sdk.Response
		for stream.Next() {
			switch event := stream.Current().AsAny().(type) {
			case sdk.ResponseTextDeltaEvent:
				text.WriteString(event.Delta)
			case sdk.ResponseCompletedEvent:
				last = event.Response
			}
		}
		if err := stream.Err(); err != nil || text.String() != whole.OutputText() || last.OutputText() != whole.OutputText() {
			t.Errorf("%s: %v, streamed %q, whole %q", turn, err, text.String(), whole.OutputText())
		}
	}
	e.nothingWrong(t)
}

// A tool is offered, called, run, and its result understood.
func TestOpenAIResponsesTools(t *testing.T) {
	t.Parallel()
	e := startEditor(t, quick)
	client := official(run(t, nil, e.behind(t)))
	params := respond(`turn:call_tool get_weather {"city":"Paris"}`)
	params.Instructions = openai.String("Be terse.")
	params.Tools = []sdk.ToolUnionParam{
		{OfFunction: &sdk.FunctionToolParam{Name: "get_weather", Parameters: map[string]any{"type": "object"}}},
		{OfWebSearch: &sdk.WebSearchToolParam{Type: sdk.WebSearchToolTypeWebSearch}},
	}
	whole, err := client.Responses.New(t.Context(), params)
	if err != nil {
		t.Fatal(err)
	}
	if len(whole.Output) != 2 || whole.OutputText() != "I call it." || !strings.Contains(whole.RawJSON(), "tools[].web_search") {
		t.Fatalf("got %s", whole.RawJSON())
	}
	made := whole.Output[1].AsFunctionCall()
	if made.Name != "get_weather" || made.Arguments != `{"city":"Paris"}` {
		t.Errorf("got %+v", made)
	}
	stream := client.Responses.NewStreaming(t.Context(), params)
	var arguments string
	for stream.Next() {
		if event, ok := stream.Current().AsAny().(sdk.ResponseFunctionCallArgumentsDoneEvent); ok {
			arguments = event.Arguments
		}
	}
	if err := stream.Err(); err != nil || arguments != made.Arguments {
		t.Errorf("streamed %s, %v", arguments, err)
	}
	said := whole.Output[0].AsMessage().ToParam()
	called := made.ToParam()
	params.Input = sdk.ResponseNewParamsInputUnion{OfInputItemList: sdk.ResponseInputParam{
		sdk.ResponseInputItemParamOfMessage("turn:call_tool once", sdk.EasyInputMessageRoleUser),
		{OfOutputMessage: &said},
		{OfFunctionCall: &called},
		sdk.ResponseInputItemParamOfFunctionCallOutput(made.CallID, "18 degrees, sunny"),
	}}
	whole, err = client.Responses.New(t.Context(), params)
	if err != nil {
		t.Fatal(err)
	}
	if whole.OutputText() != "The tool has answered. (All of this is simulated.)" {
		t.Errorf("got %s", whole.RawJSON())
	}
	prompts := e.prompts()
	for _, want := range []string{
		"<message-1 role=\"system\">\nBe terse.\n", "<message-1 role=\"assistant\">\nI call it.\n{\"tool_calls-",
		`":[{"id":"` + made.CallID + `","name":"get_weather","arguments":{"city":"Paris"}}]}`,
		`<message-1 role="tool" tool_call_id="` + made.CallID + "\">\n18 degrees, sunny\n",
	} {
		if !strings.Contains(prompts[len(prompts)-1], want) {
			t.Errorf("no %s in\n%s", want, prompts[len(prompts)-1])
		}
	}
}

// An answer that has to fit a schema.
func TestOpenAIResponsesSchema(t *testing.T) {
	t.Parallel()
	e := startEditor(t, quick)
	client := official(run(t, nil, e.behind(t)))
	params := respond(`turn:object {"city":"Paris"}`)
	params.Text.Format.OfJSONSchema = &sdk.ResponseFormatTextJSONSchemaConfigParam{
		Name: "city", Schema: map[string]any{"type": "object", "properties": map[string]any{"city": map[string]string{"type": "string"}}},
	}
	whole, err := client.Responses.New(t.Context(), params)
	if err != nil {
		t.Fatal(err)
	}
	var got struct{ City string }
	if err := json.Unmarshal([]byte(whole.OutputText()), &got); err != nil || got.City != "Paris" {
		t.Errorf("%v in %s", err, whole.OutputText())
	}
}

// A client that stops in the middle of the stream stops the turn, and its cascade is
// archived.
func TestOpenAIResponsesCancel(t *testing.T) {
	t.Parallel()
	e := startEditor(t, quick)
	s := run(t, nil, e.behind(t))
	ctx, cancel := context.WithCancel(t.Context())
	stream := official(s).Responses.NewStreaming(ctx, respond("turn:never_ends"))
	for stream.Next() {
		if _, ok := stream.Current().AsAny().(sdk.ResponseTextDeltaEvent); ok {
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
}

// Each error comes as the library's own, or as the state of the response once it has
// begun; and nothing is paid for twice.
func TestOpenAIResponsesErrors(t *testing.T) {
	t.Parallel()
	e := startEditor(t, simulator.Config{Scenario: "exhausted", Cascade: quick.Cascade})
	s := run(t, nil, e.behind(t))
	stateful := respond("hello")
	stateful.PreviousResponseID = openai.String("resp_1")
	background := respond("hello")
	background.Background = openai.Bool(true)
	talk := respond("hello")
	talk.Conversation = sdk.ResponseNewParamsConversationUnion{OfString: openai.String("conv_1")}
	unknown := respond("hello")
	unknown.Model = shared.ResponsesModel("opus-9")
	image := respond("")
	image.Input = sdk.ResponseNewParamsInputUnion{OfInputItemList: sdk.ResponseInputParam{sdk.ResponseInputItemParamOfMessage(
		sdk.ResponseInputMessageContentListParam{{OfInputImage: &sdk.ResponseInputImageParam{ImageURL: param.NewOpt("data:image/png;base64,AA==")}}},
		sdk.EasyInputMessageRoleUser,
	)}}
	tests := []struct {
		name   string
		params sdk.ResponseNewParams
		status int
		code   string
		param  string
	}{
		{"previous_response", stateful, 400, "unsupported_parameter", "previous_response_id"},
		{"background", background, 400, "unsupported_parameter", "background"},
		{"conversation", talk, 400, "unsupported_parameter", "conversation"},
		{"unknown_model", unknown, 404, "model_not_found", "model"},
		{"image", image, 400, "image_kind", "input[0].content[0].image_url"},
		{"exhausted", respond("turn:error_quota"), 429, "quota_exhausted", ""},
		{"broke_off", respond("turn:error_after_text"), 502, "turn_failed", ""},
	}
	for _, tt := range tests {
		_, err := official(s, option.WithMaxRetries(3)).Responses.New(t.Context(), tt.params)
		failure, ok := errors.AsType[*openai.Error](err)
		if !ok || failure.StatusCode != tt.status || failure.Code != tt.code || failure.Param != tt.param {
			t.Errorf("%s: got %v", tt.name, err)
		}
	}
	if prompts := e.prompts(); len(prompts) != 2 {
		t.Errorf("prompts %q", prompts)
	}
	stream := official(s).Responses.NewStreaming(t.Context(), respond("turn:error_after_text once more"))
	var last sdk.ResponseStreamEventUnion
	for stream.Next() {
		last = stream.Current()
	}
	if failed, ok := last.AsAny().(sdk.ResponseFailedEvent); stream.Err() == nil && (!ok || failed.Response.Error.Code != "turn_failed") {
		t.Errorf("got %s", last.RawJSON())
	}
	e.nothingWrong(t)
}

// Requests beyond the concurrency wait their turn, of whichever API they are.
func TestOpenAIResponsesWait(t *testing.T) {
	t.Parallel()
	e := startEditor(t, quick)
	client := official(run(t, nil, e.behind(t), func(s *Server) { s.heartbeat = 10 * time.Millisecond }))
	failures := make(chan error, 12)
	for n := range cap(failures) {
		go func() {
			if n%2 == 0 {
				_, err := client.Chat.Completions.New(t.Context(), ask("turn:echo"))
				failures <- err
				return
			}
			stream := client.Responses.NewStreaming(t.Context(), respond("turn:echo"))
			var status sdk.ResponseStatus
			for stream.Next() {
				status = stream.Current().Response.Status
			}
			err := stream.Err()
			if err == nil && status != sdk.ResponseStatusCompleted {
				err = errors.New("it ended with the status " + string(status))
			}
			failures <- err
		}()
	}
	for range cap(failures) {
		if err := <-failures; err != nil {
			t.Error(err)
		}
	}
	if left, most := e.left(); most > 2 || len(left) > 0 {
		t.Errorf("%d at once, left %v", most, left)
	}
}
