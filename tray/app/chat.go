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

// newChatCommands are the commands that speak to models, and clean.
func (p parts) newChatCommands() []*cobra.Command {
	store := p.history(quiet)
	table := p.table(store)
	agents := p.newAgents(table, quiet)
	service := func(variant, engine string) *chat.Service {
		return p.asking(override{variant: variant, engine: engine}, agents, table, quiet)
	}
	consent := p.consent(agents)
	list := []*cobra.Command{
		closing(store, cli.NewAskCommand(cli.AskConfig{
			Service: service, Consent: consent, Drain: func(ctx context.Context) { p.drain(ctx, table, quiet) }, PutAway: p.deadline.extend,
		})),
		closing(store, cli.NewModelsCommand(cli.ModelsConfig{Service: service, Consent: consent, PutAway: p.deadline.extend})),
		closing(store, cli.NewCleanCommand(cli.CleanConfig{
			Find: p.cleanTarget, Touched: table, Now: p.serverNow, PutAway: p.deadline.extend, Demo: p.demo,
		})),
	}
	for _, cmd := range list[:2] { // which may start an agent
		run := cmd.RunE
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			defer agents.close()
			return run(cmd, args)
		}
	}
	return list
}

// consent is what commands tell and ask a person before an agent is started.
func (p parts) consent(agents *agents) cli.Consent {
	return cli.Consent{
		Configured: func() (string, error) {
			s, err := p.chatSettings()
			return s.Engine, err
		},
		Found: func(engine string) bool {
			s, err := p.chatSettings()
			return err == nil && agents.found(engine, s.Agent)
		},
		Wording: func(ctx context.Context, engine string) (string, []string, error) {
			s, err := p.chatSettings()
			if err != nil {
				return "", nil, err
			}
			return agents.wording(ctx, engine, s.Agent)
		},
		Keep: p.setEngine,
	}
}

// setEngine keeps the choice of an engine in the settings, which the app follows.
func (p parts) setEngine(engine string) error {
	return p.set(func(c *config) { c.Chat.Engine = engine }, "Set chat.engine to "+engine)
}

// chatSettings returns the settings for prompts.
func (p parts) chatSettings() (prompting, error) {
	c, err := p.config()
	return prompting{c.Chat, c.Usage.Variant}, err
}

// override is what a command's flags say in place of the settings; what is empty is as
// configured.
type override struct{ model, variant, engine string }

// asking is a command's service.
func (p parts) asking(o override, agents *agents, table *touched.Table, logger *slog.Logger) *chat.Service {
	configured := p.steadySettings()
	settings := func() (prompting, error) {
		s, err := configured()
		s = s.on(cmp.Or(o.engine, s.Engine, chat.Cascade))
		s.Model, s.variant = cmp.Or(o.model, s.Model), cmp.Or(o.variant, s.variant)
		return s, err
	}
	return p.service(settings, agents, table, logger, chat.ServiceParts{Back: func(ctx context.Context) (time.Time, string) {
		s, _ := settings()
		return p.back(poll.Look(ctx, poll.Config{
			Products: []usage.Product{usage.Windsurf}, Settings: poll.Settings{Variant: s.variant}, Fetch: p.fetchServers, Now: p.serverNow,
		}).Lead().Snapshot)
	}})
}

// appServices are the services of the window, which follows the settings, and of the
// local API, which asks Cascade alone: other programs ask there, and an agent is started
// for a person. A poller beside them knows the plan's quota.
func (p parts) appServices(poller *poll.Poller, house *housekeeping, agents *agents, table *touched.Table, logger *slog.Logger) (window, api *chat.Service) {
	parts := chat.ServiceParts{
		Back: func(ctx context.Context) (time.Time, string) {
			return p.back(prompted(known(ctx, poller, true)).Snapshot)
		},
		Ended: func(err error) {
			poller.PromptEnded()
			if f, ok := errors.AsType[*chat.Failure](err); ok && f.Code == chat.CascadeOff {
				house.noCascade()
			}
		},
	}
	settings := p.steadySettings()
	cascadeAlone := func() (prompting, error) {
		s, err := settings()
		return s.on(chat.Cascade), err
	}
	return p.service(settings, agents, table, logger, parts), p.service(cascadeAlone, agents, table, logger, parts)
}

// steadySettings returns the settings for prompts. When they become unreadable, it
// returns the last readable ones.
func (p parts) steadySettings() func() (prompting, error) {
	var last atomic.Pointer[prompting]
	return func() (prompting, error) {
		s, err := p.chatSettings()
		if err == nil {
			last.Store(&s)
		} else if before := last.Load(); before != nil {
			return *before, nil
		}
		return s, err
	}
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
		s, err := p.chatSettings()
		if err != nil {
			return clean.Target{}, err
		}
		variant = s.variant
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
