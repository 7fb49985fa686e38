package openai

import "windsock/chat"

// completion is an answer of chat completions, or a piece of a streamed one.
type completion struct {
	ID       string        `json:"id"`
	Object   string        `json:"object"`
	Created  int64         `json:"created"`
	Model    string        `json:"model"`
	Choices  []answerPart  `json:"choices"`
	Usage    *chatUsage    `json:"usage,omitempty"`
	Warnings []string      `json:"warnings,omitempty"`
	Windsock *chat.Account `json:"windsock,omitempty"`
}

type answerPart struct {
	Index        int     `json:"index"`
	Message      *reply  `json:"message,omitempty"`
	Delta        *delta  `json:"delta,omitempty"`
	Logprobs     *string `json:"logprobs"`
	FinishReason *string `json:"finish_reason"`
}

// reply is a complete message. A missing content is null.
type reply struct {
	Role    string       `json:"role"`
	Content *string      `json:"content"`
	Refusal *string      `json:"refusal"`
	Calls   []calledTool `json:"tool_calls,omitempty"`
}

// delta is the new part of a message.
type delta struct {
	Role    string       `json:"role,omitempty"`
	Content *string      `json:"content,omitempty"`
	Calls   []calledTool `json:"tool_calls,omitempty"`
}

type calledTool struct {
	Index    *int   `json:"index,omitempty"` // in a stream
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

func (c call) asTool() calledTool {
	called := calledTool{ID: c.id, Type: "function"}
	called.Function.Name, called.Function.Arguments = c.name, c.arguments
	return called
}

// chatForm is an answer of chat completions.
type chatForm struct{ *job }

func (f *chatForm) frame(object string, parts ...answerPart) completion {
	if parts == nil {
		parts = []answerPart{}
	}
	return completion{ID: f.id, Object: object, Created: f.began.Unix(), Model: f.name, Choices: parts}
}

func (f *chatForm) chunk(d delta) []byte {
	return sse("", encode(f.frame(chunkObject, answerPart{Delta: &d})))
}

const chunkObject = "chat.completion.chunk"

func (f *chatForm) whole(end ending) any {
	part, reason := reply{Role: "assistant"}, end.chatReason()
	if end.content != "" || len(end.calls) == 0 {
		part.Content = &end.content
	}
	for _, c := range end.calls {
		part.Calls = append(part.Calls, c.asTool())
	}
	whole := f.frame("chat.completion", answerPart{Message: &part, FinishReason: &reason})
	whole.Usage, whole.Warnings, whole.Windsock = end.usage.chat(), end.warnings, &end.account
	return whole
}

// chatReason says why the answer ended.
func (e ending) chatReason() string {
	switch {
	case len(e.calls) > 0:
		return "tool_calls"
	case e.cut:
		return "length"
	default:
		return "stop"
	}
}

func (f *chatForm) begin() []byte {
	var nothing string
	return f.chunk(delta{Role: "assistant", Content: &nothing})
}

// beat is a comment, which every program skips.
func (f *chatForm) beat() []byte { return []byte(": still at it\n\n") }

func (f *chatForm) grow(text string) []byte { return f.chunk(delta{Content: &text}) }

func (f *chatForm) end(end ending) []byte {
	var out []byte
	for i, c := range end.calls {
		called := c.asTool()
		called.Index = &i
		out = append(out, f.chunk(delta{Calls: []calledTool{called}})...)
	}
	reason := end.chatReason()
	last := f.frame(chunkObject, answerPart{Delta: &delta{}, FinishReason: &reason})
	last.Warnings, last.Windsock = end.warnings, &end.account
	out = append(out, sse("", encode(last))...)
	if f.tellUsage {
		counted := f.frame(chunkObject)
		counted.Usage = end.usage.chat()
		out = append(out, sse("", encode(counted))...)
	}
	return append(out, sse("", []byte("[DONE]"))...)
}

func (f *chatForm) fail(wrong *fault, _ string) []byte { return sse("", wrong.body()) }
