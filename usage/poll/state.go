package poll

import (
	"strings"
	"time"

	"windsock/probe/say"
	"windsock/usage"
	"windsock/usage/words"
)

// State is what a [Poller] knows at one moment. Treat it as immutable.
type State struct {
	// At is the moment, by the wall clock; Snapshot is judged at it.
	At time.Time
	// Snapshot holds the last good figures, had at its Source.FetchedAt. They
	// stay through failures, and are Source.Stale when they are as old as two
	// intervals, time asleep not counted, or no editor runs. Before there are any,
	// it is what is known without: the source and the plan's name at most.
	Snapshot usage.Snapshot
	// Err is why the last fetch brought nothing, as Fetch or Decode gave it;
	// nil after one that did.
	Err error
	// Fetching says that a fetch is under way.
	Fetching bool
	// Next is when the next fetch is due; zero while one is under way.
	Next time.Time
}

// HasFigures reports whether there were good figures at any time.
func (s State) HasFigures() bool { return len(s.Snapshot.Meters) > 0 }

// Age is how long ago the figures were had, by the wall clock and with time
// asleep; 0 without figures, for those of a cache, which carry no time, and when
// the clock was set back behind them.
func (s State) Age() time.Duration {
	if !s.HasFigures() || s.Snapshot.Source.FetchedAt.IsZero() {
		return 0
	}
	return max(0, s.At.Sub(s.Snapshot.Source.FetchedAt))
}

// Subscribe returns a channel of states. The present one is in it at once;
// after that one comes whenever anything has changed, and once a minute, so
// that the subscriber needs no clock of its own.
//
// Only the poller sends. The channel holds one state: one that was not taken
// gives way to a newer one, so that a slow subscriber holds nobody up, may miss
// states, and always comes to the latest. The poller closes the channel when
// Run ends, with the last state still in it, or when cancel is called, which
// may be done more than once.
func (p *Poller) Subscribe() (states <-chan State, cancel func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.look()
	// Capacity 1, latest wins: what is in it is taken out before a send, and
	// as only the holder of mu sends, there is room then.
	ch := make(chan State, 1)
	ch <- p.state()
	if p.ended {
		close(ch)
		return ch, func() {}
	}
	p.subscribers[ch] = struct{}{}
	return ch, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if _, there := p.subscribers[ch]; there {
			delete(p.subscribers, ch)
			close(ch)
		}
	}
}

// publish sends the present state to all. The caller holds mu.
func (p *Poller) publish() {
	state := p.state()
	for ch := range p.subscribers {
		select {
		case <-ch:
		default:
		}
		ch <- state
	}
}

// end sends a last state, in which nothing is under way or due any more.
func (p *Poller) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.look()
	p.ended = true
	p.publish()
	for ch := range p.subscribers {
		delete(p.subscribers, ch)
		close(ch)
	}
}

func (p *Poller) state() State {
	s := State{At: p.clock.wall, Snapshot: p.last.At(p.clock.wall), Err: p.err}
	s.Snapshot.Source.Stale = p.stale()
	switch {
	case p.ended:
	case p.schedule.fetching:
		s.Fetching = true
	default:
		s.Next = p.clock.wallAt(max(p.clock.awake, p.schedule.due(p.reset())))
	}
	return s
}

// Sentence says to people what the figures alone do not: that there are none
// yet, or that they are not fresh and why. It is empty beside fresh figures.
func (s State) Sentence(w words.Words) string {
	var why string
	switch {
	case s.Err != nil:
		why = say.Sentence(s.Err, s.Err.Error())
	case !s.HasFigures():
		return "Asking for the figures…"
	case s.Snapshot.Source.Kind == usage.KindCache:
		return fromCache
	case s.Snapshot.Source.Stale:
		why = "newer ones have not come yet"
	default:
		return ""
	}
	if !s.HasFigures() {
		return why
	}
	why, _, _ = strings.Cut(why, ". ") // what to do is for those who see no figures
	if s.Snapshot.Source.Kind == usage.KindCache {
		return fromCache + " (" + strings.TrimSuffix(why, ".") + ")"
	}
	return "Showing figures of " + w.Past(s.Snapshot.Source.FetchedAt, s.At) + " (" + strings.TrimSuffix(why, ".") + ")"
}

// fromCache says where figures come from that carry no time.
const fromCache = "Showing what the editor has kept, age unknown"
