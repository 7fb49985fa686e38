package probe

import (
	"context"
	"sync"

	"windsock/probe/system"
)

// Answer is what one variant's server answers to the question of what is left of the
// plan.
type Answer struct {
	// Product is the variant's.
	Product string
	// Server is the one that answered, or what is known of the one that failed: at least
	// Variant and App.
	Server Server
	// Raw is the response, at most 4 MB of JSON; nil beside a Failure. Windsurf's is that
	// of GetUserStatus, as sent (PROTOCOL.md 3.1). Antigravity's is one object: the
	// response of RetrieveUserQuotaSummary with, beside it, "userStatus" with the email,
	// the userTier and the planStatus.planInfo.planName of GetUserStatus if that
	// answered; or, from a server without a summary, the response of GetUserStatus as
	// sent (PROTOCOL.md 8.3).
	Raw []byte
	// Failure is why there is no response, not_running without a server; nil beside Raw.
	Failure *Failure
}

// Answers asks a server of each variant what is left of the plan: of several servers of
// one variant, the first that answers. It looks at the processes once, and then asks
// all variants at the same time, within 12 seconds. The answers are in the order of the
// list. A variant without a process costs nothing.
func (f *Finder) Answers(ctx context.Context, list []Variant) []Answer {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	answers := make([]Answer, len(list))
	if len(list) == 0 {
		return answers
	}
	seen, unlisted := f.processes(ctx, list)
	var asking sync.WaitGroup // ends here
	for i, v := range list {
		asking.Go(func() {
			answers[i] = Answer{Product: v.Product, Server: Server{Variant: v.ID, App: v.Name}, Failure: unlisted}
			if unlisted == nil {
				answers[i].ask(ctx, f, v, list, seen)
			}
		})
	}
	asking.Wait()
	return answers
}

// ask fills the answer of one variant of the list. seen are the processes; a second look
// lists them again.
func (a *Answer) ask(ctx context.Context, f *Finder, v Variant, list []Variant, seen []system.Process) {
	again := false
	a.Failure = f.retry(ctx, func() outcome {
		if again {
			var unlisted *Failure
			if seen, unlisted = f.processes(ctx, list); unlisted != nil {
				return outcome{failure: unlisted}
			}
		}
		again = true
		all, missing := f.serversOf(v, list, seen)
		raw, session, o := firstOf(ctx, all, missing)
		if session != nil {
			a.Raw, a.Server = raw, session.Server()
			session.Close()
		}
		return o
	})
	if a.Failure != nil && a.Failure.server != (Server{}) {
		a.Server = a.Failure.server
	}
}

// Furthest is the failure to be told if no variant has answered: the one that came
// furthest, the first of equal ones. It is nil for no answers.
func Furthest(answers []Answer) (failure *Failure) {
	for _, a := range answers {
		failure = further(failure, a.Failure)
	}
	return failure
}
