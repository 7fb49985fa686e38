package openai

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDecodeResponseRefuses(t *testing.T) {
	t.Parallel()
	const hello = `"input":"hello"`
	decoderRefuses(t, ".response.json", []refusal{
		{"nothing", ``, "", "invalid_value"},
		{"no_input", `{}`, "input", "invalid_value"},
		{"empty_input", `{"input":""}`, "input", "invalid_value"},
		{"no_items", `{"input":[]}`, "input", "invalid_value"},
		{"instructions_alone", `{"instructions":"Be terse.","input":[]}`, "input", "invalid_value"},
		{"reasoning_alone", `{"input":[{"type":"reasoning"}]}`, "input", "invalid_value"},
		{"input_of_another_kind", `{"input":5}`, "input", "invalid_value"},
		{"item_of_another_kind", `{"input":["hello"]}`, "input[0]", "invalid_value"},
		{"item_of_unknown_type", `{"input":[{"type":"local_shell_call"}]}`, "input[0]", "item_not_supported"},
		{"unknown_role", `{"input":[{"role":"tool","content":"x"}]}`, "input[0].role", "invalid_value"},
		{"no_content", `{"input":[{"role":"user"}]}`, "input[0].content", "invalid_value"},
		{"image_elsewhere", `{"input":[{"role":"user","content":[{"type":"input_image","image_url":"https://example.com/a.png"}]}]}`, "input[0].content[0].image_url", "unsupported_parameter"},
		{"image_of_a_file", `{"input":[{"role":"user","content":[{"type":"input_image","file_id":"file-1"}]}]}`, "input[0].content[0].file_id", "unsupported_parameter"},
		{"image_without_url", `{"input":[{"role":"user","content":[{"type":"input_image"}]}]}`, "input[0].content[0].image_url", "invalid_value"},
		{"image_of_a_tool", `{"input":[{"type":"function_call_output","call_id":"a","output":[{"type":"input_image","image_url":"data:image/png;base64,AAAA"}]}]}`, "input[0].output[0].image_url", "image_kind"},
		{"file", `{"input":[{"role":"user","content":[{"type":"input_file","file_id":"a"}]}]}`, "input[0].content[0]", "content_not_supported"},
		{"call_without_name", `{"input":[{"type":"function_call","call_id":"a","arguments":"{}"}]}`, "input[0]", "invalid_value"},
		{"arguments_of_another_kind", `{"input":[{"type":"function_call","name":"a","arguments":{}}]}`, "input[0].arguments", "invalid_value"},
		{"no_output", `{"input":[{"type":"function_call_output","call_id":"a"}]}`, "input[0].output", "invalid_value"},
		{"unknown_reference", `{"input":[{"type":"item_reference","id":"msg_1"}]}`, "input[0]", "item_not_found"},
		{"instructions_of_another_kind", `{"instructions":[],` + hello + `}`, "instructions", "invalid_value"},
		{"previous_response", `{"previous_response_id":"resp_1",` + hello + `}`, "previous_response_id", "unsupported_parameter"},
		{"conversation", `{"conversation":{"id":"conv_1"},` + hello + `}`, "conversation", "unsupported_parameter"},
		{"background", `{"background":true,` + hello + `}`, "background", "unsupported_parameter"},
		{"stored_prompt", `{"prompt":{"id":"pmpt_1"},` + hello + `}`, "prompt", "unsupported_parameter"},
		{"store_is_word", `{"store":"no",` + hello + `}`, "store", "invalid_value"},
		{"text_is_word", `{"text":"json",` + hello + `}`, "text", "invalid_value"},
		{"format_unknown", `{"text":{"format":{"type":"xml"}},` + hello + `}`, "text.format.type", "invalid_value"},
		{"tool_without_name", `{"tools":[{"type":"function"}],` + hello + `}`, "tools[0]", "invalid_value"},
		{"tool_without_type", `{"tools":[{"name":"x"}],` + hello + `}`, "tools[0]", "invalid_value"},
		{"tool_twice", `{"tools":[{"type":"function","name":"x"},{"type":"function","name":"x"}],` + hello + `}`, "tools[1]", "invalid_value"},
		{"choice_without_functions", `{"tools":[{"type":"web_search"}],"tool_choice":"required",` + hello + `}`, "tool_choice", "invalid_value"},
		{"choice_of_another_tool", `{"tools":[{"type":"web_search"}],"tool_choice":{"type":"web_search"},` + hello + `}`, "tool_choice", "invalid_value"},
		{"choice_of_none_such", `{"tools":[{"type":"function","name":"x"}],"tool_choice":{"type":"function","name":"y"},` + hello + `}`, "tool_choice", "invalid_value"},
	})
}

// Fields without effect are named, and so are tools that are no functions; null,
// defaults, and OpenAI's own fields in what a model said do not count.
func TestDecodeResponseIgnores(t *testing.T) {
	t.Parallel()
	r, wrong := decodeResponse([]byte(`{"model":"m","temperature":0.2,"store":false,"background":false,"previous_response_id":null,"include":["reasoning.encrypted_content"],
		"stream":true,"stream_options":{"include_obfuscation":false},"reasoning":{"effort":"low"},"text":{"verbosity":"low","format":{"type":"text"}},
		"tools":[{"type":"local_shell"},{"type":"custom","name":"apply_patch","format":{}},{"type":"function","name":"x","strict":true},{"type":"a b"}],
		"input":[{"type":"message","role":"assistant","id":"msg_1","status":"completed","phase":"final_answer","content":"a"},
			{"type":"reasoning","id":"rs_1"},{"role":"user","content":"c","cache":1}]}`), looks)
	if wrong != nil {
		t.Fatal(wrong.says)
	}
	want := []string{
		"include", "input[].cache", "input[].reasoning", "reasoning", "stream_options.include_obfuscation", "temperature", "text.verbosity",
		"tools[].custom.apply_patch", "tools[].local_shell", "tools[].other", "tools[].strict",
	}
	if diff := cmp.Diff(want, r.ignored); diff != "" {
		t.Error(diff)
	}
	if r.keep || len(r.tools) != 1 {
		t.Errorf("got %+v", r)
	}
}

// A client that relies on the default of store may refer to what the model said; one
// that has switched it off may not, since nothing is kept for it.
func TestReferences(t *testing.T) {
	t.Parallel()
	s := run(t, says("I said this."), nil)
	for _, tt := range []struct {
		name, store string
		keeps       bool
	}{{"default", "", true}, {"on", `"store":true,`, true}, {"off", `"store":false,`, false}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			first := responseOf(t, s.do(t, http.MethodPost, responsesPath, "{"+tt.store+responseBodyOf("hello " + tt.name)[1:]).body)
			if first.Store {
				t.Error("a response that is called stored")
			}
			a := s.do(t, http.MethodPost, responsesPath, `{"input":[{"role":"user","content":"hello"},{"type":"item_reference","id":"`+first.Output[0].ID+`"},{"role":"user","content":"What did you say?"}]}`)
			if (a.status == 200) != tt.keeps || !tt.keeps && a.code() != "item_not_found" {
				t.Errorf("got %d: %s", a.status, a.body)
			}
		})
	}
}
