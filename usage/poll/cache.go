package poll

import (
	"context"
	"errors"
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

// Snapshot is the first of the caches that has figures. Nobody knows their age:
// the source is of KindCache, undated and stale, so there is no pace, and no
// history and no alert to be made of it. Each cache before it that was of no use
// is one of the snapshot's problems, with CodeBadPayload.
//
// Without any figures the error is a [*NoCacheError], or the context's.
func (r Recall) Snapshot(ctx context.Context, variant string) (usage.Snapshot, error) {
	var problems []usage.Problem
	if r == nil {
		return usage.Snapshot{}, &NoCacheError{}
	}
	for cached, err := range r(ctx, variant) {
		if ctx.Err() != nil {
			return usage.Snapshot{}, ctx.Err()
		}
		why := "it is damaged"
		if err == nil {
			var s usage.Snapshot
			s, err = windsurf.Decode(cached.Raw, usage.Source{Kind: usage.KindCache, Variant: cached.Variant, App: cached.App, Stale: true})
			if err == nil {
				s.Problems = append(problems, s.Problems...)
				return s, nil
			}
			if payload, ok := errors.AsType[*usage.PayloadError](err); ok && payload.Code() != usage.CodeBadPayload {
				why = "it has no figures"
			}
		} else {
			why = err.Error()
		}
		problems = append(problems, uselessCache(cached, why))
	}
	if ctx.Err() != nil {
		return usage.Snapshot{}, ctx.Err()
	}
	return usage.Snapshot{}, &NoCacheError{problems: problems}
}

// Instead is what to show beside err, which a fetch came to together with s: the
// caches' figures where err says that no server runs and there are some, else
// s. Where the caches were of no use, that is among its problems. err stands
// all the same, and with it its exit code.
func (r Recall) Instead(ctx context.Context, variant string, s usage.Snapshot, err error) usage.Snapshot {
	if r == nil || !isNotRunning(err) {
		return s
	}
	kept, err := r.Snapshot(ctx, variant)
	if err == nil {
		return kept
	}
	if useless, ok := errors.AsType[*NoCacheError](err); ok {
		s.Problems = append(slices.Clip(s.Problems), useless.Problems()...)
	}
	return s
}

// isNotRunning reports whether an error says that no server runs.
func isNotRunning(err error) bool {
	return say.Code(err) == codeNotRunning
}

// codeNotRunning is the code of a failure to find any server.
const codeNotRunning = "not_running"

func uselessCache(c Cached, why string) usage.Problem {
	return usage.Problem{Code: usage.CodeBadPayload, Message: "What " + c.App + " keeps of the plan in " + c.Name + " cannot be used: " + why + "."}
}

// NoCacheError says that no editor keeps figures that can be used.
type NoCacheError struct {
	problems []usage.Problem
}

// Problems are the caches that are there and of no use.
func (e *NoCacheError) Problems() []usage.Problem { return slices.Clone(e.problems) }

// Code is CodeBadPayload where there was something, else CodeNoPlanStatus.
func (e *NoCacheError) Code() string {
	if len(e.problems) > 0 {
		return usage.CodeBadPayload
	}
	return usage.CodeNoPlanStatus
}

// ExitCode is what the process ends with.
func (*NoCacheError) ExitCode() int { return 1 }

// Error is for logs.
func (e *NoCacheError) Error() string {
	if len(e.problems) > 0 {
		return "recall plan: " + e.problems[0].Message
	}
	return "recall plan: nothing is kept"
}

// Sentence tells people what happened and what to do.
func (e *NoCacheError) Sentence() string {
	said := "No editor keeps figures of the plan on this computer."
	if len(e.problems) > 0 {
		said = e.problems[0].Message
	}
	return said + " Start the editor, then try again."
}
