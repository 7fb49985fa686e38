package app

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"windsock/chat"
	"windsock/chat/openai"
	"windsock/usage"
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
				Chat: p.asking(override{model, variant, chat.Cascade}, nil, table, logger),
				Usage: func(ctx context.Context) openai.Usage {
					asked := variant
					if asked == "" {
						s, _ := p.chatSettings() // an error has already ended the command
						asked = s.variant
					}
					return usageOf(p.look(ctx, store, asked))
				},
				Dir: p.stateDir, ShowKey: p.demo, Log: logger,
			}
		},
		Settings: p.apiSettings, PutAway: p.deadline.extend,
	}))
}

// usageOf is all plans in the form of /v1/usage: it gives the reason if no plan has
// fresh figures.
func usageOf(all poll.Plans) openai.Usage {
	lead := all.Lead()
	if !all.HasFigures() && lead.Err == nil {
		return openai.Usage{}
	}
	u := openai.Usage{Document: status.PlansDocument(all)}
	if !slices.ContainsFunc(all, func(s poll.State) bool { return s.HasFigures() && !s.Snapshot.Source.Stale }) {
		u.Err = lead.Err
	}
	return u
}

// look asks for the plans when no app does.
func (p parts) look(ctx context.Context, store *history.Store, variant string) poll.Plans {
	c, _ := p.config() // the defaults in case of an error
	c.Usage.Variant = variant
	return poll.Look(ctx, p.pollerConfig(c, store))
}

// known returns what the app knows of all plans, and waits for the first figures. With
// fresh it waits for new figures of the plan that pays for prompts, unless the known ones
// are less than five seconds old.
//
// The app has the history open, and a process that opens a file twice loses its locks.
// So the request goes to the poller, never to the command.
func known(ctx context.Context, poller *poll.Poller, fresh bool) poll.Plans {
	states, unsubscribe := poller.Subscribe()
	defer unsubscribe()
	plans := <-states
	paying := prompted(plans)
	had := paying.Snapshot.Source.FetchedAt
	// A refresh may be of another product alone.
	if young := paying.HasFigures() && paying.Age() < youth; young || fresh && poller.Refresh() > 0 {
		fresh = false
	}
	for {
		switch {
		case fresh && prompted(plans).Snapshot.Source.FetchedAt.After(had),
			!fresh && (plans.HasFigures() || plans.Lead().Err != nil):
			return plans
		}
		select {
		case next, open := <-states:
			if !open {
				return plans
			}
			plans = next
		case <-ctx.Done():
			return plans
		}
	}
}

// youth is the age of figures that are not asked for anew.
const youth = 5 * time.Second

// prompted is the plan that pays for prompts: they go to the first Windsurf that runs.
func prompted(plans poll.Plans) poll.State {
	all := plans.Of(string(usage.Windsurf))
	for _, state := range all {
		if state.HasFigures() && !state.Snapshot.Source.Stale {
			return state
		}
	}
	if len(all) == 0 {
		return poll.State{}
	}
	return all[0]
}

// apiSettings returns the settings of the local API.
func (p parts) apiSettings() (openai.Config, error) {
	c, err := p.config()
	return c.API, err
}

// switchAPI switches the local API on or off in the configuration, which the app
// follows.
func (p parts) switchAPI(on bool) error {
	return p.set(func(c *config) { c.API.Enabled = on }, "Switch the local API")
}
