package openai

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var testCaller = caller{[]tool{{Name: "get_weather"}, {Name: "get_time"}}, "tool_calls-7f3a"}

func TestFindCalls(t *testing.T) {
	t.Parallel()
	paris := []call{{name: "get_weather", arguments: `{"city":"Paris"}`}}
	both := []call{paris[0], {name: "get_time", arguments: `{}`}}
	const asked = `{"tool_calls-7f3a":[{"name":"get_weather","arguments":{"city": "Paris"}}]}`
	const habit = `{"tool_calls":[{"name":"get_weather","arguments":{"city": "Paris"}}]}`
	const single = `{"name":"get_weather","arguments":{"city":"Paris"}}`
	tests := []struct {
		name, text string
		content    string // empty with no calls: the text
		calls      []call
	}{
		{name: "as_asked", text: asked, calls: paris},
		{name: "on_several_lines", text: "\n{\n  \"tool_calls-7f3a\": [\n    {\"name\": \"get_weather\",\n \"arguments\": {\"city\": \"Paris\"}}]}\n", calls: paris},
		{name: "two", text: `{"tool_calls-7f3a":[{"name":"get_weather","arguments":{"city":"Paris"}},{"name":"get_time","arguments":{}}]}`, calls: both},
		{name: "words_around", text: "I look.\n\n" + asked + "\nDone.", content: "I look.\n\nDone.", calls: paris},
		{name: "fence", text: "I look:\n```json\n" + asked + "\n```\n", content: "I look:", calls: paris},
		{name: "fence_without_end", text: "```\n" + asked, calls: paris},
		{name: "without_the_word", text: "\n" + habit + "\n", calls: paris},
		{name: "in_a_fence_without_the_word", text: "```json\n" + single + "\n```\n", calls: paris},
		{name: "readme", text: "This is the README:\n\n```json\n" + single + "\n```\n\nThat is all."},
		{name: "words_before_a_habit", text: "I look.\n" + habit},
		{name: "words_behind_a_habit", text: habit + "\nThat is how it is done."},
		{name: "words_between_habits", text: single + "\nor\n" + single},
		{name: "fences_in_a_row", text: "```json\n" + single + "\n```\n\n```\n{\"name\":\"get_time\",\"arguments\":{}}\n```", calls: both},
		{name: "habit_beside_what_was_asked_for", text: "```json\n" + single + "\n```\nSo:\n" + `{"tool_calls-7f3a":[{"name":"get_time","arguments":{}}]}`, content: "```json\n" + single + "\n```\nSo:", calls: both[1:]},
		{name: "word_of_another_request", text: `{"tool_calls-7f3b":[{"name":"get_time","arguments":{}}]}`},
		{name: "tags", text: "<tool_call>\n{\"name\":\"get_weather\",\"arguments\":{\"city\":\"Paris\"}}\n</tool_call>", calls: paris},
		{name: "tags_in_a_row", text: `<tool_call>{"name":"get_weather","arguments":{"city":"Paris"}}</tool_call>` + "\n" + `<tool_call>{"name":"get_time","arguments":{}}</tool_call>`, calls: both},
		{name: "tags_on_a_line", text: `<tool_call>{"name":"get_weather","arguments":{"city":"Paris"}}</tool_call><tool_call>{"name":"get_time","arguments":{}}</tool_call>`, calls: both},
		{name: "single", text: single, calls: paris},
		{name: "definition", text: `{"name":"get_weather","parameters":{"type":"object"}}`},
		{name: "list", text: `[{"name":"get_weather","arguments":{"city":"Paris"}},{"name":"get_time","arguments":{}}]`, calls: both},
		{name: "as_openai_has_it", text: `{"tool_calls":[{"id":"x","type":"function","function":{"name":"get_weather","arguments":"{\"city\":\"Paris\"}"}}]}`, calls: paris},
		{name: "text", text: "It is sunny."},
		{name: "nothing", text: ""},
		{name: "unknown_tool", text: `{"tool_calls":[{"name":"rm","arguments":{}}]}`},
		{name: "one_unknown_spoils_all", text: `{"tool_calls":[{"name":"get_time","arguments":{}},{"name":"rm","arguments":{}}]}`},
		{name: "arguments_are_no_object", text: `{"tool_calls":[{"name":"get_time","arguments":[1]}]}`},
		{name: "no_arguments", text: `{"tool_calls":[{"name":"get_time"}]}`},
		{name: "empty_list", text: `{"tool_calls":[]}`},
		{name: "cut_off", text: asked[:len(asked)-2]},
		{name: "many", text: strings.Repeat(single+"\n", maxTries), calls: slices.Repeat(paris, maxTries)},
		{name: "too_many", text: strings.Repeat(single+"\n", maxTries+1)},
		{name: "other_object", text: `{"name":"Ann","age":3}`},
		{name: "in_the_middle_of_a_line", text: "Say " + asked},
		{name: "code_with_braces", text: "```go\nfunc f() {\n}\n```\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			content, calls := testCaller.find(tt.text)
			want := tt.content
			if tt.calls == nil {
				want = tt.text
			}
			if diff := cmp.Diff(want, content); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(tt.calls, calls, cmp.AllowUnexported(call{})); diff != "" {
				t.Error(diff)
			}
			checkSettled(t, tt.text)
		})
	}
}

