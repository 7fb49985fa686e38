package app

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"windsock/probe"
	"windsock/probe/cloud"
	"windsock/probe/kept"
	"windsock/probe/say"
	"windsock/usage"
	"windsock/usage/cursor"
	"windsock/usage/poll"
	"windsock/usage/product"
)

// internet asks the makers' own services for one fetch. Nothing is opened or asked before
// a person has allowed it.
type internet struct {
	parts

	// salt is that of the accounts.
	salt    func(context.Context) ([]byte, error)
	why     poll.Why
	variant string
	// allowed is what the person allows at present; nil allows nothing.
	allowed func() cloud.Config
	// useless are the names of sign-ins that are not asked with.
	useless []string
}

// overInternet asks what the person has allowed; ask says for what.
func (p parts) overInternet(ask poll.Ask, salt func(context.Context) ([]byte, error)) internet {
	return internet{parts: p, salt: salt, why: ask.Why, variant: ask.Variant, allowed: p.allowedCloud}
}

// of are the sign-ins of a product that are allowed at present, and the hosts.
func (n internet) of(product usage.Product) ([]cloud.Source, cloud.Config) {
	if n.allowed == nil {
		return nil, cloud.Config{}
	}
	allowed := n.allowed()
	if len(allowed.Allow) == 0 {
		return nil, allowed
	}
	return slices.DeleteFunc(cloud.Sources(n.signIns()), func(s cloud.Source) bool {
		_, ok := allowed.Allowed(s.Name)
		return s.Product != string(product) || !ok
	}), allowed
}

// without does not ask with the sign-ins of editors whose server knows none of them: its
// maker's service knows none of them either.
func (n internet) without(answers []probe.Answer) internet {
	n.useless = nil
	for _, a := range answers {
		if say.Code(a.Failure) == string(probe.NotSignedIn) {
			n.useless = append(n.useless, a.Server.Variant)
		}
	}
	return n
}

// readings are the answers of a product's services, all asked at once; nil if none may be
// asked.
func (n internet) readings(ctx context.Context, product usage.Product) []poll.Reading {
	sources, allowed := n.of(product)
	several := len(sources) > 1
	if v, ok := probe.LookupVariant(n.variant); ok {
		sources = slices.DeleteFunc(sources, func(s cloud.Source) bool { return s.Name != v.ID })
	}
	sources = slices.DeleteFunc(sources, func(s cloud.Source) bool { return slices.Contains(n.useless, s.Name) })
	sources = cloud.Distinct(ctx, sources)
	readings := make([]poll.Reading, len(sources))
	var asking sync.WaitGroup // ends here
	for i, s := range sources {
		host, _ := allowed.Allowed(s.Name)
		asking.Go(func() { readings[i] = n.reading(ctx, s, host, several) })
	}
	asking.Wait()
	if len(readings) == 0 {
		return nil
	}
	allowed = n.allowed() // what a person has ended meanwhile is not shown
	return slices.DeleteFunc(readings, func(r poll.Reading) bool {
		host, _ := allowed.Allowed(r.Variant)
		return host != r.Host
	})
}

// cloudTime is longer than a question takes, and one of another process before it.
const cloudTime = time.Minute

// reading is the answer of one sign-in's service at the allowed host, which may be a kept
// one. several says that other sign-ins of the product may be asked, too.
func (n internet) reading(ctx context.Context, s cloud.Source, host string, several bool) poll.Reading {
	r := poll.Reading{Product: usage.Product(s.Product), Kind: usage.KindCloud, Variant: s.Name, App: s.App, Host: host}
	ctx, cancel := context.WithTimeout(ctx, cloudTime)
	defer cancel()
	last, err := n.keptOf(s.Name, host).Get(ctx,
		func(last kept.Last) bool {
			if !s.Due(last, whys[n.why], firstReset(r.Product, last), n.serverNow()) {
				return false
			}
			now, ok := n.allowed().Allowed(s.Name) // it may have ended while others were waited for
			return ok && now == host
		},
		func(ctx context.Context, last kept.Last) kept.Last {
			return n.ask(ctx, cloud.Question{Source: s, Host: host, Identify: several, Before: last.Answer, BeforeAt: last.At}, last)
		})
	if err == nil {
		err = last.Failed.Err()
	}
	if last.Answer != nil {
		r.Raw, r.At, r.Account = last.Answer, last.At, usage.KeptAccount(last.Account)
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded), err == nil && r.Raw == nil: // that process has died, or hangs
		err = &say.Error{
			Code: "timeout", What: "Another run of Windsock has asked " + host + ", and has had no answer yet",
			Cure: "Try again in a minute.", Cause: err,
		}
	}
	r.Err = err
	return r
}

