package app

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"os"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"windsock/chat"
	"windsock/chat/cascade"
	"windsock/chat/clean"
	"windsock/chat/cli"
	"windsock/chat/touched"
	"windsock/probe"
	"windsock/probe/say"
	"windsock/usage"
	"windsock/usage/history"
	"windsock/usage/poll"
)

// newChatCommands are the commands that speak to Cascade.
func (p parts) newChatCommands() []*cobra.Command {
	store := p.history(quiet)
	table := p.table(store)
	service := func(variant string) *chat.Service { return p.asking("", variant, table, quiet) }
	return []*cobra.Command{
		closing(store, cli.NewAskCommand(cli.AskConfig{
			Service: service, Drain: func(ctx context.Context) { p.drain(ctx, table, quiet) }, PutAway: p.deadline.extend,
		})),
		cli.NewModelsCommand(cli.ModelsConfig{Service: service}),
		closing(store, cli.NewCleanCommand(cli.CleanConfig{
			Find: p.cleanTarget, Touched: table, Now: p.serverNow, PutAway: p.deadline.extend, Demo: p.demo,
		})),
	}
}

// chatSettings returns the settings for prompts.
func (p parts) chatSettings() (model, variant string, err error) {
	c, err := p.config()
	return c.Chat.Model, c.Usage.Variant, err
}

// asking is a command's service; an empty model or variant is the configured one.
func (p parts) asking(model, variant string, table *touched.Table, logger *slog.Logger) *chat.Service {
	configured := p.steadySettings()
	settings := func() (string, string, error) {
		m, v, err := configured()
		return cmp.Or(model, m), cmp.Or(variant, v), err
	}
	return p.service(settings, table, logger, chat.ServiceParts{Back: func(ctx context.Context) (time.Time, string) {
		_, variant, _ := settings()
		return p.back(poll.Look(ctx, poll.Config{
			Products: []usage.Product{usage.Windsurf}, Settings: poll.Settings{Variant: variant}, Fetch: p.fetchServers, Now: p.serverNow,
		}).Lead().Snapshot)
	}})
}

// appService is the service of the window and the local API. A poller beside it knows
// the plan's quota.
func (p parts) appService(poller *poll.Poller, house *housekeeping, table *touched.Table, logger *slog.Logger) *chat.Service {
	return p.service(p.steadySettings(), table, logger, chat.ServiceParts{
		Back: func(ctx context.Context) (time.Time, string) {
			return p.back(prompted(known(ctx, poller, true)).Snapshot)
		},
		Ended: func(err error) {
			poller.PromptEnded()
			if f, ok := errors.AsType[*chat.Failure](err); ok && f.Code == chat.CascadeOff {
				house.noCascade()
			}
		},
	})
}

// steadySettings returns the settings for prompts. When they become unreadable, it
// returns the last readable ones.
func (p parts) steadySettings() func() (model, variant string, err error) {
	type chosen struct{ model, variant string }
	var last atomic.Pointer[chosen]
	return func() (string, string, error) {
		model, variant, err := p.chatSettings()
		if err == nil {
			last.Store(&chosen{model, variant})
		} else if before := last.Load(); before != nil {
			return before.model, before.variant, nil
		}
		return model, variant, err
	}
}

// service is the service of all prompts. It takes Back and Ended from parts.
func (p parts) service(settings func() (model, variant string, err error), table *touched.Table, logger *slog.Logger, parts chat.ServiceParts) *chat.Service {
	parts.Engines = []chat.Engine{cascade.New(cascade.EngineParts{
		Finder: p.newFinder(),
		Variants: func() ([]probe.Variant, error) {
			_, variant, err := settings()
			if err != nil {
				return nil, err
			}
			return askable(variant)
		},
		Queue: table, Log: logger,
	})}
	parts.Model = func() (string, error) {
		model, _, err := settings()
		return model, err
	}
	return chat.NewService(parts)
}

// back says when an exhausted quota returns.
func (p parts) back(snapshot usage.Snapshot) (time.Time, string) {
	c, _ := p.usageConfig() // the defaults in case of an error
	snapshot = snapshot.At(p.serverNow())
	return snapshot.Back(), c.Words(local(), os.LookupEnv).Back(snapshot)
}

// cleanTarget is the variant to clean, with the servers of all its windows.
func (p parts) cleanTarget(ctx context.Context, variant string) (clean.Target, error) {
	if variant == "" {
		_, configured, err := p.chatSettings()
		if err != nil {
			return clean.Target{}, err
		}
		variant = configured
	}
	sessions, err := p.sessions(ctx, variant)
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

// sessions are the sessions with all servers of a variant.
func (p parts) sessions(ctx context.Context, variant string) ([]*probe.Session, error) {
	variants, err := askable(variant)
	if err != nil {
		return nil, err
	}
	return p.newFinder().Servers(ctx, variants)
}

// askable are the variants of a name that take prompts: Windsurf's alone, since only
// those have Cascade. "" stands for all of them.
func askable(name string) ([]probe.Variant, error) {
	windsurfs := probe.VariantsOf(probe.Windsurf)
	if name == "" {
		return windsurfs, nil
	}
	list, err := variantsOf(name)
	if err == nil && list[0].Product != probe.Windsurf {
		return nil, say.Usage("%s takes no prompts; of the editors, %s do", list[0].Name, probe.VariantIDs(windsurfs))
	}
	return list, err
}

func closeAll(sessions []*probe.Session) {
	for _, session := range sessions {
		session.Close()
	}
}

// table records the cascades that Windsock has touched.
func (p parts) table(store *history.Store) *touched.Table {
	return touched.New(store, p.stateDir, p.clock)
}

// drain archives the cascades of earlier prompts, in the editors that run.
func (p parts) drain(ctx context.Context, table *touched.Table, logger *slog.Logger) {
	left, err := cascade.Drain(ctx, table, p.clock(), func(ctx context.Context, variant string) ([]*cascade.Client, func(), error) {
		sessions, err := p.sessions(ctx, variant)
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
		logger.InfoContext(ctx, "cascades wait to be archived", slog.Int("left", left), slog.Any("err", err))
	}
}
