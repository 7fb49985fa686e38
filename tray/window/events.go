package window

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"sync"
	"time"
)

const (
	// maxEvents and maxEventBytes are what is kept for a stream that falls behind or
	// comes again.
	maxEvents     = 4096
	maxEventBytes = 16 << 20
)

// hub has the events of a run. A stream reads on from where it was, so that one
// that was broken off misses nothing, and a slow one holds no other up.
type hub struct {
	mu    sync.Mutex
	first uint64 // the number of list[0]
	list  []event
	bytes int
	fresh chan struct{} // closed, and made anew, with each event
}

type event struct {
	name string
	data []byte
}

func newHub() *hub { return &hub{first: 1, fresh: make(chan struct{})} }

// tell adds an event.
func (h *hub) tell(name string, value any) {
	data, err := json.Marshal(value)
	if err != nil {
		data = []byte("null")
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.list = append(h.list, event{name, data})
	h.bytes += len(data)
	for len(h.list) > 1 && (len(h.list) > maxEvents || h.bytes > maxEventBytes) {
		h.bytes -= len(h.list[0].data)
		h.list[0] = event{}
		h.list, h.first = h.list[1:], h.first+1
	}
	close(h.fresh)
	h.fresh = make(chan struct{})
}

// since are the events after that number, the number of the last one, and what
// tells of more.
func (h *hub) since(last uint64) (events []numbered, at uint64, fresh <-chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for i, e := range h.list {
		if n := h.first + uint64(i); n > last {
			events = append(events, numbered{e, n})
		}
	}
	return events, h.first + uint64(len(h.list)) - 1, h.fresh
}

// numbered is an event with its number.
type numbered struct {
	event

	number uint64
}

// missed are the events for a stream that begins: those since it broke off, and for
// a page's first one what became of prompts, one of which may be its own. after is
// the last event that a page knows of by the one where it goes on.
func (h *hub) missed(lastID, after string) (events []numbered, at uint64, fresh <-chan struct{}) {
	last, err := strconv.ParseUint(lastID, 10, 64)
	if err != nil {
		last, _ = strconv.ParseUint(after, 10, 64) // else all that there are
	}
	events, at, fresh = h.since(last)
	if err != nil {
		events = slices.DeleteFunc(events, func(e numbered) bool { return e.name != "ask" })
	}
	return events, at, fresh
}

type viewEvent struct {
	View View `json:"view"`
}

// movedEvent tells a page that another one goes on where it is.
type movedEvent struct {
	Page string `json:"page"`
}

// overEvent is a stream's last one. Without it the page would have to guess from
// connections that fail.
type overEvent struct {
	// Quit says that Windsock ends, and not this session alone.
	Quit bool `json:"quit"`
}

type usageEvent struct {
	Lines []line `json:"lines"`
	// Live says that the editor has given the figures when it was last asked.
	Live bool `json:"live"`
	// TwelveHour is how the page writes times, too.
	TwelveHour bool `json:"twelve_hour"`
}

// events is a page's stream. The window is open for as long as there is one.
func (s *served) events(w http.ResponseWriter, r *http.Request) {
	lastID := r.Header.Get("Last-Event-ID")
	defer s.join(lastID == "", r.FormValue("from"))()
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)() //nolint:contextcheck // it ends with either
	states, unsubscribe := s.config.Plan.Subscribe()
	defer unsubscribe()
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	out := stream{w: w, control: http.NewResponseController(w), limit: s.times.write}
	list, last, fresh := s.hub.missed(lastID, r.FormValue("after"))
	if out.send(list) != nil {
		return
	}
	beat := time.NewTicker(s.times.beat)
	defer beat.Stop()
	var told *usageEvent // last
	for {
		var err error
		select {
		case <-ctx.Done():
			if s.ctx.Err() != nil {
				s.tellEnd(out, last)
			}
			return
		case <-fresh:
			list, last, fresh = s.hub.since(last)
			err = out.send(list)
		case state, open := <-states:
			if !open {
				states = nil // the figures end before the window does
				continue
			}
			next := s.usageEvent(state)
			if told == nil || !reflect.DeepEqual(next, *told) {
				told, err = &next, out.write("usage", 0, next)
			}
		case <-beat.C:
			err = out.raw(": \n\n")
		}
		if err != nil {
			s.config.Log.DebugContext(ctx, "stream of events ended", slog.Any("err", err))
			return
		}
	}
}

// tellEnd tells a stream what is still to come when the run is over: the ends of
// answers, and that there is no more. Who does not listen is not told.
func (s *served) tellEnd(out stream, last uint64) {
	s.work.Wait()
	list, _, _ := s.hub.since(last)
	if out.send(list) != nil {
		return
	}
	s.mu.Lock()
	quit := s.closed
	s.mu.Unlock()
	_ = out.write("over", 0, overEvent{quit})
}

// stream writes server-sent events.
type stream struct {
	w       http.ResponseWriter
	control *http.ResponseController
	limit   time.Duration
}

func (o stream) send(events []numbered) error {
	if len(events) == 0 {
		return o.raw(": \n\n") // the page sees that it is there
	}
	for _, e := range events {
		if err := o.write(e.name, e.number, json.RawMessage(e.data)); err != nil {
			return err
		}
	}
	return nil
}

func (o stream) write(name string, id uint64, value any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("write event: %w", err)
	}
	text := "event: " + name + "\n"
	if id > 0 {
		text += "id: " + strconv.FormatUint(id, 10) + "\n"
	}
	return o.raw(text + "data: " + string(data) + "\n\n")
}

func (o stream) raw(text string) error {
	if err := o.control.SetWriteDeadline(time.Now().Add(o.limit)); err != nil {
		return fmt.Errorf("write event: %w", err)
	}
	if _, err := o.w.Write([]byte(text)); err != nil {
		return fmt.Errorf("write event: %w", err)
	}
	if err := o.control.Flush(); err != nil {
		return fmt.Errorf("write event: %w", err)
	}
	return nil
}
