package poll

import (
	"context"
	"slices"
	"time"

	"windsock/probe/sorted"
	"windsock/usage"
	"windsock/usage/pace"
)

// asked is what the Poller knows of one product, and when it asks again.
type asked struct {
	id       usage.Product
	schedule schedule
	servers  processes
	// cancel ends the running fetch; dropped says that its result belongs to a variant
	// that is no longer wanted.
	cancel  context.CancelFunc
	dropped bool
	// at is when the last fetch began, by the wall clock.
	at time.Time

	// answered says that a fetch has ended.
	answered bool
	// off says that the product is not to be asked.
	off bool
	// plans are the plans with figures, in the order in which they are shown. had says
	// that there were fetched ones.
	plans []known
	had   bool
	// found is what is known without figures.
	found usage.Snapshot
	// err is why the last fetch had no fresh figures.
	err error
}

// known holds the last good figures of a plan.
type known struct {
	snapshot usage.Snapshot
	// history are the samples before them.
	history pace.History
	// err is why the last fetch had no newer ones.
	err error
	// got is when they came, in time awake, and age how old they were then.
	got, age time.Duration
}

func (k known) cached() bool { return k.snapshot.Source.Kind == usage.KindCache }

func (k known) ofCloud() bool { return k.snapshot.Source.Kind == usage.KindCloud }

// got are figures that have just come.
func (p *Poller) got(s usage.Snapshot, h pace.History, err error) known {
	return known{s, h, err, p.clock.awake, p.clock.length(max(0, p.clock.wall.Sub(s.Source.FetchedAt)))}
}

// nothing is the snapshot before the first answer.
func nothing(product usage.Product) usage.Snapshot {
	return usage.Snapshot{Source: usage.Source{Kind: usage.KindLanguageServer}, Plan: usage.Plan{Product: product}}
}

// take stores the answers of a fetch. The caller holds mu.
func (p *Poller) take(d *asked, all []answer) {
	fresh := slices.ContainsFunc(all, answer.fresh)
	var err error
	if !fresh && len(all) > 0 {
		err = all[0].err
	}
	d.schedule.end(p.clock.awake, p.pause(d, all, err))
	d.answered = true
	if d.dropped {
		d.dropped = false
		return
	}
	d.off, d.err, d.had = len(all) == 0, err, d.had || fresh
	d.plans = p.renewed(d, all)
	if len(all) > 0 {
		d.found = all[0].snapshot
	}
	if fresh {
		d.servers.keep(d.plans)
	}
}

// pause is the kind of failure whose pauses follow a fetch with these answers; "" for
// the interval.
func (p *Poller) pause(d *asked, all []answer, err error) failureKind {
	cloud := slices.ContainsFunc(all, answer.ofCloud)
	switch {
	case cloud && d.id == usage.Cursor: // which has nothing else
		return ""
	case cloud: // the editor is looked for
		return notRunning
	case isNotRunning(err) && !d.had && p.figuresBeside(d):
		// A product that nobody misses is looked for as often as the others are asked.
		return ""
	default:
		return kindOf(err)
	}
}

// renewed are the known plans after a fetch: those that it told of, and those that it
// did not. A variant with another account than before has left its former plan.
func (p *Poller) renewed(d *asked, all []answer) (plans []known) {
	place := map[string]int{} // of a variant among the answers
	told := map[usage.Plan]bool{}
	left := map[string]bool{}
	failed := map[string]answer{} // by variant; one may have figures, which may be the latest
	for i, a := range all {
		variant := a.snapshot.Source.Variant
		place[variant] = i
		switch {
		case a.folded:
			left[variant] = true
		case a.fresh():
			plans = append(plans, p.latest(d, p.got(pace.Judge(a.snapshot, a.history, p.pace), a.history, nil)))
			told[a.snapshot.Plan], left[variant] = true, true
		default:
			failed[variant] = a
		}
	}
	servers := len(told) > 0 && !slices.ContainsFunc(all, answer.ofCloud)
	for _, k := range d.plans {
		variant := k.snapshot.Source.Variant
		now, named := failed[variant]
		if !named && d.err != nil {
			now = answer{snapshot: usage.Snapshot{Source: all[0].snapshot.Source}, err: d.err}
		}
		switch {
		case told[k.snapshot.Plan], left[variant], k.cached() && (len(told) > 0 || !isNotRunning(d.err)):
			continue
		case k.ofCloud() && servers: // it is not asked any more
			continue
		case named && now.rejected():
			continue
		case now.hasFigures() && now.snapshot.Source.FetchedAt.After(k.snapshot.Source.FetchedAt):
			k = p.got(now.snapshot, nil, now.err)
		case now.err != nil:
			k.err = now.err
			k.snapshot.Source.Stale = k.snapshot.Source.Stale || now.ofCloud()
		}
		plans = append(plans, k)
	}
	plans = append(plans, p.older(all, plans)...)
	if len(told) == 0 {
		return plans // the first answer is the gravest failure
	}
	sorted.By(plans, func(a, b known) int {
		return place[a.snapshot.Source.Variant] - place[b.snapshot.Source.Variant]
	})
	return plans
}

