package window

import (
	"context"
	"encoding/json"
	"net/http"
	"time"
)

// raise has the pages show a view, and reports whether one of them is in front. Where
// none is, the next page goes on where one of them hands over.
func (s *served) raise(ctx context.Context, view View) bool {
	for len(s.raised) > 0 {
		<-s.raised // the answer to another question
	}
	s.mu.Lock()
	s.moving, s.handed = true, nil
	pages := s.streams
	s.mu.Unlock()
	s.hub.tell("view", viewEvent{view})
	late := time.NewTimer(s.times.raise)
	defer late.Stop()
	for range pages {
		select {
		case focused := <-s.raised:
			if focused {
				s.mu.Lock()
				s.moving, s.handed = false, nil
				s.mu.Unlock()
				return true
			}
		case <-late.C:
			return false
		case <-ctx.Done():
			return false
		}
	}
	return false
}

// answerRaise takes in whether the page has the focus after it was asked to show a
// view; where not, what it holds goes to its successor, through memory alone. Where
// that is there already, it comes too late, and the page stays.
func (s *served) answerRaise(w http.ResponseWriter, r *http.Request) {
	var answer struct {
		Focused bool            `json:"focused"`
		State   json.RawMessage `json:"state"`
	}
	body, ok := s.body(w, r, maxHanded)
	if !ok || !parse(w, body, &answer) {
		return
	}
	if !answer.Focused {
		s.mu.Lock()
		if s.moving {
			s.handed = answer.State
		}
		s.mu.Unlock()
	}
	select {
	case s.raised <- answer.Focused:
	default: // there are more pages than anybody has
	}
	w.WriteHeader(http.StatusNoContent)
}
