package openai

import "bytes"

// responseEvent is an event of a streamed response. Each kind has some of the fields.
type responseEvent struct {
	Type         string        `json:"type"`
	Sequence     int           `json:"sequence_number"`
	Response     *responseBody `json:"response,omitempty"`
	ItemID       string        `json:"item_id,omitempty"`
	OutputIndex  *int          `json:"output_index,omitempty"`
	ContentIndex *int          `json:"content_index,omitempty"`
	Item         any           `json:"item,omitempty"`
	Part         *outputText   `json:"part,omitempty"`
	Delta        *string       `json:"delta,omitempty"`
	Text         *string       `json:"text,omitempty"`
	Logprobs     *[]struct{}   `json:"logprobs,omitempty"`
	Name         string        `json:"name,omitempty"`
	Arguments    *string       `json:"arguments,omitempty"`
}

// events writes events with their numbers.
func (f *responseForm) events(all ...responseEvent) []byte {
	var out bytes.Buffer
	for _, e := range all {
		e.Sequence = f.sequence
		f.sequence++
		out.Write(sse(e.Type, encode(e)))
	}
	return out.Bytes()
}

func (f *responseForm) begin() []byte {
	return f.events(
		responseEvent{Type: "response.created", Response: f.body(inProgress)},
		responseEvent{Type: "response.in_progress", Response: f.body(inProgress)},
	)
}

// beat is an event that says nothing new. Codex gives up, and asks again, after five
// minutes without an event; comments do not count.
func (f *responseForm) beat() []byte {
	if f.opened {
		return f.delta("")
	}
	return f.events(responseEvent{Type: "response.in_progress", Response: f.body(inProgress)})
}

func (f *responseForm) grow(text string) []byte {
	return append(f.open(), f.delta(text)...)
}

// open begins the message, once.
func (f *responseForm) open() []byte {
	if f.opened {
		return nil
	}
	f.opened = true
	part := newOutputText("")
	return f.events(
		responseEvent{Type: "response.output_item.added", OutputIndex: new(0), Item: f.message(inProgress)},
		responseEvent{Type: "response.content_part.added", ItemID: f.messageID, OutputIndex: new(0), ContentIndex: new(0), Part: &part},
	)
}

func (f *responseForm) delta(text string) []byte {
	return f.events(responseEvent{
		Type: "response.output_text.delta", ItemID: f.messageID, OutputIndex: new(0), ContentIndex: new(0), Delta: &text, Logprobs: &[]struct{}{},
	})
}

func (f *responseForm) end(end ending) []byte {
	last := f.conclusion(end)
	var out []byte
	for i, item := range last.Output {
		switch item := item.(type) {
		case messageItem:
			out = append(out, f.open()...)
			out = append(out, f.events(
				responseEvent{
					Type: "response.output_text.done", ItemID: item.ID, OutputIndex: &i, ContentIndex: new(0),
					Text: &end.content, Logprobs: &[]struct{}{},
				},
				responseEvent{Type: "response.content_part.done", ItemID: item.ID, OutputIndex: &i, ContentIndex: new(0), Part: &item.Content[0]},
				responseEvent{Type: "response.output_item.done", OutputIndex: &i, Item: item},
			)...)
		case callItem:
			begun := item
			begun.Status, begun.Arguments = inProgress, ""
			out = append(out, f.events(
				responseEvent{Type: "response.output_item.added", OutputIndex: &i, Item: begun},
				responseEvent{Type: "response.function_call_arguments.delta", ItemID: item.ID, OutputIndex: &i, Delta: &item.Arguments},
				responseEvent{Type: "response.function_call_arguments.done", ItemID: item.ID, OutputIndex: &i, Name: item.Name, Arguments: &item.Arguments},
				responseEvent{Type: "response.output_item.done", OutputIndex: &i, Item: item},
			)...)
		}
	}
	return append(out, f.events(responseEvent{Type: "response." + last.Status, Response: last})...)
}

// fail has what was sent, as an item that is not complete.
func (f *responseForm) fail(wrong *fault, sent string) []byte {
	last := f.body(failed)
	last.Error = &responseFault{wrong.code, wrong.says, wrong.text}
	if f.opened {
		last.Output = append(last.Output, f.message(cutShort, newOutputText(sent)))
	}
	return f.events(responseEvent{Type: "response.failed", Response: last})
}
