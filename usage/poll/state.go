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
	// Snapshot holds the last good figures, fetched at its Source.FetchedAt. They stay
	// through failures, and are Source.Stale once they are two intervals old (sleep not
	// counted) or no editor runs. Before the first figures it holds the source and the
	// plan's name at most.
	Snapshot usage.Snapshot
	// Err is why the last fetch failed, from Fetch or Decode; nil after a success.
	Err error
	// Fetching says that a fetch is running.
	Fetching bool
	// Next is when the next fetch is due; zero during a fetch.
	Next time.Time
}

// HasFigures reports whether good figures ever came.
func (s State) HasFigures() bool { return len(s.Snapshot.Meters) > 0 }

// Age is the age of the figures by the wall clock, sleep included. It is 0 without
// figures, for a cache, which has no time, and when the clock was set back behind them.
func (s State) Age() time.Duration {
	if !s.HasFigures() || s.Snapshot.Source.FetchedAt.IsZero() {
		return 0
	}
	return max(0, s.At.Sub(s.Snapshot.Source.FetchedAt))
}

// Subscribe returns a channel of states. It holds the present state at once; a new one
// comes after every change, and once a minute, so that the subscriber needs no clock.
//
// Only the poller sends. The channel holds one state, and a newer one replaces it, so a
// slow subscriber blocks nothing, may miss states, and always gets the latest. The
// poller closes the channel when Run ends, with the last state still in it, or when
// cancel is called. cancel may be called more than once.
func (p *Poller) Subscribe() (states <-chan State, cancel func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.look()
	// Capacity 1, latest wins: a send first empties the channel, and then has room, as
	// only the holder of mu sends.
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

// publish sends the present state to all subscribers. The caller holds mu.
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

// end sends a last state, without a running or a due fetch.
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

// Sentence tells people what the figures do not show: that there are none yet, or why
// they are not fresh. It is empty beside fresh figures.
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
	why, _, _ = strings.Cut(why, ". ") // the cure is only shown without figures
	if s.Snapshot.Source.Kind == usage.KindCache {
		return fromCache + " (" + strings.TrimSuffix(why, ".") + ")"
	}
	return "Showing figures of " + w.Past(s.Snapshot.Source.FetchedAt, s.At) + " (" + strings.TrimSuffix(why, ".") + ")"
}

// fromCache explains figures without a time.
const fromCache = "Showing what the editor has kept, age unknown"
