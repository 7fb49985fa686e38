package doctor

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"windsock/probe"
)

// missing are the steps of a variant without a server: one for the first variant of a
// product of which nothing runs, else none. If no server runs at all, the files on disk
// show whether one of Windsurf ever ran.
func (r *report) missing(ctx context.Context, v probe.Variant) []Step {
	steps := []Step{{Name: stepProcess, Absent: true, Finding: "not running"}}
	matters := v.ID == r.list[0].ID // the one that is asked for comes first
	if len(r.Traces) == 0 && v.Product == probe.Windsurf {
		key, own := r.storedKey(ctx, v)
		caches := r.caches(ctx, v)
		if matters = matters || own || caches.OK; matters {
			steps = append(steps, key, caches)
		}
	}
	first := slices.IndexFunc(r.list, func(o probe.Variant) bool { return o.Product == v.Product })
	switch {
	case len(r.Traces) == 0 && matters:
		steps[0].Absent, steps[0].Cure = false, r.finder.NotRunning(v, r.list).Tell().Cure
	case r.runs(v.Product) || r.list[first].ID != v.ID:
		return nil
	}
	return steps
}

// runs reports whether a server of a product runs.
func (r *report) runs(product string) bool {
	return slices.ContainsFunc(r.Traces, func(t *probe.Trace) bool {
		v, _ := probe.LookupVariant(t.Server.Variant)
		return v.Product == product
	})
}

// storedKey looks for the sign-in of a variant that is not running. own says that the
// variant has a sign-in that it shares with no other.
func (r *report) storedKey(ctx context.Context, v probe.Variant) (step Step, own bool) {
	start := time.Now()
	found := r.finder.SignIns(ctx, v)
	step = Step{Name: probe.StepKey, Finding: signInWords(r.finder.Dirs(), found), Duration: time.Since(start)}
	for _, s := range found {
		r.secrets = append(r.secrets, s.Key)
		step.OK = step.OK || s.Err == nil
		own = own || s.Err == nil && s.Dir != ""
	}
	step.Absent = len(found) == 0
	return step, own
}

// caches looks for the variant's cached plan, which is shown while no server runs.
func (r *report) caches(ctx context.Context, v probe.Variant) Step {
	start := time.Now()
	var kept, amiss []string
	for c, err := range r.finder.Caches(ctx, []probe.Variant{v}) {
		name := c.Name + " of " + c.Server.App
		switch {
		case ctx.Err() != nil:
			amiss = append(amiss, "there was no time to look")
		case err != nil:
			amiss = append(amiss, fmt.Sprintf("%s cannot be read: %v", name, err))
		case !slices.Contains(kept, name):
			kept = append(kept, name)
		}
	}
	step := Step{Name: stepCaches, OK: len(kept) > 0, Absent: len(kept)+len(amiss) == 0}
	step.Finding = strings.Join(append(kept, amiss...), "; ")
	if step.Absent {
		step.Finding = "nothing is kept of the plan"
	}
	step.Duration = time.Since(start)
	return step
}
