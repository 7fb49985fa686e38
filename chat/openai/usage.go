package openai

import "windsock/chat"

// usage is how many tokens a prompt and its answer were.
type usage struct {
	input, output int64
	cached        int64 // of input: read before; 0 if that is unknown
	// estimated says that nobody has counted: see estimate.
	estimated bool
}

// usage returns what the server tells, else an estimate. The server's count includes
// what the editor has added to the prompt.
func (j *job) usage(answer chat.Answer) usage {
	told := answer.Tokens
	if told == nil {
		return usage{input: estimate(j.prompt), output: estimate(answer.Text), estimated: true}
	}
	u := usage{input: told.Input, output: told.Output}
	if told.Cached != nil {
		u.cached = *told.Cached
	}
	return u
}

// estimate takes four bytes for a token: some four letters of English, or one and a
// third of Chinese. It is for programs that have to know when a conversation becomes
// too long.
func estimate(text string) int64 { return int64(len(text)+3) / 4 }

// chatUsage is the usage in chat completions.
type chatUsage struct {
	Input     int64        `json:"prompt_tokens"`
	Output    int64        `json:"completion_tokens"`
	Total     int64        `json:"total_tokens"`
	Details   inputDetails `json:"prompt_tokens_details"`
	Estimated bool         `json:"estimated,omitempty"`
}

func (u usage) chat() *chatUsage {
	return &chatUsage{u.input, u.output, u.input + u.output, inputDetails{u.cached}, u.estimated}
}

// responseUsage is the usage in responses.
type responseUsage struct {
	Input         int64         `json:"input_tokens"`
	InputDetails  inputDetails  `json:"input_tokens_details"`
	Output        int64         `json:"output_tokens"`
	OutputDetails outputDetails `json:"output_tokens_details"`
	Total         int64         `json:"total_tokens"`
	Estimated     bool          `json:"estimated,omitempty"`
}

type inputDetails struct {
	Cached int64 `json:"cached_tokens"`
}

// outputDetails are there because OpenAI's libraries cannot do without them. No server
// tells reasoning apart: its tokens are in the output's.
type outputDetails struct {
	Reasoning int64 `json:"reasoning_tokens"`
}

func (u usage) response() *responseUsage {
	return &responseUsage{Input: u.input, InputDetails: inputDetails{u.cached}, Output: u.output, Total: u.input + u.output, Estimated: u.estimated}
}
