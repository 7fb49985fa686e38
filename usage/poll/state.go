package poll

import (
	"strings"
	"time"

	"windsock/probe/say"
	"windsock/usage"
	"windsock/usage/words"
)

// State is what a [Poller] knows of one plan at one moment. Treat it as immutable.
type State struct {
	// At is the moment, by the wall clock; Snapshot is judged at it.
	At time.Time
	// Snapshot holds the last good figures, fetched at its Source.FetchedAt. They stay
	// through failures, and are Source.Stale once they are two intervals old (sleep not
	// counted) or no editor runs. Those of the cloud are Stale once they are two of its
	// own intervals old or it has failed. Before the first figures it holds the source
	// and the plan's name at most.
	Snapshot usage.Snapshot
	// Name is the plan's name for programs: its product, such as "windsurf", and with
	// the Hash where the product has several plans, such as "windsurf:3fa91c".
	Name string
	// Hash is the beginning of the account's hash; "" when the account is unknown.
	Hash string
	// Lead says that this plan is the one that the icon shows.
	Lead bool
	// Err is why the last fetch had no fresh figures of this plan; nil after a success.
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

// Subscribe returns a channel of the states of all plans. It holds the present ones at
// once; new ones come after every change, and once a minute, so that the subscriber
// needs no clock.
//
// Only the poller sends. The channel holds one value, and a newer one replaces it, so a
// slow subscriber blocks nothing, may miss values, and always gets the latest. The
// poller closes the channel when Run ends, with the last value still in it, or when
// cancel is called. cancel may be called more than once.
func (p *Poller) Subscribe() (plans <-chan Plans, cancel func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.look()
	// Capacity 1, latest wins: a send first empties the channel, and then has room, as
	// only the holder of mu sends.
	ch := make(chan Plans, 1)
	ch <- p.plans()
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

// publish sends the present states to all subscribers. The caller holds mu.
func (p *Poller) publish() {
	plans := p.plans()
	for ch := range p.subscribers {
		select {
		case <-ch:
		default:
		}
		ch <- plans
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

// plans are the present states to show. The caller holds mu.
func (p *Poller) plans() Plans {
	if !p.settled() {
		return merged([]State{{At: p.clock.wall, Snapshot: nothing(p.products[0].id).At(p.clock.wall), Fetching: true}}, p.lead, nil)
	}
	all := make([]State, 0, len(p.products))
	for _, d := range p.products {
		all = append(all, p.states(d)...)
	}
	return merged(all, p.lead, p.salt)
}

// settleTime is how long the figures of one product wait for the first answer of another
// one, which may have the plan that leads.
const settleTime = 2 * time.Second

// settled reports whether each product has answered once, or has had its time.
func (p *Poller) settled() bool {
	begun, all := false, true
	for _, d := range p.products {
		begun, all = begun || d.answered, all && d.answered
	}
	return !begun || all || p.ended || p.clock.awake >= settleTime
}

// states are those of a product's plans; without figures it is one.
func (p *Poller) states(d *asked) []State {
	common := State{At: p.clock.wall, Err: d.err}
	switch {
	case d.off:
		return nil
	case p.ended:
	case d.schedule.fetching:
		common.Fetching = true
	default:
		common.Next = p.clock.wallAt(max(p.clock.awake, d.schedule.due(p.reset(d))))
	}
	if len(d.plans) == 0 {
		common.Snapshot = d.found.At(p.clock.wall)
		return []State{common}
	}
	all := make([]State, 0, len(d.plans))
	for _, k := range d.plans {
		s := common
		s.Err, s.Snapshot = k.err, k.snapshot.At(p.clock.wall)
		s.Snapshot.Source.Stale = p.stale(d, k)
		all = append(all, s)
	}
	return all
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
	if source := s.Snapshot.Source; isNotRunning(s.Err) && source.App != "" && !source.Kind.IsKept() {
		why = source.App + " is not running" // the figures tell which app it was
	}
	if s.Snapshot.Source.Kind == usage.KindCache {
		return fromCache + " (" + strings.TrimSuffix(why, ".") + ")"
	}
	return w.Showing(s.Snapshot.Source.FetchedAt, s.At, why)
}

// fromCache explains figures without a time.
const fromCache = "Showing what the editor has kept, age unknown"
