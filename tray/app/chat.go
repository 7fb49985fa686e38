package app

import (
	"context"
	"log/slog"
	"os"
	"time"

	"github.com/spf13/cobra"

	"windsock/chat/cascade"
	"windsock/chat/clean"
	"windsock/chat/cli"
	"windsock/probe"
	"windsock/usage"
	"windsock/usage/windsurf"
)

// newChatCommands are the commands that speak to Cascade.
func (s surroundings) newChatCommands() []*cobra.Command {
	quiet := slog.New(slog.DiscardHandler) // a command has nobody to tell
	return []*cobra.Command{
		cli.NewAskCommand(cli.AskConfig{
			Connect: s.connect, Settings: s.chatSettings, Queue: s.queue(), Back: s.back,
			Drain:   func(ctx context.Context) { s.drain(ctx, quiet) },
			PutAway: s.putAway.allow, Log: quiet,
		}),
		cli.NewModelsCommand(cli.ModelsConfig{
			Fetch: func(ctx context.Context, variant string) ([]byte, error) {
				to, err := s.connect(ctx, variant)
				if err != nil {
					return nil, err
				}
				to.Close()
				return to.Status, nil
			},
			Settings: s.chatSettings,
		}),
		cli.NewCleanCommand(cli.CleanConfig{
			Find: s.cleanTarget, StateDir: s.keepDir(), Now: s.now, PutAway: s.putAway.allow, Demo: s.demo != nil,
		}),
	}
}

// now is the clock of what a server's dates are compared with.
func (s surroundings) now() time.Time {
	if s.demo != nil {
		return s.demo.Now()
	}
	return s.wall()
}

func (s surroundings) wall() time.Time {
	if s.clock != nil {
		return s.clock()
	}
	return time.Now()
}

// chatSettings are what the configuration says of prompts. A demo has nothing of
// the person's.
func (s surroundings) chatSettings() (model, variant string, err error) {
	if s.demo != nil {
		return "", "", nil
	}
	c, err := loadConfig()
	return c.Chat.Model, c.Usage.Variant, err
}

// connect finds a server that prompts can be sent to.
func (s surroundings) connect(ctx context.Context, variant string) (cli.Connection, error) {
	variants, err := variantsOf(variant)
	if err != nil {
		return cli.Connection{}, err
	}
	status, session, err := s.newFinder().UserStatus(ctx, variants)
	if err != nil {
		return cli.Connection{}, err
	}
	return cli.Connection{Client: cascade.NewClient(session), Status: status, Close: session.Close}, nil
}

// back says when what is used up is back.
func (s surroundings) back(status []byte) string {
	c, err := s.usageConfig()
	snapshot, decodeErr := windsurf.Decode(status, usage.Source{Kind: usage.KindLanguageServer, FetchedAt: s.now()})
	if err != nil || decodeErr != nil {
		return ""
	}
	return c.Words(local(), os.LookupEnv).Back(snapshot.At(s.now()))
}

// cleanTarget is the variant to clean up, with the servers of all its windows.
func (s surroundings) cleanTarget(ctx context.Context, variant string) (clean.Target, error) {
	if variant == "" {
		_, settled, err := s.chatSettings()
		if err != nil {
			return clean.Target{}, err
		}
		variant = settled
	}
	sessions, err := s.sessions(ctx, variant)
	if err != nil {
		return clean.Target{}, err
	}
	first := sessions[0].Server()
	target := clean.Target{
		Variant: first.Variant, App: first.App, CodeiumDir: sessions[0].CodeiumDir(),
		Close: func() { closeAll(sessions) },
	}
	for _, session := range sessions {
		target.Servers = append(target.Servers, cascade.NewClient(session))
	}
	return target, nil
}

// sessions are those to all servers of a variant.
func (s surroundings) sessions(ctx context.Context, variant string) ([]*probe.Session, error) {
	variants, err := variantsOf(variant)
	if err != nil {
		return nil, err
	}
	return s.newFinder().Servers(ctx, variants)
}

func closeAll(sessions []*probe.Session) {
	for _, session := range sessions {
		session.Close()
	}
}

// queue holds the cascades that are still to be archived.
func (s surroundings) queue() *cascade.Queue { return cascade.NewQueue(s.keepDir(), s.wall) }

// drain archives what earlier prompts have left behind, of the editors that run.
func (s surroundings) drain(ctx context.Context, logger *slog.Logger) {
	drained, err := cascade.Drain(ctx, s.queue(), func(ctx context.Context, variant string) ([]*cascade.Client, func(), error) {
		sessions, err := s.sessions(ctx, variant)
		if err != nil {
			return nil, nil, err
		}
		var clients []*cascade.Client
		for _, session := range sessions {
			clients = append(clients, cascade.NewClient(session))
		}
		return clients, func() { closeAll(sessions) }, nil
	})
	if err != nil && ctx.Err() == nil {
		logger.InfoContext(ctx, "cascades wait to be archived", slog.Int("left", drained.Left), slog.Any("err", err))
	}
}
