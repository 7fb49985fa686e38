package openai

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"time"

	"windsock/chat"
	"windsock/probe/loopback"
)

// dialect is one of the two APIs: the same request and the same answer, each in a form
// of its own.
type dialect struct {
	// decode reads a request's body.
	decode func(*Server, []byte) (request, *fault)
	// input is the name of the field with the conversation.
	input string
	// id is what an answer's ID begins with.
	id string
	// form begins an answer.
	form func(*Server, *job) form
}

var (
	chatCompletions = dialect{
		decode: func(_ *Server, body []byte) (request, *fault) { return decodeChat(body) },
		input:  "messages", id: "chatcmpl-",
		form: func(_ *Server, j *job) form { return &chatForm{j} },
	}
	responses = dialect{
		decode: func(s *Server, body []byte) (request, *fault) { return decodeResponse(body, s.said.find) },
		input:  "input", id: "resp_",
		form: func(s *Server, j *job) form {
			return &responseForm{job: j, said: &s.said, messageID: "msg_" + rand.Text()}
		},
	}
)

// form is one answer in a dialect: either whole, or as the events of a stream, as they
// go over the wire: begin, then any number of grow and beat, then end or fail.
type form interface {
	whole(end ending) any
	begin() []byte
	// beat is a sign of life.
	beat() []byte
	// grow adds text to the content.
	grow(text string) []byte
	// end has the content, which is all sent, and the outcome.
	end(end ending) []byte
	// fail has the content that was sent.
	fail(f *fault, sent string) []byte
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

// answerIn serves the requests of a dialect.
func (s *Server) answerIn(d dialect) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { s.answer(w, r, d) }
}

func (s *Server) answer(w http.ResponseWriter, r *http.Request, d dialect) {
	size := heldSize(r)
	defer s.held.Add(-size)
	if s.held.Add(size) > maxHeld {
		errTooLarge.write(w)
		return
	}
	j, err := s.prepare(w, r, d)
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
	out := &stream{job: j, form: d.form(s, j), w: w, cancel: cancel}
	tell, stop := func(chat.Event) {}, func() {}
	if j.stream {
		tell, stop = out.tell, out.keepAlive(s.heartbeat)
	}
	defer stop() // also where Ask breaks: net/http takes the connection apart then
	answer, err := s.Chat.Ask(ctx, chat.Prompt{Text: j.prompt, Model: j.model.UID, Images: j.images}, tell)
	stop()
	switch {
	case err != nil:
		out.fail(s.explain(ctx, j, err, answer))
	case !j.stream:
		writeJSON(w, http.StatusOK, encode(out.form.whole(j.conclude(answer))))
	default:
		if f := out.end(answer); f != nil {
			s.failed.remember(j, f, true)
		}
	}
}

// prepare reads a request and finds its model.
func (s *Server) prepare(w http.ResponseWriter, r *http.Request, d dialect) (*job, error) {
	body, err := loopback.ReadBody(w, r, maxBody, bodyTime)
	switch {
	case errors.Is(err, loopback.ErrBodyTooLarge):
		return nil, &fault{status: http.StatusRequestEntityTooLarge, kind: invalidRequest, code: "request_too_large", says: fmt.Sprintf("The request has more than %d MB.", maxBody>>20), final: true}
	case errors.Is(err, loopback.ErrBodyTooSlow):
		return nil, &fault{status: http.StatusRequestTimeout, kind: invalidRequest, code: "request_too_slow", says: "The request did not come in time.", final: true}
	case err != nil:
		return nil, bad("", "The request broke off.")
	}
	decoded, wrong := s.decode(d, body)
	if wrong != nil {
		return nil, wrong
	}
	decoded.word = decoded.newWord()
	j := &job{request: decoded, prompt: decoded.fold(), id: d.id + rand.Text(), began: time.Now()}
	j.forget()
	if len(j.prompt) > chat.MaxPrompt {
		wrong := bad(d.input, "%s has more than %d KB, which no model reads.", d.input, chat.MaxPrompt>>10)
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

// decode decodes one body at a time, since that takes several times its memory.
func (s *Server) decode(d dialect, body []byte) (request, *fault) {
	s.decoding.Lock()
	defer s.decoding.Unlock()
	return d.decode(s, body)
}

// ending is the evaluation of a complete answer.
type ending struct {
	content  string
	calls    []call // each with an ID
	cut      bool   // the answer was ended at a limit
	warnings []string
	usage    usage
	account  chat.Account
}

// conclude evaluates the whole text of an answer.
func (j *job) conclude(answer chat.Answer) ending {
	end := ending{cut: answer.Cut, usage: j.usage(answer), account: answer.Account()}
	if ignored := j.withoutEffect(); ignored != "" {
		end.warnings = append(end.warnings, "Without effect: "+ignored+".")
	}
	end.content, end.calls = j.caller().find(answer.Text)
	if j.single && len(end.calls) > 1 {
		end.warnings = append(end.warnings, "The model called several tools at once; the first is passed on.")
		end.calls = end.calls[:1]
	}
	for i := range end.calls {
		end.calls[i].id = "call_" + rand.Text()
	}
	if len(end.calls) == 0 && j.choice.must {
		end.warnings = append(end.warnings, "The model called no tool although it had to; its text is passed on.")
	}
	if j.json && len(end.calls) == 0 {
		object, ok := findObject(end.content)
		if !ok {
			end.warnings = append(end.warnings, "The model gave no JSON object although it had to; its text is passed on.")
		}
		end.content = object
	}
	if answer.ToolOnly {
		end.warnings = append(end.warnings, "The model used the editor's own tools and said nothing.")
	}
	return end
}
