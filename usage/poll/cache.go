package poll

import (
	"context"
	"iter"
	"slices"

	"windsock/probe/say"
	"windsock/usage"
	"windsock/usage/windsurf"
)

// Cached is what an editor keeps of the plan for the time that it does not run.
type Cached struct {
	// Reading has no PID.
	Reading

	// Name is what the editor calls it.
	Name string
}

// Recall returns what editors on this computer keep of the plan, the likeliest
// to hold good first; variant is empty for any. One that cannot be read comes
// with an error that is a clause for people.
type Recall func(ctx context.Context, variant string) iter.Seq2[Cached, error]

// Instead is what to show beside err, which a fetch came to together with s: the first
// of the caches that has figures where err says that no server runs, else s. err stands
// all the same, and with it its exit code.
//
// Nobody knows how old a cache is: the source is of KindCache, undated and stale, so
// there is no pace, and no history and no alert to be made of it. Each cache that was
// of no use is one of the problems, with CodeBadPayload.
func (r Recall) Instead(ctx context.Context, variant string, s usage.Snapshot, err error) usage.Snapshot {
	if r == nil || !isNotRunning(err) {
		return s
	}
	var problems []usage.Problem
	for cached, err := range r(ctx, variant) {
		if ctx.Err() != nil {
			return s
		}
		kept, why := cached.decode(err)
		if why == "" {
			kept.Problems = append(problems, kept.Problems...)
			return kept
		}
		problems = append(problems, uselessCache(cached, why))
	}
	s.Problems = append(slices.Clip(s.Problems), problems...)
	return s
}

// decode returns the figures of a cache, which was read with err, or why there are
// none.
func (c Cached) decode(err error) (s usage.Snapshot, why string) {
	if err != nil {
		return s, err.Error()
	}
	s, err = windsurf.Decode(c.Raw, usage.Source{Kind: usage.KindCache, Variant: c.Variant, App: c.App, Stale: true})
	switch {
	case err == nil:
		return s, ""
	case say.Code(err) == usage.CodeBadPayload:
		return s, "it is damaged"
	default:
		return s, "it has no figures"
	}
}

// isNotRunning reports whether an error says that no server runs.
func isNotRunning(err error) bool { return say.Code(err) == string(notRunning) }

func uselessCache(c Cached, why string) usage.Problem {
	return usage.Problem{Code: usage.CodeBadPayload, Message: "What " + c.App + " keeps of the plan in " + c.Name + " cannot be used: " + why + "."}
}