// checkSettled streams a text by the byte: what is sent is never taken back.
func checkSettled(t *testing.T, text string) {
	t.Helper()
	content, _ := testCaller.find(text)
	last := 0
	for end := range len(text) + 1 {
		n := testCaller.sendable(text[:end])
		if n < last || !strings.HasPrefix(content, text[:n]) {
			t.Fatalf("of %q, %q is sendable, after %d; the content is %q", text[:end], text[:n], last, content)
		}
		last = n
	}
}

func TestSendable(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, want string }{
		{"text_goes_at_once", "It is sunny", "It is sunny"},
		{"the_space_behind_waits", "It is sunny.\n\n", "It is sunny."},
		{"call_waits", "I look.\n{\"tool", "I look."},
		{"brace_waits", "{", ""},
		{"other_object_goes", `{"age":3`, `{"age":3`},
		{"fence_waits", "So:\n``", "So:"},
		{"fence_with_json_waits", "So:\n```json\n", "So:"},
		{"fence_with_code_goes", "So:\n```go\nfunc", "So:\n```go\nfunc"},
		{"tag_waits", "So:\n<tool_", "So:"},
		{"object_that_ended_as_no_call_goes", "{\"name\":\"Ann\",\"age\":3}\nThat is she", "{\"name\":\"Ann\",\"age\":3}\nThat is she"},
		{"object_of_another_tool_goes", "{\"name\":\"rm\",\"arguments\":{}}\nNo", "{\"name\":\"rm\",\"arguments\":{}}\nNo"},
		{"broken_object_goes", "```json\n{\"name\": oops}\n```\nSo", "```json\n{\"name\": oops}\n```\nSo"},
		{"call_that_ended_waits", "I look.\n{\"tool_calls-7f3a\":[{\"name\":\"get_time\",\"arguments\":{}}]}\nSo", "I look."},
		{"habit_that_ended_waits", "```\n{\"name\":\"get_time\",\"arguments\":{}}\n```\n", ""},
		{"habit_with_words_goes", "{\"name\":\"get_time\",\"arguments\":{}}\nSo", "{\"name\":\"get_time\",\"arguments\":{}}\nSo"},
		{"habit_behind_words_goes", "So:\n```json\n{\"name\":\"get_time\",", "So:\n```json\n{\"name\":\"get_time\","},
		{"other_tag_goes", "So:\n<table>", "So:\n<table>"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := tt.text[:testCaller.sendable(tt.text)]; got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func FuzzToolCalls(f *testing.F) {
	for _, seed := range []string{
		`x` + "\n" + `{"tool_calls-7f3a":[{"name":"get_time","arguments":{}}]}`, "```json\n{\"tool_calls-7f3a\":[{\"name\":\"get_time\",\"arguments\":{}}]}\n```\nx",
		`x` + "\n" + `{"tool_calls":[{"name":"get_time","arguments":{}}]}`, "```json\n[{\"name\":\"get_time\",\"arguments\":{}}]\n```",
		`<tool_call>{"name":"get_time","arguments":{"a":"b"}}</tool_call>` + "\r\n" + `<tool_call>{"id":`, "``` {\n\n{\"name", "[ [{\"name\":\"get_time\",\"arguments\":{}}]]",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 2<<10 {
			t.Skip("tried by the byte")
		}
		checkSettled(t, text)
		if content, calls := (caller{key: testCaller.key}).find(text); content != text || calls != nil {
			t.Errorf("calls without tools: %q, %v", content, calls)
		}
		if _, calls := testCaller.find(text); len(calls) > 0 && !strings.Contains(text, calls[0].name) {
			if !strings.Contains(text, `\u`) { // which JSON may write a name with
				t.Errorf("%v out of %q", calls, text)
			}
		}
	})
}

func TestFindObject(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text, want string
		ok               bool
	}{
		{"bare", ` {"a": 1}` + "\n", `{"a": 1}`, true},
		{"fence", "Here:\n```json\n{\"a\":1}\n```\n", `{"a":1}`, true},
		{"words_behind", `{"a":1} That is it.`, `{"a":1}`, true},
		{"none", "no", "no", false},
		{"cut_off", `{"a":{"b":1}`, `{"a":{"b":1}`, false},
		{"cut_off_in_a_fence", "```json\n{\"a\":{\"b\":1},\"c\":[1", "```json\n{\"a\":{\"b\":1},\"c\":[1", false},
		{"broken", `{"a":{"b":1},}`, `{"a":{"b":1},}`, false},
		{"brace_in_words", `Set {x} is {"a":1}`, `{"a":1}`, true},
		{"list", `[1]`, `[1]`, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got, ok := findObject(tt.text); got != tt.want || ok != tt.ok {
				t.Errorf("got %q, %t", got, ok)
			}
		})
	}
}
