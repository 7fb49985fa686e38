package window

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"windsock/chat"
	"windsock/probe/say"
)

// maxAsks limits the simultaneous answers.
const maxAsks = 4

// asks are the prompts under way.
type asks struct {
	served *served

	mu      sync.Mutex // guards cancels
	cancels map[string]context.CancelFunc
}

// askEvent is a change of an answer. Fields that do not apply are omitted.
type askEvent struct {
	ID       string      `json:"id"`
	Kind     string      `json:"kind"`
	Text     *string     `json:"text,omitempty"`
	Words    string      `json:"words,omitempty"`
	Sentence string      `json:"sentence,omitempty"`
	Answer   *answer     `json:"answer,omitempty"`
	Offer    *AgentOffer `json:"offer,omitempty"`
}

type answer struct {
	Text string `json:"text"`
	// Took is in words, such as "3.4 s". It is empty if an answer failed at once.
	Took string `json:"took"`
	// Left says what remains in the program that was asked; empty for nothing.
	Left     string `json:"left"`
	ToolOnly bool   `json:"tool_only"`
	// Open says that the conversation goes on for further prompts.
	Open bool `json:"open"`
	// Cost is in words. It is empty if an answer failed and its cost is unknown.
	Cost string `json:"cost"`
	// By is the ID of the agent that was asked; empty for Cascade.
	By string `json:"by,omitempty"`
}

// ask starts a prompt, in a conversation of its own or in that of a card.
func (a *asks) ask(w http.ResponseWriter, r *http.Request) { //nolint:contextcheck // an answer outlives its request
	var prompt struct {
		Text, Model, Further string

		Images [][]byte // in base64
	}
	if body, ok := a.served.body(w, r, maxAsk); !ok || !parse(w, body, &prompt) {
		return
	}
	switch {
	case strings.TrimSpace(prompt.Text) == "":
		fail(w, http.StatusUnprocessableEntity, "no_prompt", "There is no prompt. Write one.")
		return
	case len(prompt.Text) > chat.MaxPrompt || !utf8.ValidString(prompt.Text):
		fail(w, http.StatusUnprocessableEntity, "too_large", "The prompt has more than 768 KB, which no model reads.")
		return
	}
	var images []chat.Image
	for _, file := range prompt.Images {
		var err error
		if images, err = chat.AddImage(images, file); err != nil {
			failWith(w, http.StatusUnprocessableEntity, err)
			return
		}
	}
	id := uuid.NewString()
	ctx, cancel := context.WithCancel(a.served.ctx)
	if !a.enter(id, cancel) {
		cancel()
		fail(w, http.StatusTooManyRequests, "busy", "Several answers are under way. Wait for one of them, or stop it.")
		return
	}
	ref := ""
	if prompt.Further != "" {
		var err error
		if ref, err = a.served.cards.goOn(prompt.Further, id); err != nil {
			a.forget(id)
			failWith(w, http.StatusConflict, err)
			return
		}
	}
	asked := chat.Prompt{Text: prompt.Text, Model: prompt.Model, Images: images, Keep: true, Further: ref}
	if !a.served.begin(func(context.Context) { a.follow(ctx, id, cmp.Or(prompt.Further, id), asked) }) {
		a.forget(id)
		fail(w, http.StatusServiceUnavailable, "ended", "This window is about to close. Open it again.")
		return
	}
	write(w, http.StatusAccepted, map[string]string{"id": id})
}

// enter makes a prompt's entry, unless the limit is reached.
func (a *asks) enter(id string, cancel context.CancelFunc) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.cancels) >= maxAsks {
		return false
	}
	a.cancels[id] = cancel
	return true
}

// follow reports an answer until it ends. card is the id of the card's first prompt.
func (a *asks) follow(ctx context.Context, id, card string, prompt chat.Prompt) {
	defer a.forget(id)
	tell := func(e askEvent) {
		e.ID = id
		a.served.hub.tell("ask", e)
	}
	got, err := a.served.config.Chat.Ask(ctx, prompt, func(e chat.Event) {
		switch e.Kind {
		case chat.Grows:
			tell(askEvent{Kind: "grows", Text: &e.Text})
		case chat.Changes:
			tell(askEvent{Kind: "changes", Text: &e.Text})
		case chat.Works:
			tell(askEvent{Kind: "works", Words: e.Text})
		}
	})
	open := got.Left == chat.LeftOpen
	if prompt.Further != "" && got.Ref == "" { // it came to no conversation, and has changed none
		open = say.Code(err) != string(chat.ConversationGone)
	}
	end := askEvent{Kind: "done", Answer: &answer{
		Text: got.Text, Took: chat.Took(got.Duration), Left: leftWords(got.Left, got.Engine), ToolOnly: got.ToolOnly, Open: open, Cost: got.CostWords(),
	}}
	if chat.IsAgent(got.Engine) {
		end.Answer.By = got.Engine
	}
	if err != nil {
		end.Kind, end.Sentence = "failed", failureOf(err).Sentence
		if errors.Is(err, context.Canceled) {
			end.Sentence = "Stopped."
		}
		end.Offer = a.offer(ctx, err)
		if got.Cost == (chat.Cost{}) && got.Tokens == nil {
			end.Answer.Cost = ""
		}
		if got.Duration < 100*time.Millisecond {
			end.Answer.Took = ""
		}
	}
	oldest := a.served.cards.answered(card, got, open)
	tell(end)
	if oldest != "" {
		a.served.cards.end(oldest, limitWords)
	}
	if open && a.served.ctx.Err() != nil {
		a.served.config.Chat.End(context.WithoutCancel(ctx), cmp.Or(prompt.Further, got.Ref))
	}
}

// forget ends a prompt's entry, and its context.
func (a *asks) forget(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if cancel := a.cancels[id]; cancel != nil {
		cancel()
	}
	delete(a.cancels, id)
}

// stop cancels a prompt. For an ended one it does nothing.
func (a *asks) stop(w http.ResponseWriter, r *http.Request) {
	a.cancel(r.PathValue("id"))
	w.WriteHeader(http.StatusNoContent)
}

func (a *asks) cancel(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if cancel := a.cancels[id]; cancel != nil {
		cancel()
	}
}

func leftWords(left chat.Leftover, engine string) string {
	agent := chat.IsAgent(engine)
	switch {
	case left == chat.LeftForNow && agent:
		return "not deleted yet"
	case left == chat.LeftForNow:
		return "not archived yet"
	case left == chat.LeftForGood && agent:
		return "left in the agent's own list"
	case left == chat.LeftForGood:
		return "not archived"
	}
	return ""
}
