package openai

import "windsock/chat"

// usage is how many tokens a prompt and its answer were.
type usage struct {
	chat.Tokens

	// estimated says that nobody has counted: see estimate.
	estimated bool
}

// usage returns what the server tells, else an estimate. The server's count includes
// what the editor has added to the prompt.
func (j *job) usage(answer chat.Answer) usage {
	if answer.Tokens != nil {
		return usage{Tokens: *answer.Tokens}
	}
	return usage{chat.Tokens{Input: estimate(j.prompt), Output: estimate(answer.Text)}, true}
}

// estimate takes four bytes for a token: some four letters of English, or one and a
// third of Chinese. Images are not counted. It is for programs that have to know when a
// conversation becomes too long.
func estimate(text string) int64 { return int64(len(text)+3) / 4 }

// chatUsage is the usage in chat completions.
type chatUsage struct {
	Input     int64         `json:"prompt_tokens"`
	Output    int64         `json:"completion_tokens"`
	Total     int64         `json:"total_tokens"`
	Details   *inputDetails `json:"prompt_tokens_details,omitempty"`
	Estimated bool          `json:"estimated,omitempty"`
}

func (u usage) chat() *chatUsage {
	told := &chatUsage{Input: u.Input, Output: u.Output, Total: u.Input + u.Output, Estimated: u.estimated}
	if u.Cached != nil {
		told.Details = &inputDetails{*u.Cached}
	}
	return told
}

// responseUsage is the usage in responses. OpenAI's libraries cannot do without the
// details, so a zero in them may also be an unknown figure. No server tells reasoning
// apart: its tokens are in the output's.
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

type outputDetails struct {
	Reasoning int64 `json:"reasoning_tokens"`
}

func (u usage) response() *responseUsage {
	told := &responseUsage{Input: u.Input, Output: u.Output, Total: u.Input + u.Output, Estimated: u.estimated}
	if u.Cached != nil {
		told.InputDetails.Cached = *u.Cached
	}
	return told
}
