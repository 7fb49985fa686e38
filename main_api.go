package main

import (
	"bytes"
	"context"

	"github.com/spf13/cobra"

	"windsock/chat"
	"windsock/chat/api"
)

// newServeCommand is `windsock serve`.
func (s surroundings) newServeCommand() *cobra.Command {
	return api.NewServeCommand(api.ServeConfig{
		Connect: s.connectAPI, Usage: s.usageReport, Settings: s.apiSettings,
		Queue: s.queue(), Dir: s.keepDir(), PutAway: s.putAway.allow,
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

func (s surroundings) apiSettings() (api.Settings, error) {
	model, variant, err := s.chatSettings()
	return api.Settings{Model: model, Variant: variant, API: api.DefaultConfig()}, err
}
