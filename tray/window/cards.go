package window

import (
	"context"
	"fmt"
	"net/http"
	"sync"

	"windsock/chat"
)

// maxOpen limits the conversations that are open at a time.
const maxOpen = 8

// cards are the page's cards whose conversations are open, by the id of their first
// prompt.
type cards struct {
	served *served

	mu   sync.Mutex // guards what follows
	open map[string]*card
	last int // the number of the card that was opened last
}

// card is a conversation.
type card struct {
	ref     string // for the engine
	engine  string // its ID
	number  int
	running string // the id of the prompt under way; empty if there is none
	closing bool
}

// goOn returns the conversation of a card for a further prompt. The error is a
// *chat.Failure.
func (c *cards) goOn(id, prompt string) (ref string, _ error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	one := c.open[id]
	switch {
	case one == nil || one.closing:
		return "", &chat.Failure{Code: chat.ConversationGone}
	case one.running != "":
		return "", &chat.Failure{Code: chat.Busy, Says: "This conversation has a prompt under way", Cure: "Wait for its answer, or stop it."}
	}
	one.running = prompt
	return one.ref, nil
}

// answered records how a prompt has left the conversation of its card. With a card too
// many it returns the oldest one, which is to be closed.
func (c *cards) answered(id string, answer chat.Answer, open bool) (oldest string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	one := c.open[id]
	if one == nil && open {
		c.last++
		one = &card{ref: answer.Ref, engine: answer.Engine, number: c.last}
		c.open[id] = one
	}
	if one != nil {
		one.running = ""
	}
	if !open {
		delete(c.open, id)
	}
	if len(c.open) <= maxOpen {
		return ""
	}
	for key, other := range c.open {
		if other.running == "" && !other.closing && (oldest == "" || other.number < c.open[oldest].number) {
			oldest = key
		}
	}
	return oldest
}

// limitWords say why a conversation was closed.
var limitWords = fmt.Sprintf("This conversation is closed, since %d are open at most.", maxOpen)

// closedEvent is a card whose conversation has ended.
type closedEvent struct {
	ID   string `json:"id"`
	Kind string `json:"kind"`
	// Words say why, unless the page has asked for it. Left says what remains.
	Words string `json:"words,omitempty"`
	Left  string `json:"left"`
}

// close ends the conversation of a card, and first cancels a prompt under way in it. For
// one that is closed it does nothing.
func (c *cards) close(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	c.mu.Lock()
	running := ""
	if one := c.open[id]; one != nil {
		running = one.running
	}
	c.mu.Unlock()
	if running != "" {
		c.served.asks.cancel(running)
	}
	c.end(id, "")
	w.WriteHeader(http.StatusNoContent)
}

// end ends the conversation of a card in the background, and tells the pages.
func (c *cards) end(id, words string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	one := c.open[id]
	if one == nil || one.closing {
		return
	}
	one.closing = c.served.begin(func(ctx context.Context) {
		left := c.served.config.Chat.End(context.WithoutCancel(ctx), one.ref)
		c.mu.Lock()
		delete(c.open, id)
		c.mu.Unlock()
		c.served.hub.tell("ask", closedEvent{id, "closed", words, leftWords(left, one.engine)})
	}) // else the run is over, which ends them all
}

// endAll ends all conversations, at the same time, and returns when that is done.
func (c *cards) endAll(ctx context.Context) {
	c.mu.Lock()
	var refs []string
	for _, one := range c.open {
		if !one.closing {
			refs = append(refs, one.ref)
		}
	}
	c.mu.Unlock()
	var ending sync.WaitGroup
	for _, ref := range refs {
		ending.Go(func() { c.served.config.Chat.End(ctx, ref) })
	}
	ending.Wait()
}

// closeAll ends all conversations that no prompt runs in, since no page shows their
// cards any more.
func (c *cards) closeAll() {
	c.mu.Lock()
	var ids []string
	for id, one := range c.open {
		if one.running == "" {
			ids = append(ids, id)
		}
	}
	c.mu.Unlock()
	for _, id := range ids {
		c.end(id, "")
	}
}
