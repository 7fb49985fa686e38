package openai

import (
	"sync"
	"time"
)

// The local API keeps no conversation: a program sends all of it each time. But the AI
// SDK, unless store is false, sends the ID of an item in place of what a model said. So
// the last items are kept for that, in memory alone.

const (
	// saidTime is how long an item is kept.
	saidTime = 24 * time.Hour
	// maxSaid limits the bytes of all items; the oldest go first.
	maxSaid = 4 << 20
	// saidExtra is what an item takes beside its texts.
	saidExtra = 200
)

// said are the items that a client may refer to. The zero value is ready.
type said struct {
	mu    sync.Mutex // guards what is below
	items map[string]message
	order []saidItem // the oldest one first
	bytes int
}

type saidItem struct {
	id    string
	bytes int
	at    time.Time
}

// add keeps a message of the assistant as an item.
func (s *said) add(id string, m message) {
	one := saidItem{id, saidExtra + len(id) + len(m.text), time.Now()}
	for _, c := range m.calls {
		one.bytes += len(c.id) + len(c.name) + len(c.arguments)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.items == nil {
		s.items = map[string]message{}
	}
	s.items[id] = m
	s.order = append(s.order, one)
	s.bytes += one.bytes
	s.drop()
}

// find returns the message of an item; ok is false if it is not kept.
func (s *said) find(id string) (m message, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop()
	m, ok = s.items[id]
	return m, ok
}

// drop forgets what is too old or too much.
func (s *said) drop() {
	for len(s.order) > 0 && (s.bytes > maxSaid || time.Since(s.order[0].at) >= saidTime) {
		delete(s.items, s.order[0].id)
		s.bytes -= s.order[0].bytes
		s.order = s.order[1:]
	}
}
