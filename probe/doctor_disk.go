package probe

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"windsock/probe/secret"
)

// storedKey looks for the sign-in of a variant that does not run. own says that
// there is one that no other variant has.
func (e *examination) storedKey(ctx context.Context, v Variant) (step Step, own bool) {
	start := time.Now()
	places := findKeyPlaces(ctx, e.finder.where, v, "")
	step = Step{Name: stepKey, Finding: e.finder.where.wordsOfKeys(places), Duration: time.Since(start)}
	for _, p := range places {
		e.keep(p.key)
		step.OK = step.OK || p.err == nil
		own = own || p.err == nil && p.dir != ""
	}
	step.Absent = len(places) == 0
	return step, own
}

// caches looks for what the variant has kept of the plan, which is shown for as
// long as nothing runs.
func (e *examination) caches(ctx context.Context, v Variant) Step {
	start := time.Now()
	var kept, amiss []string
	for c, err := range e.finder.Caches(ctx, []Variant{v}) {
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

// wordsOfKeys lists the places of a key, with nothing of it but form and length.
func (w places) wordsOfKeys(found []keyPlace) string {
	if len(found) == 0 {
		return w.noSignIn()
	}
	words := make([]string, len(found))
	for i, p := range found {
		if p.err != nil {
			words[i] = p.title() + ": " + p.err.Error()
			continue
		}
		words[i] = form(p.key) + " in " + p.title()
	}
	return strings.Join(words, "; ")
}

// title is the place as a person reads it, without the directories above.
func (p keyPlace) title() string {
	switch {
	case p.dir != "":
		return cacheFile + " of " + p.dir
	case p.data:
		return "$XDG_DATA_HOME/" + legacyFile
	default:
		return "~/" + legacyFile
	}
}

// placeOf is the first place of a key.
func placeOf(key secret.Secret, places []keyPlace) string {
	for _, p := range places {
		if p.err == nil && p.key.Equal(key) {
			return "in " + p.title()
		}
	}
	return "that was found"
}
