package tray

import "context"

// look is a look at files that is repeated, one at a time.
type look struct {
	// running says that it is under way, and again that the files may have changed since.
	running, again bool
}

// look looks at files in a goroutine of its own. read does so, and returns what the actor
// has to note.
func (a *actor) look(ctx context.Context, l *look, read func() (note func())) {
	if l.running {
		l.again = true
		return
	}
	l.running, l.again = true, false
	go func() { // ends when the files have been read, or with the actor
		note := read()
		a.post(ctx, func() {
			l.running = false
			if l.again {
				a.look(ctx, l, read)
				return
			}
			note()
		})
	}()
}

// lookForSignIns finds out whether there is a sign-in to allow, where that is of interest.
func (a *actor) lookForSignIns(ctx context.Context) {
	if a.app.Unasked == nil || !nothingRuns(a.state.Plans) {
		return
	}
	a.look(ctx, &a.signIns, func() func() {
		unasked := a.app.Unasked()
		return func() { a.state.Unasked = unasked }
	})
}
