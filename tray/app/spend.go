package app

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"windsock/chat/cascade"
	"windsock/chat/models"
	"windsock/chat/touched"
	"windsock/probe"
	"windsock/probe/say"
	"windsock/usage"
	"windsock/usage/history"
	"windsock/usage/poll"
	"windsock/usage/product"
	"windsock/usage/spend"
)

// How long a reading rests between two requests: while a person waits, and else.
const (
	restAttended   = 5 * time.Millisecond
	restBackground = 250 * time.Millisecond
)

// spending reads what the cascades of all editors that run have cost, and adds it up. It
// may be used from several goroutines; it reads once at a time.
type spending struct {
	parts parts
	store *history.Store
	table *touched.Table
	book  *spend.Book

	reading chan struct{} // has a value during a reading

	mu     sync.Mutex // guards the fields below
	labels map[string]string
	// giveWay ends a reading in the background; nil without one.
	giveWay context.CancelFunc
}

func (p parts) newSpending(store *history.Store, table *touched.Table) *spending {
	s := &spending{parts: p, store: store, table: table, reading: make(chan struct{}, 1), labels: map[string]string{}}
	s.book = spend.New(spend.Config{Room: store, Salt: store.Salt, Moved: s.moved, Location: local()})
	return s
}

// Look reads what is new of a plan; one with an unknown account is the product's leading
// one. If no editor tells anything of it, Look fails, and the spend.Look has the plan.
func (s *spending) Look(ctx context.Context, plan usage.Plan, progress func(done, total int)) (spend.Look, error) {
	if plan.Product = cmp.Or(plan.Product, usage.Windsurf); plan.Product != usage.Windsurf {
		return spend.Look{}, notTold(plan.Product)
	}
	return s.look(ctx, plan, func(of usage.Plan, salt []byte) bool {
		return !plan.Account.Known() || of.Key(salt) == plan.Key(salt)
	}, progress)
}

// LookAt is Look for the plan with a name for programs, which is kept or runs; "" is
// Windsurf's leading one.
func (s *spending) LookAt(ctx context.Context, name string, progress func(done, total int)) (spend.Look, error) {
	id, hash, one := strings.Cut(cmp.Or(name, string(usage.Windsurf)), ":")
	of := usage.Product(id)
	switch {
	case !slices.Contains(usage.Products(), of) || one && hash == "":
		return spend.Look{}, noPlan(name)
	case of != usage.Windsurf:
		return spend.Look{}, notTold(of)
	case !one:
		return s.Look(ctx, usage.Plan{Product: of}, progress)
	}
	plan, kept, err := s.kept(ctx, name)
	if err != nil {
		return spend.Look{}, err
	}
	if !kept {
		plan = usage.KeptPlan(hash) // nothing is known of it
	}
	look, err := s.look(ctx, plan, func(of usage.Plan, salt []byte) bool { return of.Name(salt) == name }, progress)
	if !kept && errors.Is(err, errNotSignedIn) {
		err = noPlan(name)
	}
	return look, err
}

// Report adds up what is kept, with the names that a look has seen. It asks for nothing.
func (s *spending) Report(ctx context.Context, q spend.Query, look spend.Look) (spend.Report, error) {
	return s.book.Sum(ctx, q, look, s.label)
}

// Plans are the names for programs of the plans that something is kept of.
func (s *spending) Plans(ctx context.Context) ([]string, error) {
	plans, err := s.book.Plans(ctx)
	names := make([]string, len(plans))
	for i, plan := range plans {
		names[i] = plan.Name(nil)
	}
	return names, err
}

// errNotSignedIn says that editors run, but none is signed in to the plan.
var errNotSignedIn = &say.Error{
	Code: "not_running", What: "No running editor is signed in to this plan.", Cure: "Open one that is.", Exit: 3,
}

func noPlan(name string) error {
	return say.Usage("There is no plan %q. windsock status --json has the product and the account of each; its ID is both, such as windsurf:3fa91c.", name)
}

func notTold(of usage.Product) error {
	return say.Usage("%s does not tell what its plan was spent on.", of.Name())
}

// kept is the plan with a name for programs, if something is kept of it.
func (s *spending) kept(ctx context.Context, name string) (_ usage.Plan, kept bool, _ error) {
	plans, err := s.book.Plans(ctx)
	for _, plan := range plans {
		if plan.Name(nil) == name {
			return plan, true, err
		}
	}
	return usage.Plan{}, false, err
}

