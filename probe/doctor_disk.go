package probe

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"windsock/probe/secret"
	"windsock/probe/signin"
)

// storedKey looks for the sign-in of a variant that does not run. own says that
// there is one that no other variant has.
func (e *examination) storedKey(ctx context.Context, v Variant) (step Step, own bool) {
	start := time.Now()
	dirs, _ := v.dataDirs("")
	places := e.finder.where.SignIns(ctx, dirs, nil)
	step = Step{Name: stepKey, Finding: wordsOfKeys(e.finder.where, places), Duration: time.Since(start)}
	for _, p := range places {
		e.keep(p.Key)
		step.OK = step.OK || p.Err == nil
		own = own || p.Err == nil && p.Dir != ""
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
func wordsOfKeys(w signin.Places, found []signin.SignIn) string {
	if len(found) == 0 {
		return w.NoSignIn()
	}
	words := make([]string, len(found))
	for i, p := range found {
		if p.Err != nil {
			words[i] = p.Title() + ": " + p.Err.Error()
			continue
		}
		words[i] = form(p.Key) + " in " + p.Title()
	}
	return strings.Join(words, "; ")
}

// placeOf is the first place of a key.
func placeOf(key secret.Secret, places []signin.SignIn) string {
	for _, p := range places {
		if p.Err == nil && p.Key.Equal(key) {
			return "in " + p.Title()
		}
	}
	return "that was found"
}
