package openai

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"time"

	"windsock/chat"
	"windsock/probe/loopback"
)

// completion is an answer, or a piece of a streamed one. It omits what the server does
// not tell, such as the number of tokens.
type completion struct {
	ID       string        `json:"id"`
	Object   string        `json:"object"`
	Created  int64         `json:"created"`
	Model    string        `json:"model"`
	Choices  []answerPart  `json:"choices"`
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

// job is a request in progress.
type job struct {
	request

	prompt string
	id     string
	began  time.Time
	model  chat.Model
	name   string // of the model, for the answer
}

// serveCompletion answers a request.
func (s *Server) serveCompletion(w http.ResponseWriter, r *http.Request) {
	j, err := s.prepare(w, r)
	if err != nil {
		fail(w, r, err)
		return
	}
	if ignored := j.withoutEffect(); ignored != "" {
		w.Header().Set("Windsock-Ignored", ignored)
	}
	if f := s.failed.refuse(j); f != nil {
		f.write(w)
		return
	}
	if err := s.enter(r.Context()); err != nil {
		fail(w, r, err)
		return
	}
	defer s.leave()
	if f := s.failed.refuse(j); f != nil { // failed while this job waited
		f.write(w)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), askTime)
	defer cancel()
	out := &stream{job: j, w: w, cancel: cancel}
	tell, stop := func(chat.Event) {}, func() {}
	if j.stream {
		tell, stop = out.tell, out.keepAlive(s.heartbeat)
	}
	answer, err := s.Chat.Ask(ctx, chat.Prompt{Text: j.prompt, Model: j.model.UID}, tell)
	stop()
	switch {
	case err != nil:
		out.fail(s.explain(ctx, j, err, answer))
	case !j.stream:
		j.write(w, answer)
	default:
		if f := out.end(answer); f != nil {
			s.failed.remember(j, f, true)
		}
	}
}

// write answers in one piece.
func (j *job) write(w http.ResponseWriter, answer chat.Answer) {
	end := j.conclude(answer)
	part := reply{Role: "assistant", Calls: end.calls}
	if end.content != "" || len(end.calls) == 0 {
		part.Content = &end.content
	}
	whole := j.frame("chat.completion", answerPart{Message: &part, FinishReason: &end.reason})
	whole.Warnings, whole.Windsock = end.warnings, new(answer.Account())
	writeJSON(w, http.StatusOK, encode(whole))
}

// prepare reads a request and finds its model.
func (s *Server) prepare(w http.ResponseWriter, r *http.Request) (*job, error) {
	body, err := loopback.ReadBody(w, r, maxBody, bodyTime)
	switch {
	case errors.Is(err, loopback.ErrBodyTooLarge):
		return nil, &fault{status: http.StatusRequestEntityTooLarge, kind: invalidRequest, code: "request_too_large", says: "The request has more than 8 MB.", final: true}
	case errors.Is(err, loopback.ErrBodyTooSlow):
		return nil, &fault{status: http.StatusRequestTimeout, kind: invalidRequest, code: "request_too_slow", says: "The request did not come in time.", final: true}
	case err != nil:
		return nil, bad("", "The request broke off.")
	}
	decoded, wrong := decode(body)
	if wrong != nil {
		return nil, wrong
	}
	decoded.word = decoded.newWord()
	j := &job{request: decoded, prompt: decoded.fold(), id: "chatcmpl-" + rand.Text(), began: time.Now()}
	j.forget()
	if len(j.prompt) > chat.MaxPrompt {
		wrong := bad("messages", "The messages have more than %d KB, which no model reads.", chat.MaxPrompt>>10)
		wrong.code = "context_length_exceeded"
		return nil, wrong
	}
	name := j.request.model
	if name == "default" {
		name = ""
	}
	var all chat.Catalogue
	if j.model, all, err = s.Chat.Choose(r.Context(), name); err != nil {
		return nil, err
	}
	j.name = modelID(all, j.model)
	return j, nil
}

func (j *job) frame(object string, part answerPart) completion {
	return completion{ID: j.id, Object: object, Created: j.began.Unix(), Model: j.name, Choices: []answerPart{part}}
}

// ending is the evaluation of a complete answer.
type ending struct {
	content  string
	calls    []calledTool
	reason   string
	warnings []string
}

// conclude evaluates the whole text of an answer.
func (j *job) conclude(answer chat.Answer) ending {
	end := ending{reason: "stop"}
	if ignored := j.withoutEffect(); ignored != "" {
		end.warnings = append(end.warnings, "Without effect: "+ignored+".")
	}
	content, calls := j.caller().find(answer.Text)
	if j.single && len(calls) > 1 {
		end.warnings = append(end.warnings, "The model called several tools at once; the first is passed on.")
		calls = calls[:1]
	}
	for _, c := range calls {
		called := calledTool{ID: "call_" + rand.Text(), Type: "function"}
		called.Function.Name, called.Function.Arguments = c.name, c.arguments
		end.calls = append(end.calls, called)
		end.reason = "tool_calls"
	}
	if len(calls) == 0 && j.choice.must {
		end.warnings = append(end.warnings, "The model called no tool although it had to; its text is passed on.")
	}
	if j.json && len(calls) == 0 {
		object, ok := findObject(content)
		if !ok {
			end.warnings = append(end.warnings, "The model gave no JSON object although it had to; its text is passed on.")
		}
		content = object
	}
	if answer.ToolOnly {
		end.warnings = append(end.warnings, "The model used the editor's own tools and said nothing.")
	}
	end.content = content
	return end
}
