package app

import (
	"context"
	"errors"
	"log/slog"

	"github.com/spf13/cobra"

	"windsock/chat"
	"windsock/chat/openai"
	"windsock/tray/settings"
	"windsock/usage/history"
	"windsock/usage/poll"
)

// newServeCommand is `windsock serve`.
func (s surroundings) newServeCommand() *cobra.Command {
	store := s.history(slog.New(slog.DiscardHandler)) // a command has nobody to tell
	cmd := openai.NewServeCommand(openai.ServeConfig{
		Service: func(model, variant string, logger *slog.Logger) *chat.Service {
			return s.asking(model, variant, logger)
		},
		Usage: func(ctx context.Context, variant string) poll.State {
			if variant == "" {
				_, variant, _ = s.chatSettings() // an error has ended the command
			}
			return s.look(ctx, store, variant)
		},
		Settings: s.apiSettings,
		Dir:      s.keepDir(), PutAway: s.putAway.allow, ShowKey: s.demo != nil,
	})
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		defer func() { _ = store.Close() }()
		return run(cmd, args)
	}
	return cmd
}

// look asks for what the plan has left, where no app does so anyway.
func (s surroundings) look(ctx context.Context, store *history.Store, variant string) poll.State {
	c := defaultConfig()
	if settled, err := s.usageConfig(); err == nil { // else the figures are there without
		c.Usage = settled
	}
	c.Usage.Variant = variant
	return poll.Look(ctx, s.pollerConfig(c, store.Record))
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

// apiSettings are what the configuration says. A demo has nothing of the
// person's.
func (s surroundings) apiSettings() (openai.Config, error) {
	if s.demo != nil {
		return openai.DefaultConfig(), nil
	}
	c, err := loadConfig()
	return c.API, err
}

// localAPI is the local API as the app has it.
type localAPI struct {
	*openai.Service

	file settings.File[config]
}

func (s surroundings) newLocalAPI(logger *slog.Logger, c config, file settings.File[config], a assembly) localAPI {
	return localAPI{file: file, Service: openai.NewService(openai.Options{
		Chat:  a.service,
		Usage: func(ctx context.Context) poll.State { return known(ctx, a.poller, false) },
		Dir:   s.keepDir(), Config: c.API, Log: logger,
	})}
}

// Switch writes into the configuration whether the local API is on; the app
// follows what stands there.
func (l localAPI) Switch(on bool) error {
	err := l.file.Save(func(c *config) { c.API.Enabled = on }, false)
	if errors.Is(err, settings.ErrComments) {
		return &unswitchedError{err}
	}
	return err
}

// unswitchedError is a file that a row of the menu must not write anew.
type unswitchedError struct{ cause error }

func (e *unswitchedError) Error() string { return e.cause.Error() }
func (e *unswitchedError) Unwrap() error { return e.cause }
func (*unswitchedError) Sentence() string {
	return settings.Name + " would have to be written anew. Switch the local API in it yourself; `windsock config --check` says what is wrong with it."
}
