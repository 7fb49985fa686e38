package openai

import (
	"crypto/rand"

	"windsock/chat"
)

// responseBody is an answer of the Responses API. It does not repeat the request: the
// instructions, the tools and the settings without effect are empty in each.
type responseBody struct {
	ID                string         `json:"id"`
	Object            string         `json:"object"`
	CreatedAt         int64          `json:"created_at"`
	Status            string         `json:"status"`
	Background        bool           `json:"background"`
	Error             *responseFault `json:"error"`
	Incomplete        *incomplete    `json:"incomplete_details"`
	Instructions      *string        `json:"instructions"`
	MaxOutputTokens   *int           `json:"max_output_tokens"`
	Metadata          struct{}       `json:"metadata"`
	Model             string         `json:"model"`
	Output            []any          `json:"output"`
	ParallelToolCalls bool           `json:"parallel_tool_calls"`
	PreviousID        *string        `json:"previous_response_id"`
	Store             bool           `json:"store"`
	Temperature       *float64       `json:"temperature"`
	ToolChoice        any            `json:"tool_choice"`
	Tools             []struct{}     `json:"tools"`
	TopP              *float64       `json:"top_p"`
	Truncation        string         `json:"truncation"`
	Usage             *responseUsage `json:"usage"`
	Warnings          []string       `json:"warnings,omitempty"`
	Windsock          *chat.Account  `json:"windsock,omitempty"`
}

type incomplete struct {
	Reason string `json:"reason"`
}

type responseFault struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Text    string `json:"final_text,omitempty"`
}

// messageItem is what the model said.
type messageItem struct {
	ID      string       `json:"id"`
	Type    string       `json:"type"`
	Status  string       `json:"status"`
	Role    string       `json:"role"`
	Content []outputText `json:"content"`
}

type outputText struct {
	Type        string     `json:"type"`
	Annotations []struct{} `json:"annotations"`
	Logprobs    []struct{} `json:"logprobs"`
	Text        string     `json:"text"`
}

func newOutputText(text string) outputText {
	return outputText{Type: "output_text", Annotations: []struct{}{}, Logprobs: []struct{}{}, Text: text}
}

// callItem is a call of a function.
type callItem struct {
	ID        string `json:"id"`
	Type      string `json:"type"`
	Status    string `json:"status"`
	CallID    string `json:"call_id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// The states of a response and of its items.
const (
	inProgress = "in_progress"
	completed  = "completed"
	cutShort   = "incomplete"
	failed     = "failed"
)

// responseForm is an answer of the Responses API.
type responseForm struct {
	*job

	said      *said
	messageID string
	sequence  int  // of the next event
	opened    bool // the message has begun
}

func (f *responseForm) body(status string) *responseBody {
	b := &responseBody{
		ID: f.id, Object: "response", CreatedAt: f.began.Unix(), Status: status, Model: f.name, Output: []any{},
		ParallelToolCalls: !f.single, ToolChoice: "auto", Tools: []struct{}{}, Truncation: "disabled",
	}
	switch {
	case f.choice.name != "":
		b.ToolChoice = map[string]string{"type": "function", "name": f.choice.name}
	case f.choice.must:
		b.ToolChoice = "required"
	}
	return b
}

func (f *responseForm) message(status string, parts ...outputText) messageItem {
	if parts == nil {
		parts = []outputText{}
	}
	return messageItem{ID: f.messageID, Type: "message", Status: status, Role: "assistant", Content: parts}
}

// conclusion is the response of a complete answer.
func (f *responseForm) conclusion(end ending) *responseBody {
	b := f.body(completed)
	if end.cut {
		b.Status, b.Incomplete = cutShort, &incomplete{"max_output_tokens"}
	}
	if end.content != "" || len(end.calls) == 0 {
		b.Output = append(b.Output, f.message(b.Status, newOutputText(end.content)))
		f.remember(f.messageID, message{role: "assistant", text: end.content})
	}
	for _, c := range end.calls {
		item := callItem{ID: "fc_" + rand.Text(), Type: "function_call", Status: completed, CallID: c.id, Name: c.name, Arguments: c.arguments}
		b.Output = append(b.Output, item)
		f.remember(item.ID, message{role: "assistant", calls: []call{c}})
	}
	b.Usage, b.Warnings, b.Windsock = end.usage.response(), end.warnings, &end.account
	return b
}

func (f *responseForm) remember(id string, m message) {
	if f.keep {
		f.said.add(id, m)
	}
}

func (f *responseForm) whole(end ending) any { return f.conclusion(end) }
