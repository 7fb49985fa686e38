package tray

import (
	"context"
	"time"

	"windsock/usage/alert"
)

// actor owns the State, the View and the host. Its methods run in the goroutine of
// run, unless they say otherwise.
type actor struct {
	app  App
	host host
	log  pollLog

	state State
	shown View

	// posts are functions for the actor, from the goroutines that it started. A sender
	// also stops at the end of ctx.
	posts          chan func()
	login, signIns look
	// opened are the rows that opened something a moment ago.
	opened map[RowID]bool
}

// newActor returns an actor whose first View is already on the host. Any goroutine may
// call it, before run.
func (a App) newActor(h host) *actor {
	act := &actor{
		app: a, host: h, log: pollLog{log: a.Log}, posts: make(chan func()),
		opened: map[RowID]bool{},
		state:  a.firstState(),
	}
	act.draw()
	return act
}

// firstState is the State at the start.
func (a App) firstState() State {
	return State{
		Version: a.Version, Demo: a.Demo, Lapse: a.Lapse,
		ManagePlan: a.Open != nil, Diagnostics: a.Diagnose != nil, Settings: a.Settings != nil,
		Window:  a.Window != nil,
		Options: a.Options,
	}
}

// pushAgain is the time limit for a host to connect.
const pushAgain = 2 * time.Second

// run runs the actor until ctx or the poller ends, or the person quits.
func (a *actor) run(ctx context.Context, clicks <-chan RowID) {
	states, unsubscribe := a.app.Poller.Subscribe()
	defer unsubscribe()
	// On Linux an icon, title or tooltip that is set while systray connects is
	// lost (systray v1.12.2, #122), so they are pushed again a little later.
	again := time.NewTimer(pushAgain)
	defer again.Stop()
	changes := a.app.Changes
	var mutes <-chan []alert.Mute
	if a.app.Warner != nil {
		mutes = a.app.Warner.Mutes()
	}
	a.lookUpLogin(ctx)
	a.log.logProblem(ctx, a.state.Options.Problem)
	for {
		select {
		case <-ctx.Done():
			return
		case plans, open := <-states:
			if !open {
				return
			}
			a.state.Plans = plans
			if a.app.Notice != nil {
				a.state.Notice = a.app.Notice()
			}
			a.log.logPlans(ctx, plans)
			a.lookUpLogin(ctx)
			a.lookForSignIns(ctx)
		case o, open := <-changes:
			if !open {
				changes = nil
				continue
			}
			a.state.Options = o
			a.log.logProblem(ctx, o.Problem)
			a.lookForSignIns(ctx)
		case a.state.Mutes = <-mutes:
		case a.state.Cascades = <-a.app.Cascades:
		case s := <-a.app.API:
			a.state.API = &s
		case post := <-a.posts:
			post()
		case <-again.C:
			a.host.SetIcon(a.shown.Icon)
			a.host.SetTitle(a.shown.Title)
			a.host.SetTooltip(a.shown.Tooltip)
		case row := <-clicks:
			if row == RowQuit {
				return
			}
			a.click(ctx, row)
		}
		a.draw()
	}
}

// draw updates the host.
func (a *actor) draw() {
	next := render(a.state)
	apply(a.host, a.shown, next)
	a.shown = next
}

// later makes the actor run f after a while.
func (a *actor) later(ctx context.Context, after time.Duration, f func()) {
	go func() { // ends with its timer or the actor
		select {
		case <-time.After(after):
			a.post(ctx, f)
		case <-ctx.Done():
		}
	}()
}

// post makes the actor run f, unless the actor has ended. Any other goroutine may call
// it.
func (a *actor) post(ctx context.Context, f func()) {
	select {
	case a.posts <- f:
	case <-ctx.Done():
	}
}
