// Package poll keeps the figures of a plan current: a [Poller] asks for them again and
// again, [Look] asks once. Who answers comes in as a [Fetch].
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

// Poller asks for the plan again and again, one fetch at a time: at once, at
// every interval, five seconds after a meter's reset, after a wake from sleep,
// when the process that gave the figures is seen to have ended, and when it is
// told to. After a failure it tries again in 10 s, then in 1, 2,
// 4, 8, 16 and 30 minutes, and keeps the last good figures.
//
// Some failures last until somebody does something at the editor, who then wants
// to see the figures: it has to be started (code not_running), it is starting or
// has to be restarted (no_port, no_token), or somebody has to sign in
// (not_signed_in). To find out costs next to nothing, for it takes place on this
// machine, but for a refused key, about which the server asks its cloud; so these
// are tried again in 10 s and then every minute. A failure of another kind begins
// anew with 10 s; each of the four is a kind, and so are all others together, so
// that a server that fails now one way and now another is left in peace all the
// same.
//
// Time that the machine slept counts neither towards an interval nor towards
// staleness. A jump of the wall clock, in either direction, is taken for a
// sleep: five seconds later the figures are fetched anew.
//
// All methods may be called from any goroutine, before, during and after Run.
type Poller struct {
	fetch  Fetch
	record Record
	recall Recall

	// poke wakes Run up; capacity 1, any method sends, nobody closes. A poke
	// beside another one is dropped, for Run looks at everything anyway.
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
	// cancel ends the fetch that is under way; dropped says that its result is
	// of a variant that is not asked for any more.
	cancel  context.CancelFunc
	dropped bool
	// last holds the figures, or what is known without any, and history what was
	// kept before them; asked is when the last fetch began, by the wall clock, and
	// got when the figures came, in time awake.
	last        usage.Snapshot
	history     pace.History
	err         error
	asked       time.Time
	got         time.Duration
	subscribers map[chan State]struct{}
}

// New is a poller that waits for Run.
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

// unknown is what is known before the first answer.
func unknown() usage.Snapshot {
	return usage.Snapshot{Source: usage.Source{Kind: usage.KindLanguageServer}}
}

// Run polls until ctx ends, and returns nil then; a fetch that is under way is
// waited for and its result dropped. At its end it closes the subscribers'
// channels. A poller runs once; a second Run is an error.
func (p *Poller) Run(ctx context.Context) error {
	p.mu.Lock()
	ran := p.ran
	p.ran = true
	p.mu.Unlock()
	if ran {
		return errors.New("run poller: it has run already")
	}
	defer p.end()
	// At most one fetch is under way, and Run waits for its goroutine. Its
	// result has room in the channel, so that the goroutine always ends.
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

// result is what a fetch came to.
type result struct {
	snapshot usage.Snapshot
	history  pace.History
	err      error
}

// Refresh asks for a fetch at once. It returns 0 when there is one, be it under
// way already; else the last one began less than five seconds ago, nothing
// happens, and the time returned is how long that is still so.
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

// PromptEnded asks for a fetch in 30 s, when the server knows the prompt's
// cost. Of several prompts within that time the last one counts.
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

// step looks at what has become due, tells the subscribers, and returns the
// fetch that is to begin, nil if none is, and how long nothing else happens.
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

// begin is the fetch of the present variant. The caller holds mu.
func (p *Poller) begin(ctx context.Context) func() result {
	ctx, cancel := context.WithCancel(ctx)
	variant := p.variant
	p.cancel = cancel
	var recall Recall
	if len(p.last.Meters) == 0 { // figures that were had are better than kept ones
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

// take keeps the result of a fetch.
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
	// An editor that runs knows better than what one has kept.
	outdated := p.cached() && !isNotRunning(r.err)
	if r.err == nil || len(p.last.Meters) == 0 || outdated {
		p.last, p.history = pace.Judge(r.snapshot, r.history, p.pace), r.history
	}
}

// stateEvery is how often a state is sent when nothing has changed but time.
const stateEvery = time.Minute

// quiet is the time from now in which no state changes by itself.
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

// reset is when the first reset asks for a fetch that none has been made for.
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

// cached reports whether the figures are what an editor has kept.
func (p *Poller) cached() bool { return p.last.Source.Kind == usage.KindCache }

// stale reports figures that nobody stands for any more: they are old, or nothing
// runs that could have newer ones.
func (p *Poller) stale() bool {
	old := p.clock.awake >= p.got+p.schedule.lifetime()
	return p.cached() || len(p.last.Meters) > 0 && (old || isNotRunning(p.err))
}
