package window

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"sync"

	"windsock/chat/clean"
)

// cleaner plans, archives and undoes; only one of the latter two runs at a time.
type cleaner struct {
	served *served

	mu    sync.Mutex // guards the fields below
	rules clean.Rules
	shown *clean.Plan // the last plan that the page got
	busy  bool
}

// plan shows the stale cascades.
func (c *cleaner) plan(w http.ResponseWriter, r *http.Request) {
	rules, ok := cleanRules(r.FormValue("older_than"), r.FormValue("keep"))
	if !ok {
		failRules(w)
		return
	}
	plan, err := c.make(r.Context(), rules)
	if err != nil {
		failWith(w, http.StatusServiceUnavailable, err)
		return
	}
	words := c.served.config.Words()
	document := newCleanPlan(plan, words)
	last, err := clean.ReadLast(r.Context(), c.served.config.Touched)
	if err != nil { // cleaning would fail in the same way
		failWith(w, http.StatusServiceUnavailable, err)
		return
	}
	if n := len(last.IDs); n > 0 {
		document.Undo = &undoable{n, clean.Counted(n, "cascade") + ", " + words.Moment(last.At, plan.At)}
	}
	write(w, http.StatusOK, document)
}

func failRules(w http.ResponseWriter) {
	fail(w, http.StatusUnprocessableEntity, "rules", "The age is 14d, 36h or a number of days, and what is kept a number from 0 on.")
}

// make makes a plan and stores it.
func (c *cleaner) make(ctx context.Context, rules clean.Rules) (clean.Plan, error) {
	target, err := c.served.config.Clean(ctx)
	if err != nil {
		return clean.Plan{}, err
	}
	defer release(target)
	plan, err := c.on(target).Plan(ctx, rules)
	if err == nil {
		c.mu.Lock()
		c.rules, c.shown = rules, &plan
		c.mu.Unlock()
	}
	return plan, err
}

func (c *cleaner) on(target clean.Target) *clean.Cleaner {
	return clean.New(target, c.served.config.Touched, c.served.config.Now)
}

func release(target clean.Target) {
	if target.Close != nil {
		target.Close()
	}
}

// run archives the person's choice from the page's plan.
func (c *cleaner) run(w http.ResponseWriter, r *http.Request) {
	var body struct {
		IDs       []string    `json:"ids"`
		OlderThan string      `json:"older_than"`
		Keep      json.Number `json:"keep"`
	}
	if !c.served.read(w, r, &body) {
		return
	}
	rules, ok := cleanRules(body.OlderThan, body.Keep.String())
	if !ok {
		failRules(w)
		return
	}
	c.mu.Lock()
	shown := c.shown
	if c.rules != rules {
		shown = nil
	}
	c.mu.Unlock()
	if shown == nil {
		plan, err := c.make(r.Context(), rules)
		if err != nil {
			failWith(w, http.StatusServiceUnavailable, err)
			return
		}
		shown = &plan
	}
	chosen, ok := chosenOf(*shown, body.IDs)
	if !ok {
		fail(w, http.StatusUnprocessableEntity, "not_in_plan", "The plan has changed. Look at it again.")
		return
	}
	c.start(w, func(ctx context.Context) (*cleanResult, error) {
		target, err := c.served.config.Clean(ctx)
		if err != nil {
			return nil, err
		}
		defer release(target)
		result, err := c.on(target).Run(ctx, chosen, c.progress)
		if err != nil && len(result.Archived)+len(result.Failed) == 0 {
			return nil, err
		}
		words := result.Words()
		switch len(result.Archived) {
		case 0:
		case 1:
			words += " Undo puts it back into the editor's list."
		default:
			words += " Undo puts them back into the editor's list."
		}
		return newCleanResult(words, result.Failed), nil
	})
}

// chosenOf is the plan reduced to those cascades; false if one is not in it.
func chosenOf(plan clean.Plan, ids []string) (clean.Plan, bool) {
	wanted := map[string]bool{}
	for _, id := range ids {
		wanted[id] = true
	}
	var items []clean.Item
	for _, item := range plan.Items {
		if wanted[item.CascadeID] {
			items = append(items, item)
		}
	}
	plan.Items = items
	return plan, len(items) == len(wanted) && len(items) > 0
}

// undo undoes the last run.
func (c *cleaner) undo(w http.ResponseWriter, _ *http.Request) {
	c.start(w, func(ctx context.Context) (*cleanResult, error) {
		last, err := clean.ReadLast(ctx, c.served.config.Touched)
		switch {
		case err != nil:
			return nil, err
		case len(last.IDs) == 0:
			return newCleanResult(clean.UndoResult{}.Words(), nil), nil
		}
		target, err := c.served.config.Clean(ctx)
		if err != nil {
			return nil, err
		}
		defer release(target)
		result, err := c.on(target).Undo(ctx, last, c.progress)
		if err != nil && len(result.Restored)+len(result.Gone)+len(result.Failed) == 0 {
			return nil, err
		}
		return newCleanResult(result.Words(), result.Failed), nil
	})
}

// cleanEvent reports the progress of cleaning.
type cleanEvent struct {
	Kind     string       `json:"kind"`
	Done     *int         `json:"done,omitempty"`
	Total    *int         `json:"total,omitempty"`
	Result   *cleanResult `json:"result,omitempty"`
	Sentence string       `json:"sentence,omitempty"`
}

func (c *cleaner) progress(done, total int) {
	c.served.hub.tell("clean", cleanEvent{Kind: "progress", Done: &done, Total: &total})
}

// start starts a job unless one is running, and reports its end.
func (c *cleaner) start(w http.ResponseWriter, do func(context.Context) (*cleanResult, error)) {
	c.mu.Lock()
	busy := c.busy
	c.busy = true
	c.mu.Unlock()
	if busy {
		fail(w, http.StatusConflict, "busy", "Windsock is cleaning up now. Wait until it is done.")
		return
	}
	begun := c.served.begin(func(ctx context.Context) {
		result, err := do(ctx)
		c.mu.Lock()
		c.busy, c.shown = false, nil // the page's plan is out of date
		c.mu.Unlock()
		if c.served.config.Cleaned != nil {
			c.served.config.Cleaned()
		}
		switch {
		case err == nil:
			c.served.hub.tell("clean", cleanEvent{Kind: "done", Result: result})
		case errors.Is(err, context.Canceled):
			c.served.hub.tell("clean", cleanEvent{Kind: "failed", Sentence: "Stopped."})
		default:
			c.served.hub.tell("clean", cleanEvent{Kind: "failed", Sentence: failureOf(err).Sentence})
		}
	})
	if !begun {
		fail(w, http.StatusServiceUnavailable, "ended", "This window is about to close.")
		return
	}
	w.WriteHeader(http.StatusAccepted)
}

// cleanRules reads rules; an empty one has its default.
func cleanRules(olderThan, keep string) (rules clean.Rules, ok bool) {
	rules = clean.DefaultRules()
	if olderThan != "" {
		if rules.OlderThan, ok = clean.ParseAge(olderThan); !ok {
			return rules, false
		}
	}
	if keep != "" {
		n, err := strconv.ParseUint(keep, 10, 31)
		if err != nil {
			return rules, false
		}
		rules.Keep = int(n)
	}
	return rules, true
}
