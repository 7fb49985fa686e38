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
	// maxEvents and maxEventBytes limit what is stored for a stream that falls behind
	// or reconnects.
	maxEvents     = 4096
	maxEventBytes = 16 << 20
)

// hub has the events of a run. A stream continues where it was: a broken stream misses
// nothing, and a slow one delays no other.
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

// since returns the events after that number, the number of the last one, and a
// channel that reports more.
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

// missed returns the events for a new stream: those since it broke off; for a page's
// first stream the outcomes of prompts, since one may be its own. after is the last
// event that the page knows, from the page that it continues.
func (h *hub) missed(lastID, after string) (events []numbered, at uint64, fresh <-chan struct{}) {
	last, err := strconv.ParseUint(lastID, 10, 64)
	if err != nil {
		last, _ = strconv.ParseUint(after, 10, 64) // without it, all events
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

// movedEvent tells a page that another page continues in its place.
type movedEvent struct {
	Page string `json:"page"`
}

// overEvent is a stream's last event. Without it the page would have to infer the end
// from failing connections.
type overEvent struct {
	// Quit says that Windsock ends, not only this session.
	Quit bool `json:"quit"`
}

type usageEvent struct {
	Plans []plan `json:"plans"`
	// Live says that the last figures came from the editor.
	Live bool `json:"live"`
	// TwelveHour also applies to the times that the page writes.
	TwelveHour bool `json:"twelve_hour"`
}

// events serves a page's stream. The window is open as long as there is one.
func (s *served) events(w http.ResponseWriter, r *http.Request) {
	lastID := r.Header.Get("Last-Event-ID")
	after := r.FormValue("after")
	defer s.join(lastID == "", lastID == "" && after == "", r.FormValue("from"))()
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)() //nolint:contextcheck // it ends with either
	states, unsubscribe := s.config.Plan.Subscribe()
	defer unsubscribe()
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	out := stream{w: w, control: http.NewResponseController(w), limit: s.times.write}
	list, last, fresh := s.hub.missed(lastID, after)
	if out.send(list) != nil {
		return
	}
	beat := time.NewTicker(s.times.beat)
	defer beat.Stop()
	var told *usageEvent // the last one that was sent
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
		case plans, open := <-states:
			if !open {
				states = nil // the figures end before the window does
				continue
			}
			next := s.usageEvent(plans)
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

// tellEnd sends a stream the rest at the end of the run: the ends of answers, and the
// last event. A lost client is ignored.
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