// look reads what is new of a plan that is wanted, and that editors are signed in to: of
// the leading one, else of the first. Without any, its Look is of fallback.
func (s *spending) look(
	ctx context.Context, fallback usage.Plan, wanted func(plan usage.Plan, salt []byte) bool, progress func(done, total int),
) (look spend.Look, err error) {
	c, err := s.parts.config()
	if err != nil {
		return look, err
	}
	look.Plan = fallback
	if !fallback.Account.Known() {
		if lead, kept, err := s.kept(ctx, c.Tray.Plan); err == nil && kept {
			look.Plan = lead
		}
	}
	end, err := s.begin(ctx)
	if err != nil {
		return look, err
	}
	defer end()
	editors, err := s.editors(ctx, c.Usage.Variant)
	if err != nil {
		return look, err
	}
	salt, err := s.store.Salt(ctx)
	if err != nil {
		return look, err
	}
	editors = slices.DeleteFunc(editors, func(e editor) bool { return !wanted(e.plan, salt) })
	if len(editors) == 0 {
		return look, errNotSignedIn
	}
	lead := max(0, slices.IndexFunc(editors, func(e editor) bool { return e.plan.Name(salt) == c.Tray.Plan }))
	return s.read(ctx, editors[lead].plan, editors, spend.Reading{Rest: restAttended, Progress: progress})
}

// begin waits for the end of another reading, which ends early if it is in the
// background.
func (s *spending) begin(ctx context.Context) (end func(), _ error) {
	s.mu.Lock()
	if s.giveWay != nil {
		s.giveWay()
	}
	s.mu.Unlock()
	select {
	case s.reading <- struct{}{}:
		return func() { <-s.reading }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// editor is a variant whose servers run, and the plan that it is signed in to.
type editor struct {
	variant probe.Variant
	plan    usage.Plan
}

// editors are the variants that tell their plan. Their figures are recorded, so that the
// meters are as of now, and the names of their models are kept. variant is the only one
// to ask, "" for all.
func (s *spending) editors(ctx context.Context, variant string) (editors []editor, failed error) {
	if variant != "" && productOf(variant) != usage.Windsurf {
		return nil, notTold(productOf(variant))
	}
	recorded := map[usage.Plan]bool{}
	for _, r := range s.parts.fetchServers(ctx, poll.Ask{Products: []usage.Product{usage.Windsurf}, Variant: variant}) {
		err := r.Err
		var figures usage.Snapshot
		if err == nil {
			figures, err = product.Decode(usage.Windsurf, r.Raw, usage.Source{
				Kind: usage.KindLanguageServer, Variant: r.Variant, App: r.App, PID: r.PID, FetchedAt: s.parts.serverNow(),
			})
		}
		if err != nil {
			if failed == nil {
				failed = err
			}
			continue
		}
		if !recorded[figures.Plan] { // another variant may be signed in to the same plan
			recorded[figures.Plan] = true
			s.store.Record(ctx, figures)
		}
		s.learn(r.Raw)
		v, _ := probe.LookupVariant(r.Variant)
		editors = append(editors, editor{v, figures.Plan})
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if len(editors) > 0 {
		return editors, nil
	}
	return nil, failed
}

// read reads from all servers of the editors that are signed in to a plan.
func (s *spending) read(ctx context.Context, plan usage.Plan, editors []editor, r spend.Reading) (spend.Look, error) {
	r.Plan, r.Now, r.Own = plan, s.parts.serverNow(), s.own
	for _, e := range editors {
		if e.plan != plan {
			continue
		}
		sessions, failed := s.parts.newFinder().Windows(ctx, e.variant)
		defer closeAll(sessions)
		for _, err := range failed {
			r.Servers = append(r.Servers, unopened{err})
		}
		for _, session := range sessions {
			r.Servers = append(r.Servers, spendServer{cascade.NewClient(session)})
		}
	}
	return s.book.Read(ctx, r)
}

// own are the conversations that Windsock has open or has yet to archive.
func (s *spending) own(ctx context.Context) (map[string]int, error) {
	waiting, err := s.table.Waiting(ctx)
	own := make(map[string]int, len(waiting))
	for _, w := range waiting {
		own[w.ID] = w.Prompts
	}
	return own, err
}

func (s *spending) moved(ctx context.Context, plan usage.Plan, since, until time.Time) ([]spend.Moved, error) {
	moves, err := s.store.Moved(ctx, plan, since, until)
	moved := make([]spend.Moved, len(moves))
	for i, m := range moves {
		moved[i] = spend.Moved{Meter: m.Meter, Moved: m.Used, From: m.From}
	}
	return moved, err
}

// learn keeps the names of the models in an answer.
func (s *spending) learn(raw []byte) {
	catalogue, err := models.Decode(raw)
	if err != nil {
		return // then their UIDs name them
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range catalogue.Models {
		s.labels[m.UID] = m.Label
	}
}

func (s *spending) label(uid string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.labels[uid]
}
