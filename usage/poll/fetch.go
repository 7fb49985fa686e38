package poll

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"windsock/probe/say"
	"windsock/usage"
	"windsock/usage/pace"
	"windsock/usage/product"
	"windsock/usage/saved"
)

// Ask says what a [Fetch] is to ask for.
type Ask struct {
	// Products are the products to ask, in their order.
	Products []usage.Product
	// Named says that a person has asked for these products by name: one that may not be
	// asked is to say why.
	Named bool
	// Variant is the only editor to ask; "" for any.
	Variant string
	// Why is what has led to it.
	Why Why
}

// Why is why a fetch is made. It decides how old an answer may be that is not asked for
// again, where asking is dear.
type Why int

// The reasons.
const (
	// WhyDue is a fetch of a poller that was due.
	WhyDue Why = iota
	// WhyOnce is the fetch of a [Look].
	WhyOnce
	// WhyWanted is a fetch that a person wants now, as by [Poller.Refresh].
	WhyWanted
)

// Reading is the answer of one source of figures, or why there is none.
type Reading struct {
	// Product is the answer's; "" is Windsurf.
	Product usage.Product
	// Kind is where it came from; "" is a language server.
	Kind usage.SourceKind
	// Raw is the answer as it was sent, in JSON.
	Raw []byte
	// At is when it was sent; zero is the present.
	At time.Time
	// Variant and App are the editor's short name and its name for people.
	Variant, App string
	// PID is the language server's process.
	PID int
	// Host is the one that was asked; "" for one on this computer.
	Host string
	// Account is whose answer it is where that is known and the answer does not say it.
	Account usage.Account
	// Err says why there is no Raw, or no newer one.
	Err error
}

// Fetch asks every variant of the products that runs. The readings are in the order in
// which plans are shown; beside one with an answer there is one for each other variant
// of its product. Where a product has no answer at all, its first reading gives the
// reason, through package say. A product without a reading is not asked, as when
// another one's variant is the only one to ask.
//
// Figures of the maker's cloud come only where no server has answered. A cloud that was
// asked and has failed comes with the last figures that it gave, if they still count.
type Fetch func(ctx context.Context, ask Ask) []Reading

// answer is a decoded reading.
type answer struct {
	snapshot usage.Snapshot // without figures it holds what is known nevertheless
	history  pace.History
	err      error
	// folded says that an earlier answer told of the same plan.
	folded bool
}

func (a answer) fresh() bool { return a.err == nil }

func (a answer) ofCloud() bool { return a.snapshot.Source.Kind == usage.KindCloud }

// rejected reports whether the cloud does not know the sign-in any more, so that the
// figures that it gave may be another person's by now.
func (a answer) rejected() bool { return a.ofCloud() && say.Code(a.err) == "rejected" }

func (a answer) hasFigures() bool { return len(a.snapshot.Meters) > 0 }

// decode decodes a reading. now is the present.
func (r Reading) decode(now time.Time) answer {
	src := usage.Source{
		Kind: cmp.Or(r.Kind, usage.KindLanguageServer), Variant: r.Variant, App: r.App, PID: r.PID, Host: r.Host,
		Stale: r.Raw != nil && r.Err != nil,
	}
	of := cmp.Or(r.Product, usage.Windsurf)
	if r.Raw == nil {
		return answer{snapshot: usage.Snapshot{Source: src, Plan: usage.Plan{Product: of}}, err: r.Err}
	}
	src.FetchedAt = r.At
	if r.At.IsZero() {
		src.FetchedAt = now
	}
	snapshot, err := product.Decode(of, r.Raw, src)
	if !snapshot.Plan.Account.Known() {
		snapshot.Plan.Account = r.Account
	}
	if src.Kind.IsKept() && snapshot.PlanName == saved.RemovedName { // it was not kept
		snapshot.PlanName = ""
	}
	if r.Err != nil {
		err = r.Err
	}
	return answer{snapshot: snapshot, err: err}
}

// decode decodes readings, all at once: each may hold a long list of models.
func decode(readings []Reading, now func() time.Time) []answer {
	answers := make([]answer, len(readings))
	var decoding sync.WaitGroup // ends here
	for i, r := range readings {
		decoding.Go(func() { answers[i] = r.decode(now()) })
	}
	decoding.Wait()
	return answers
}

// ask fetches, decodes and records. known are the plans that were known before, and salt
// is nil before the first figures; ask returns it. Of several answers about one plan the
// first fresh one counts.
func (p *Poller) ask(ctx context.Context, ask Ask, known []usage.Snapshot, salt []byte) ([]answer, []byte) {
	all := decode(p.fetch(ctx, ask), p.clock.wallNow)
	if salt == nil {
		salt = p.readSalt(ctx, all)
	}
	told := map[usage.Plan]bool{}
	for i, a := range all {
		a.snapshot.Plan.Account = hashed(accountOf(a.snapshot, known), salt)
		if a.fresh() {
			a.folded = told[a.snapshot.Plan]
			told[a.snapshot.Plan] = true
		}
		all[i] = a
	}
	if ctx.Err() != nil {
		return all, salt
	}
	for i, a := range all {
		if a.fresh() && !a.folded {
			all[i].history = p.record.History(ctx, a.snapshot)
		}
	}
	figures := slices.ContainsFunc(all, answer.hasFigures)
	if len(known) == 0 && !figures { // fetched figures are better than cached ones
		for i, a := range all {
			one := Ask{Products: []usage.Product{a.snapshot.Plan.Product}, Variant: ask.Variant}
			if i == 0 || all[i-1].snapshot.Plan.Product != a.snapshot.Plan.Product {
				all[i].snapshot = p.recall.Instead(ctx, one, a.snapshot, a.err)
			}
		}
	}
	if salt == nil { // a cache has an account, too
		salt = p.readSalt(ctx, all)
	}
	return all, salt
}

// hashed is an account as a kept answer names it, so that a plan is the same one
// whichever way its figures came. Without a salt it stays as it is.
func hashed(a usage.Account, salt []byte) usage.Account {
	if salt == nil || !a.Known() {
		return a
	}
	return usage.KeptAccount(a.Hash(salt))
}

// accountOf is the account of a snapshot. An answer that names none is about the account
// that its editor had before.
func accountOf(s usage.Snapshot, known []usage.Snapshot) usage.Account {
	if s.Plan.Account.Known() || len(s.Meters) == 0 {
		return s.Plan.Account
	}
	for _, k := range known {
		if k.Plan.Product == s.Plan.Product && k.Source.Variant == s.Source.Variant {
			return k.Plan.Account
		}
	}
	return s.Plan.Account
}

// Look fetches once. It returns the state of a [Poller] with c after its first fetches.
func Look(ctx context.Context, c Config) Plans {
	p := New(c)
	all, salt := p.ask(ctx, p.askAll(WhyOnce), nil, nil)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.look()
	p.ended = true
	p.salt = salt
	for _, d := range p.products {
		p.take(d, slices.DeleteFunc(slices.Clone(all), func(a answer) bool { return a.snapshot.Plan.Product != d.id }))
	}
	return p.plans()
}

// readSalt reads the salt once there are figures, whose account it hashes.
func (p *Poller) readSalt(ctx context.Context, all []answer) []byte {
	if p.saltOf == nil || !slices.ContainsFunc(all, answer.hasFigures) {
		return nil
	}
	salt, err := p.saltOf(ctx)
	if err != nil {
		return nil // then plans have no hash
	}
	return salt
}