// older are the figures of failed answers that no plan has yet. Those of before are better
// than none, and the cloud has more than one sign-in.
func (p *Poller) older(all []answer, plans []known) (more []known) {
	for _, a := range all {
		there := slices.ContainsFunc(append(slices.Clip(plans), more...), func(k known) bool {
			return k.snapshot.Plan == a.snapshot.Plan || k.snapshot.Source.Variant == a.snapshot.Source.Variant
		})
		if a.hasFigures() && !a.fresh() && !there && (a.ofCloud() || len(plans)+len(more) == 0) {
			more = append(more, p.got(a.snapshot, nil, a.err))
		}
	}
	return more
}

// latest are fresh figures, or those of before if the fresh ones were kept since an
// earlier time.
func (p *Poller) latest(d *asked, fresh known) known {
	at := fresh.snapshot.Source.FetchedAt
	for _, k := range d.plans {
		before := k.snapshot.Source.FetchedAt
		ahead := before.After(p.clock.wall) // the clock was set back
		if fresh.snapshot.Source.Kind.IsKept() && k.snapshot.Plan == fresh.snapshot.Plan && before.After(at) && !ahead {
			return p.got(k.snapshot, k.history, nil)
		}
	}
	return fresh
}

// figuresBeside reports whether another product has fetched figures.
func (p *Poller) figuresBeside(d *asked) bool {
	return slices.ContainsFunc(p.products, func(other *asked) bool { return other != d && other.had })
}

// forget drops all that is known. The caller holds mu.
func (d *asked) forget() {
	d.plans, d.found, d.err, d.had, d.off = nil, nothing(d.id), nil, false, false
	d.servers.keep(nil)
	d.again()
}

// forgetCloud drops what the cloud has told. The caller holds mu.
func (d *asked) forgetCloud() {
	d.plans = slices.DeleteFunc(slices.Clone(d.plans), known.ofCloud)
	if d.found.Source.Kind == usage.KindCloud {
		d.found, d.err = nothing(d.id), nil
	}
	d.again()
}

// again makes a fetch due, without the result of one that is running.
func (d *asked) again() {
	d.schedule.anew()
	if d.schedule.fetching {
		d.dropped = true
		d.cancel()
	}
}

// reset is when a fetch is due for the first reset that has had none.
func (p *Poller) reset(d *asked) time.Duration {
	first := never
	for _, k := range d.plans {
		for _, m := range k.snapshot.Meters {
			if m.Window.End.IsZero() || k.cached() {
				continue
			}
			delay := resetDelay
			if k.ofCloud() {
				delay = cloudResetDelay
			}
			if at := m.Window.End.Add(delay); at.After(d.at) {
				first = min(first, p.clock.awakeAt(at))
			}
		}
	}
	return first
}

// StatusLineLasts is how long figures of a status line stay fresh: it is written only
// while its program is in use.
const StatusLineLasts = 10 * time.Minute

// cloudLasts is how long figures of a product's cloud stay fresh: two of the intervals at
// which the cloud is asked, and a fetch that comes late.
func cloudLasts(of usage.Product) time.Duration {
	const late = 2 * time.Minute
	if of == usage.Cursor {
		return 30*time.Minute + late
	}
	return 20*time.Minute + late
}

// old is when figures become stale, in time awake.
func (d *asked) old(k known) time.Duration {
	switch k.snapshot.Source.Kind {
	case usage.KindStatusLine:
		return k.got + min(StatusLineLasts-k.age, d.schedule.lifetime())
	case usage.KindCloud:
		return k.got + max(cloudLasts(d.id), d.schedule.lifetime()) - k.age
	default:
		return k.got + d.schedule.lifetime()
	}
}

// stale reports whether figures are outdated: they are old, or no editor runs that
// could give newer ones.
func (p *Poller) stale(d *asked, k known) bool {
	return k.cached() || k.snapshot.Source.Stale || p.clock.awake >= d.old(k) || isNotRunning(k.err) && !k.ofCloud()
}
