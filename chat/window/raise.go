package window

import (
	"context"
	"encoding/json"
	"net/http"
	"time"
)

// raise has the pages show a view, and reports whether one of them is in front.
func (s *served) raise(ctx context.Context, view View) bool {
	select {
	case <-s.raised: // the answer to another question
	default:
	}
	s.hub.tell("view", viewEvent{view})
	late := time.NewTimer(s.times.raise)
	defer late.Stop()
	select {
	case focused := <-s.raised:
		return focused
	case <-late.C:
	case <-ctx.Done():
	}
	return false
}

// answerRaise takes in whether the page has the focus after it was asked to show a
// view; where not, what it holds goes to its successor, through memory alone.
func (s *served) answerRaise(w http.ResponseWriter, r *http.Request) {
	var answer struct {
		Focused bool            `json:"focused"`
		State   json.RawMessage `json:"state"`
	}
	if !s.read(w, r, &answer) {
		return
	}
	if !answer.Focused {
		s.mu.Lock()
		s.handed = answer.State
		s.mu.Unlock()
	}
	select {
	case s.raised <- answer.Focused:
	default: // another page was quicker
	}
	w.WriteHeader(http.StatusNoContent)
}
