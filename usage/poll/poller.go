// Package poll keeps the figures of a plan current: a [Poller] fetches them repeatedly,
// [Look] once. A [Fetch] supplies the answers.
package poll

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"windsock/usage"
	"windsock/usage/pace"
)

// Poller fetches the plan repeatedly, one fetch at a time: at once, at every interval,
// five seconds after a meter's reset, after a wake from sleep, when the process that
// gave the figures has ended, and on demand. After a failure it retries in 10 s, then
// in 1, 2, 4, 8, 16 and 30 minutes, and keeps the last good figures.
//
// Some failures last until the user acts at the editor, and the user then wants to see
// the figures: the editor has to be started (code not_running), is starting or has to
// be restarted (no_port, no_token), or needs a sign-in (not_signed_in). Such a retry
// costs next to nothing: it stays on this machine, except that the server checks a
// refused key with its cloud. So they are retried in 10 s and then every minute. A
// failure of another kind starts again at 10 s. Each of the four is a kind, and all
// others together are one, so that a server with changing failures is still left in
// peace.
//
// Time asleep counts neither towards an interval nor towards staleness. A jump of the
// wall clock, in either direction, counts as a sleep: the next fetch is five seconds
// later.
//
// All methods may be called from any goroutine, before, during and after Run.
type Poller struct {
	fetch  Fetch
	record Record
	recall Recall

	// poke wakes Run up; capacity 1, any method sends, it is never closed. A second
	// poke is dropped, since Run checks everything anyway.
	poke chan struct{}

	// mu guards everything below.
	mu       sync.Mutex
	ran      bool
	ended    bool
	clock    clock
	schedule schedule
	server   process
	variant  string
	pace     pace.Options
	// cancel ends the running fetch; dropped says that its result belongs to a variant
	// that is no longer wanted.
	cancel  context.CancelFunc
	dropped bool
	// last holds the figures, or what is known without any; history are the samples
	// before them. asked is when the last fetch began, by the wall clock; got is when
	// the figures came, in time awake.
	last        usage.Snapshot
	history     pace.History
	err         error
	asked       time.Time
	got         time.Duration
	subscribers map[chan State]struct{}
}

// New returns a poller, which starts with Run.
func New(c Config) *Poller {
	if c.Now == nil {
		c.Now = time.Now
	}
	return &Poller{
		fetch:       c.Fetch,
		record:      c.Record,
		recall:      c.Recall,
		variant:     c.Variant,
		pace:        c.Pace,
		poke:        make(chan struct{}, 1),
		clock:       newClock(c.Now, cmp.Or(c.Speed, 1)),
		schedule:    newSchedule(bounded(c.Interval), rand.Float64),
		server:      process{runs: c.Runs, every: cmp.Or(c.LookEvery, stateEvery)},
		last:        unknown(),
		subscribers: map[chan State]struct{}{},
	}
}

// unknown is the snapshot before the first answer.
func unknown() usage.Snapshot {
	return usage.Snapshot{Source: usage.Source{Kind: usage.KindLanguageServer}}
}

// Run polls until ctx ends, and then returns nil; it waits for a running fetch and
// drops its result. At its end it closes the subscribers' channels. A poller runs once;
// a second Run is an error.
func (p *Poller) Run(ctx context.Context) error {
	p.mu.Lock()
	ran := p.ran
	p.ran = true
	p.mu.Unlock()
	if ran {
		return errors.New("run poller: it has run already")
	}
	defer p.end()
	// At most one fetch is running, and Run waits for its goroutine. The channel has
	// room for its result, so that the goroutine always ends.
	results := make(chan result, 1)
	var fetches sync.WaitGroup
	defer fetches.Wait()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		wait, fetch := p.step(ctx)
		if fetch != nil {
			fetches.Go(func() { results <- fetch() })
		}
		timer.Reset(wait)
		select {
		case <-ctx.Done():
			return nil
		case <-timer.C:
		case <-p.poke:
		case r := <-results:
			if ctx.Err() != nil {
				return nil
			}
			p.take(r)
		}
	}
}

// result is the result of a fetch.
type result struct {
	snapshot usage.Snapshot
	history  pace.History
	err      error
}

