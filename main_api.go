package main

import (
	"bytes"
	"context"
	"errors"
	"log/slog"

	"github.com/spf13/cobra"

	"windsock/chat"
	"windsock/chat/api"
	"windsock/tray/settings"
)

// newServeCommand is `windsock serve`.
func (s surroundings) newServeCommand() *cobra.Command {
	return api.NewServeCommand(api.ServeConfig{
		Connect: s.connectAPI, Usage: s.usageReport, Settings: s.apiSettings,
		Queue: s.queue(), Dir: s.keepDir(), PutAway: s.putAway.allow, ShowKey: s.demo != nil,
	})
}

// connectAPI finds a server and keeps it.
func (s surroundings) connectAPI(ctx context.Context, variant string) (api.Connection, error) {
	variants, err := variantsOf(variant)
	if err != nil {
		return api.Connection{}, err
	}
	status, session, err := s.newFinder().UserStatus(ctx, variants)
	if err != nil {
		return api.Connection{}, err
	}
	return api.Connection{Client: chat.NewClient(session), Status: status, Refresh: session.UserStatus, Close: session.Close}, nil
}

// usageReport is what `windsock status --json` writes, to the byte.
func (s surroundings) usageReport(ctx context.Context, variant string) ([]byte, error) {
	cmd := s.newStatusCommand() //nolint:contextcheck // its store bounds itself
	args := []string{"--json"}
	if variant != "" {
		args = append(args, "--variant", variant)
	}
	var out bytes.Buffer
	cmd.SetOut(&out)
	cmd.SetErr(&bytes.Buffer{})
	cmd.SetArgs(args)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	err := cmd.ExecuteContext(ctx)
	return bytes.TrimSpace(out.Bytes()), err
}

// apiSettings are what the configuration says. A demo has nothing of the
// person's.
func (s surroundings) apiSettings() (api.Settings, error) {
	if s.demo != nil {
		return api.Settings{API: api.DefaultConfig()}, nil
	}
	c, err := loadConfig()
	return api.Settings{Model: c.Chat.Model, Variant: c.Usage.Variant, API: c.API}, err
}

// localAPI is the local API as the app has it.
type localAPI struct {
	*api.Service

	file settings.File[config]
}

func (s surroundings) newLocalAPI(logger *slog.Logger, c config, file settings.File[config]) localAPI {
	// Settings that cannot be read any more are the ones of before.
	latest := func() api.Settings {
		if now, err := s.apiSettings(); err == nil {
			return now
		}
		return api.Settings{Model: c.Chat.Model, Variant: c.Usage.Variant}
	}
	return localAPI{file: file, Service: api.NewService(api.Options{
		Connect: func(ctx context.Context) (api.Connection, error) { return s.connectAPI(ctx, latest().Variant) },
		Usage:   func(ctx context.Context) ([]byte, error) { return s.usageReport(ctx, latest().Variant) },
		Model:   func() string { return latest().Model },
		Queue:   s.queue(), Dir: s.keepDir(), Config: c.API, Log: logger,
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
