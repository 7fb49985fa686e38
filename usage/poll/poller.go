// Package poll keeps the figures of all plans current: a [Poller] fetches them
// repeatedly, [Look] once. A [Fetch] supplies the answers.
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

// Poller fetches the plans of each product repeatedly, one fetch of a product at a time:
// at once, at every interval, five seconds after a meter's reset, after a wake from sleep,
// when the process that gave the figures has ended, and on demand. After a failure it
// retries in 10 s, then in 1, 2, 4, 8, 16 and 30 minutes, and keeps the last good figures.
//
// Some failures last until the user acts at the editor, and the user then wants to see
// the figures: the editor has to be started (code not_running), is starting or has to
// be restarted (no_port, no_token), or needs a sign-in (not_signed_in). Such a retry
// costs next to nothing: it stays on this machine, except that the server checks a
// refused key with its cloud. So they are retried in 10 s and then every minute. A
// failure of another kind starts again at 10 s. Each of the four is a kind, and all
// others together are one, so that a server with changing failures is still left in
// peace. Each product has its own retries. One that never ran is looked for at the
// interval while another one gives figures.
//
// A maker's cloud has a pace of its own, which the Fetch keeps: it answers with the last
// figures until it may ask again. So while the cloud stands in for an editor, the editor
// is looked for every minute, and a product of the cloud alone is fetched at the interval,
// also after a failure.
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
	saltOf func(context.Context) ([]byte, error)
	named  bool

	// poke wakes Run up; capacity 1, any method sends, it is never closed. A second
	// poke is dropped, since Run checks everything anyway.
	poke chan struct{}

	// mu guards everything below.
	mu       sync.Mutex
	ran      bool
	ended    bool
	clock    clock
	products []*asked
	variant  string
	cloud    []string
	lead     string
	pace     pace.Options
	// salt hashes accounts; nil while unknown.
	salt        []byte
	subscribers map[chan Plans]struct{}
}

// New returns a poller, which starts with Run.
func New(c Config) *Poller {
	if c.Now == nil {
		c.Now = time.Now
	}
	named := c.Products != nil
	if !named {
		c.Products = usage.Products()
	}
	p := &Poller{
		named:       named,
		fetch:       c.Fetch,
		record:      c.Record,
		recall:      c.Recall,
		saltOf:      c.Salt,
		variant:     c.Variant,
		cloud:       c.Cloud,
		lead:        c.Lead,
		pace:        c.Pace,
		poke:        make(chan struct{}, 1),
		clock:       newClock(c.Now, cmp.Or(c.Speed, 1)),
		subscribers: map[chan Plans]struct{}{},
	}
	for _, id := range c.Products {
		p.products = append(p.products, &asked{
			id: id, found: nothing(id),
			schedule: newSchedule(bounded(c.Interval), rand.Float64),
			servers:  processes{runs: c.Runs, every: cmp.Or(c.LookEvery, stateEvery)},
		})
	}
	return p
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
	// At most one fetch of each product is running, and Run waits for their goroutines.
	// The channel has room for their results, so that the goroutines always end.
	results := make(chan result, len(p.products))
	var fetches sync.WaitGroup
	defer fetches.Wait()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		wait, due := p.step(ctx)
		for _, fetch := range due {
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
			p.finish(r)
		}
	}
}

// result is the result of a fetch.
type result struct {
	of      *asked
	answers []answer
	salt    []byte
}

// Refresh asks for a fetch of all products at once. It returns 0 when there is one, even
// if it was running already. Otherwise the last fetches began less than five seconds ago:
// it does nothing and returns the rest of the five seconds.
func (p *Poller) Refresh() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.look()
	least := never
	for _, d := range p.products {
		wait := d.schedule.refreshIn(p.clock.awake)
		least = min(least, wait)
		if wait == 0 && !d.schedule.fetching {
			d.schedule.refresh = true
			p.wakeRun()
		}
	}
	return least
}

// PromptEnded asks for a fetch in 30 s, when the server knows the prompt's cost. Of
// several prompts within that time the last one counts. Prompts go to Windsurf.
func (p *Poller) PromptEnded() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.look()
	for _, d := range p.products {
		if d.id == usage.Windsurf {
			d.schedule.prompt = p.clock.awake + promptDelay
		}
	}
	p.wakeRun()
}

// look reads the clocks. The caller holds mu.
func (p *Poller) look() {
	if p.clock.look() {
		for _, d := range p.products {
			d.schedule.wake(p.clock.awake)
		}
		p.wakeRun()
	}
}

func (p *Poller) wakeRun() {
	select {
	case p.poke <- struct{}{}:
	default:
	}
}

// step handles whatever is due and sends the states to the subscribers. It returns the
// fetches to begin, and the time until something else is due.
func (p *Poller) step(ctx context.Context) (wait time.Duration, due []func() result) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.look()
	now := p.clock.awake
	for _, d := range p.products {
		if !d.schedule.fetching && d.servers.ended() {
			d.schedule.anew()
		}
		if reset := p.reset(d); !d.schedule.fetching && d.schedule.due(reset) <= now {
			why := WhyDue
			if d.schedule.refresh {
				why = WhyWanted
			}
			d.schedule.begin(now, reset)
			d.at = p.clock.wall
			due = append(due, p.begin(ctx, d, why))
		}
	}
	p.publish()
	wait = p.quiet()
	p.clock.alarm = p.clock.mono + wait
	return wait, due
}

// begin returns the fetch of a product. The caller holds mu.
func (p *Poller) begin(ctx context.Context, d *asked, why Why) func() result {
	ctx, cancel := context.WithCancel(ctx)
	d.cancel = cancel
	ask := Ask{Products: []usage.Product{d.id}, Named: p.named, Variant: p.variant, Why: why}
	known := make([]usage.Snapshot, 0, len(d.plans))
	for _, k := range d.plans {
		known = append(known, k.snapshot)
	}
	salt := p.salt
	return func() result {
		defer cancel()
		r := result{of: d}
		r.answers, r.salt = p.ask(ctx, ask, known, salt)
		return r
	}
}

// askAll asks for everything.
func (p *Poller) askAll(why Why) Ask {
	ask := Ask{Named: p.named, Variant: p.variant, Why: why}
	for _, d := range p.products {
		ask.Products = append(ask.Products, d.id)
	}
	return ask
}

// finish stores the result of a fetch.
func (p *Poller) finish(r result) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.look()
	if r.salt != nil {
		p.salt = r.salt
	}
	p.take(r.of, r.answers)
}

// stateEvery is how often states are sent when only the time has changed.
const stateEvery = time.Minute

// quiet is the time until a state next changes by itself.
func (p *Poller) quiet() time.Duration {
	now := p.clock.awake
	next := now + stateEvery
	if !p.settled() {
		next = settleTime
	}
	for _, d := range p.products {
		if len(d.servers.pids) > 0 {
			next = min(next, now+d.servers.every)
		}
		if !d.schedule.fetching {
			next = min(next, d.schedule.due(p.reset(d)))
		}
		for _, k := range d.plans {
			if !p.stale(d, k) {
				next = min(next, d.old(k))
			}
			for _, m := range k.snapshot.Meters {
				if m.Window.End.After(p.clock.wall) {
					next = min(next, p.clock.awakeAt(m.Window.End))
				}
			}
		}
	}
	return next - now
}