// Refresh asks for a fetch at once. It returns 0 when there is one, even if it was
// running already. Otherwise the last fetch began less than five seconds ago: it does
// nothing and returns the rest of the five seconds.
func (p *Poller) Refresh() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.look()
	wait := p.schedule.refreshIn(p.clock.awake)
	if wait == 0 && !p.schedule.fetching {
		p.schedule.refresh = true
		p.wakeRun()
	}
	return wait
}

// PromptEnded asks for a fetch in 30 s, when the server knows the prompt's cost. Of
// several prompts within that time the last one counts.
func (p *Poller) PromptEnded() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.look()
	p.schedule.prompt = p.clock.awake + promptDelay
	p.wakeRun()
}

// look reads the clocks. The caller holds mu.
func (p *Poller) look() {
	if p.clock.look() {
		p.schedule.wake(p.clock.awake)
		p.wakeRun()
	}
}

func (p *Poller) wakeRun() {
	select {
	case p.poke <- struct{}{}:
	default:
	}
}

// step handles whatever is due and sends the state to the subscribers. It returns the
// fetch to begin, or nil, and the time until something else is due.
func (p *Poller) step(ctx context.Context) (wait time.Duration, fetch func() result) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.look()
	now := p.clock.awake
	if !p.schedule.fetching && p.server.ended() {
		p.schedule.anew()
	}
	if !p.schedule.fetching && p.schedule.due(p.reset()) <= now {
		p.schedule.begin(now, p.reset())
		p.asked = p.clock.wall
		fetch = p.begin(ctx)
	}
	p.publish()
	wait = p.quiet()
	p.clock.alarm = p.clock.mono + wait
	return wait, fetch
}

// begin returns the fetch of the present variant. The caller holds mu.
func (p *Poller) begin(ctx context.Context) func() result {
	ctx, cancel := context.WithCancel(ctx)
	variant := p.variant
	p.cancel = cancel
	var recall Recall
	if len(p.last.Meters) == 0 { // fetched figures are better than cached ones
		recall = p.recall
	}
	return func() result {
		defer cancel()
		snapshot, err := p.fetch.Snapshot(ctx, variant, p.clock.wallNow)
		if err != nil || ctx.Err() != nil {
			return result{recall.Instead(ctx, variant, snapshot, err), nil, err}
		}
		return result{snapshot, p.record.History(ctx, snapshot), nil}
	}
}

// take stores the result of a fetch.
func (p *Poller) take(r result) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.look()
	p.schedule.end(p.clock.awake, r.err)
	if p.dropped {
		p.dropped = false
		return
	}
	p.err = r.err
	if r.err == nil {
		p.got = p.clock.awake
		p.server.keep(r.snapshot.Source.PID)
	}
	// A running editor's answer beats a cache.
	outdated := p.cached() && !isNotRunning(r.err)
	if r.err == nil || len(p.last.Meters) == 0 || outdated {
		p.last, p.history = pace.Judge(r.snapshot, r.history, p.pace), r.history
	}
}

// stateEvery is how often a state is sent when only the time has changed.
const stateEvery = time.Minute

// quiet is the time until the state next changes by itself.
func (p *Poller) quiet() time.Duration {
	now := p.clock.awake
	next := now + stateEvery
	if p.server.pid != 0 {
		next = min(next, now+p.server.every)
	}
	if !p.schedule.fetching {
		next = min(next, p.schedule.due(p.reset()))
	}
	if len(p.last.Meters) > 0 && !p.stale() {
		next = min(next, p.got+p.schedule.lifetime())
	}
	for _, m := range p.last.Meters {
		if m.Window.End.After(p.clock.wall) {
			next = min(next, p.clock.awakeAt(m.Window.End))
		}
	}
	return next - now
}

// reset is when a fetch is due for the first reset that has had none.
func (p *Poller) reset() time.Duration {
	first := never
	for _, m := range p.last.Meters {
		if m.Window.End.IsZero() || p.cached() {
			continue
		}
		if at := m.Window.End.Add(resetDelay); at.After(p.asked) {
			first = min(first, p.clock.awakeAt(at))
		}
	}
	return first
}

// cached reports whether the figures come from an editor's cache.
func (p *Poller) cached() bool { return p.last.Source.Kind == usage.KindCache }

// stale reports whether the figures are outdated: they are old, or no editor runs that
// could give newer ones.
func (p *Poller) stale() bool {
	old := p.clock.awake >= p.got+p.schedule.lifetime()
	return p.cached() || len(p.last.Meters) > 0 && (old || isNotRunning(p.err))
}
