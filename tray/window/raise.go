package window

import (
	"context"
	"encoding/json"
	"net/http"
	"time"
)

// raise makes the pages show a view, and reports whether one of them is in front. If
// none is, the next page continues with the state that one of them hands over.
func (s *served) raise(ctx context.Context, view View) bool {
	for len(s.raised) > 0 {
		<-s.raised // the answer to a previous question
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

// answerRaise records whether the page has the focus after it was asked to show a
// view. If not, the page's state goes to its successor, in memory only. If the
// successor has started already, the state comes too late, and the page stays.
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
	default: // far more pages than people use
	}
	w.WriteHeader(http.StatusNoContent)
}
