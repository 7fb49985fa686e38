package app

import (
	"context"
	"errors"
	"log/slog"

	"github.com/spf13/cobra"

	"windsock/chat/openai"
	"windsock/probe/say"
	"windsock/tray/settings"
	"windsock/usage/history"
	"windsock/usage/poll"
	"windsock/usage/status"
)

// newServeCommand is `windsock serve`.
func (p parts) newServeCommand() *cobra.Command {
	store := p.history(quiet)
	table := p.table(store)
	return closing(store, openai.NewServeCommand(openai.ServeConfig{
		Options: func(model, variant string, logger *slog.Logger) openai.Options {
			return openai.Options{
				Chat: p.asking(model, variant, table, logger),
				Usage: func(ctx context.Context) openai.Usage {
					asked := variant
					if asked == "" {
						_, asked, _ = p.chatSettings() // an error has already ended the command
					}
					return usageOf(p.look(ctx, store, asked))
				},
				Dir: p.stateDir, ShowKey: p.demo, Log: logger,
			}
		},
		Settings: p.apiSettings, PutAway: p.deadline.extend,
	}))
}

// usageOf is a state in the form of /v1/usage: it gives the reason for old or missing
// figures.
func usageOf(s poll.State) openai.Usage {
	if !s.HasFigures() && s.Err == nil {
		return openai.Usage{}
	}
	u := openai.Usage{Document: status.StateDocument(s)}
	if !s.HasFigures() || s.Snapshot.Source.Stale {
		u.Err = s.Err
	}
	return u
}

// look asks for the plan's quota when no app does.
func (p parts) look(ctx context.Context, store *history.Store, variant string) poll.State {
	c, _ := p.config() // the defaults in case of an error
	c.Usage.Variant = variant
	return poll.Look(ctx, p.pollerConfig(c, store)).Lead()
}

// known returns what the app knows of the plan's quota, and waits for the first
// figures. With fresh it waits for new figures, unless the known ones are less than
// five seconds old.
//
// The app has the history open, and a process that opens a file twice loses its locks.
// So the request goes to the poller, never to the command.
func known(ctx context.Context, poller *poll.Poller, fresh bool) poll.State {
	states, unsubscribe := poller.Subscribe()
	defer unsubscribe()
	state := (<-states).Lead()
	had := state.Snapshot.Source.FetchedAt
	if fresh && poller.Refresh() > 0 {
		fresh = false
	}
	for {
		switch {
		case fresh && state.Snapshot.Source.FetchedAt.After(had),
			!fresh && (state.HasFigures() || state.Err != nil):
			return state
		}
		select {
		case next, open := <-states:
			if !open {
				return state
			}
			state = next.Lead()
		case <-ctx.Done():
			return state
		}
	}
}

// apiSettings returns the settings of the local API.
func (p parts) apiSettings() (openai.Config, error) {
	c, err := p.config()
	return c.API, err
}

// switchAPI switches the local API on or off in the configuration, which the app
// follows.
func (p parts) switchAPI(on bool) error {
	err := p.settings.Save(func(c *config) { c.API.Enabled = on }, false)
	if errors.Is(err, settings.ErrComments) {
		return &say.Error{
			What:  settings.Name + " would have to be written anew. Switch the local API in it yourself; `windsock config --check` says what is wrong with it.",
			Cause: err,
		}
	}
	return err
}