var whys = map[poll.Why]cloud.Why{poll.WhyDue: cloud.WhyDue, poll.WhyOnce: cloud.WhyOnce, poll.WhyWanted: cloud.WhyWanted}

// ask asks, and returns what is to be kept: figures without anything personal, and the
// hash of their account.
func (n internet) ask(ctx context.Context, q cloud.Question, last kept.Last) kept.Last {
	var salt []byte
	var opening sync.WaitGroup // ends here; the history is opened while the service answers
	opening.Go(func() { salt, _ = n.salt(ctx) })
	q.BeforeOf = func(user string) bool {
		opening.Wait()
		account := cursor.AccountOf(user)
		if !account.Known() {
			account = accountOfSignIn(q.Source)
		}
		return last.Account != "" && last.Account == hashOf(account, salt)
	}
	answer, err := cloud.Client{Version: shortVersion(version()), Transport: n.cloud, Now: n.serverNow}.Ask(ctx, q)
	opening.Wait()
	if ctx.Err() != nil { // the service is not to blame
		return last
	}
	if err != nil {
		return failing(last, err, n.serverNow())
	}
	of := usage.Product(q.Source.Product)
	return last.Answered(product.Anonymize(of, answer.Raw), hashOf(accountOf(q.Source, answer.Raw), salt))
}

// failing is what is to be kept after a failure.
func failing(last kept.Last, err error, now time.Time) kept.Last {
	last = last.Failing(err)
	f, ok := errors.AsType[*cloud.Failure](err)
	if !ok {
		return last
	}
	last.Failed.Sign = f.Sign
	if f.RetryAfter > 0 {
		last.Failed.Until = now.Add(f.RetryAfter)
	}
	if f.Code == cloud.Rejected { // the next sign-in may be another person's
		last.Answer, last.At, last.Account = nil, time.Time{}, ""
	}
	return last
}

// accountOf is whose an answer is: where nothing tells that, it is the sign-in's.
func accountOf(s cloud.Source, raw []byte) usage.Account {
	snapshot, _ := product.Decode(usage.Product(s.Product), raw, usage.Source{Kind: usage.KindCloud})
	if snapshot.Plan.Account.Known() {
		return snapshot.Plan.Account
	}
	return accountOfSignIn(s)
}

func accountOfSignIn(s cloud.Source) usage.Account { return usage.NewAccount("sign-in", s.Name) }

// hashOf is an account's hash; "" without a salt, as where the history cannot be opened.
func hashOf(a usage.Account, salt []byte) string {
	if salt == nil {
		return ""
	}
	return a.Hash(salt)
}

// firstReset is the first reset after which kept figures mean nothing; zero for none. One
// that the service may not have known of yet when it answered is one.
func firstReset(of usage.Product, last kept.Last) (first time.Time) {
	if last.Answer == nil {
		return time.Time{}
	}
	snapshot, _ := product.Decode(of, last.Answer, usage.Source{Kind: usage.KindCloud, FetchedAt: last.At})
	for _, m := range snapshot.Meters {
		if end := m.Window.End; end.After(last.At.Add(-time.Minute)) && (first.IsZero() || end.Before(first)) {
			first = end
		}
	}
	return first
}

// standIn are the readings of Windsurf where no server has answered: those of the cloud,
// if that was asked, and beside an answer why the other editors have none.
func standIn(servers []probe.Answer, asked []poll.Reading) []poll.Reading {
	if !slices.ContainsFunc(asked, hasAnswer) {
		return asked
	}
	for _, a := range servers {
		if !slices.ContainsFunc(asked, func(r poll.Reading) bool { return r.Variant == a.Server.Variant }) {
			asked = append(asked, readingOf(usage.Windsurf, a))
		}
	}
	return asked
}

// errOff is why Cursor has no figures before the person allows it.
var errOff = &say.Error{
	Code: cloud.StateOff, Exit: 4,
	What: "Cursor's figures come from its maker over the internet, and you have not allowed Windsock to ask there",
	Cure: "`windsock cloud allow cursor` says what that means, and asks you.",
}

// cursorReadings are the readings of Cursor, which has the cloud alone.
func (n internet) cursorReadings(ctx context.Context, named bool) []poll.Reading {
	readings := n.readings(ctx, usage.Cursor)
	if len(readings) == 0 && named {
		return []poll.Reading{{Product: usage.Cursor, Kind: usage.KindCloud, App: usage.Cursor.Name(), Err: errOff}}
	}
	return readings
}
