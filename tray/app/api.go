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
						_, asked, _ = p.chatSettings() // an error has ended the command
					}
					return usageOf(p.look(ctx, store, asked))
				},
				Dir: p.stateDir, ShowKey: p.demo, Log: logger,
			}
		},
		Settings: p.apiSettings, PutAway: p.deadline.extend,
	}))
}

// usageOf is what /v1/usage tells of a state: figures that are old, and none at all, are
// told with the reason.
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

// look asks for what the plan has left, where no app does so anyway.
func (p parts) look(ctx context.Context, store *history.Store, variant string) poll.State {
	c, _ := p.config() // the defaults beside an error
	c.Usage.Variant = variant
	return poll.Look(ctx, p.pollerConfig(c, store.Record))
}

// known is what the app knows of what the plan has left; before it knows anything,
// it waits for that. Where fresh is asked for, it waits for figures that are newer,
// unless they are not five seconds old.
//
// The app has the history open, and a file that a process opens twice loses its
// locks: so it is the poller that is asked, and never the command.
func known(ctx context.Context, poller *poll.Poller, fresh bool) poll.State {
	states, unsubscribe := poller.Subscribe()
	defer unsubscribe()
	state := <-states
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
			state = next
		case <-ctx.Done():
			return state
		}
	}
}

// apiSettings are what the settings say of the local API.
func (p parts) apiSettings() (openai.Config, error) {
	c, err := p.config()
	return c.API, err
}

// switchAPI writes into the configuration whether the local API is on; the app
// follows what stands there.
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
