package window

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"windsock/chat"
)

// AgentOffer is an agent that can answer in Cascade's place, with what a person has to know
// before they choose it.
type AgentOffer struct {
	Engine string `json:"engine"` // its ID
	Name   string `json:"name"`   // such as "Devin's agent"
	// Words are paragraphs.
	Words []string `json:"words"`
}

// offer is the agent to offer after a failed prompt; nil unless Cascade is off, and the
// person has not answered before.
func (a *asks) offer(ctx context.Context, failed error) *AgentOffer {
	if f, ok := errors.AsType[*chat.Failure](failed); !ok || f.Code != chat.CascadeOff {
		return nil
	}
	return a.served.config.Chat.Offer(ctx)
}

// chooseEngine makes an engine the configured one.
func (s *served) chooseEngine(w http.ResponseWriter, r *http.Request) {
	var body struct{ Engine string }
	if !s.read(w, r, &body) {
		return
	}
	if !slices.Contains(chat.Engines(), body.Engine) {
		fail(w, http.StatusUnprocessableEntity, "bad_request", "There is no such engine.")
		return
	}
	if err := s.config.Chat.SetEngine(body.Engine); err != nil {
		failWith(w, http.StatusInternalServerError, err)
		return
	}
	write(w, http.StatusOK, struct{}{})
}
