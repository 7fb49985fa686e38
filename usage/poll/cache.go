package poll

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"windsock/probe/say"
	"windsock/usage"
	"windsock/usage/product"
)

// Cached is the plan as an editor keeps it while it does not run.
type Cached struct {
	// Reading has no PID.
	Reading

	// Name is the editor's name for it.
	Name string
}

// Recall returns the plan caches of the editors on this computer, the likeliest to be
// valid first; ask says of which. An unreadable cache comes with an error, whose
// text is a clause for people.
type Recall func(ctx context.Context, ask Ask) iter.Seq2[Cached, error]

// Instead is the snapshot to show beside err; a fetch returned s and err. When err says
// that no server runs, it is the first cache with figures, if any. Otherwise it is s.
// err and its exit code stand in both cases.
//
// The age of a cache is unknown: its source is of KindCache, undated and stale, so it
// has no pace, and enters no history and no alert. Each useless cache is one of the
// problems, with CodeBadPayload.
func (r Recall) Instead(ctx context.Context, ask Ask, s usage.Snapshot, err error) usage.Snapshot {
	if r == nil || !isNotRunning(err) {
		return s
	}
	var problems []usage.Problem
	for cached, err := range r(ctx, ask) {
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

// decode returns the figures of a cache, or why there are none. err is the error of
// reading the cache.
func (c Cached) decode(err error) (s usage.Snapshot, why string) {
	if err != nil {
		return s, err.Error()
	}
	s, err = product.Decode(cmp.Or(c.Product, usage.Windsurf), c.Raw, usage.Source{Kind: usage.KindCache, Variant: c.Variant, App: c.App, Stale: true})
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
