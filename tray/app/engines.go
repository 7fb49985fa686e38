package app

import (
	"cmp"
	"context"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"

	"windsock/chat"
	"windsock/chat/acp"
	"windsock/chat/cascade"
	"windsock/chat/cli"
	"windsock/chat/touched"
	"windsock/probe"
	"windsock/probe/say"
)

// agents are the engines beside Cascade. A process has one. It starts no program before
// a question.
type agents struct {
	parts         acp.EngineParts // but for the profile
	devin, cursor *acp.Engine

	mu      sync.Mutex  // guards custom
	custom  *acp.Engine // nil before its first use
	command []string    // of custom
}

func (p parts) newAgents(table *touched.Table, logger *slog.Logger) *agents {
	a := &agents{parts: acp.EngineParts{
		Roots: p.editorRoots, RootsOnly: p.demo, Dir: p.stateDir, Version: shortVersion(version()), Queue: table, Log: logger,
	}}
	a.devin, a.cursor = a.engine(acp.Devin), a.engine(acp.Cursor)
	return a
}

func (a *agents) engine(of acp.Profile) *acp.Engine {
	parts := a.parts
	parts.Profile = of
	return acp.New(parts)
}

// editorRoots are the directories of the code of editors that run. An agent's program may
// be below one.
func (p parts) editorRoots() (roots []string) {
	ctx, cancel := context.WithTimeout(context.Background(), completionTime)
	defer cancel()
	for _, path := range p.newFinder().Programs(ctx, probe.VariantsOf(probe.Windsurf)) {
		if resolved, err := filepath.EvalSymlinks(path); err == nil {
			path = resolved
		}
		if root := acp.RootOf(path); root != "" && !slices.Contains(roots, root) {
			roots = append(roots, root)
		}
	}
	return roots
}

// of is the engine of an ID. command is the person's own.
func (a *agents) of(id string, command []string) (*acp.Engine, error) {
	switch id {
	case a.devin.ID():
		return a.devin, nil
	case a.cursor.ID():
		return a.cursor, nil
	}
	if len(command) == 0 {
		return nil, say.Usage(`There is no command for the engine custom. Set chat.agent, such as ["opencode", "acp"].`)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.custom == nil || !slices.Equal(a.command, command) {
		if a.custom != nil {
			go a.custom.Close() // a prompt under way keeps its own program until its end
		}
		a.custom, a.command = a.engine(acp.Custom(command, nil)), slices.Clone(command)
	}
	return a.custom, nil
}

// name is an agent's name for people. For a command of the person's own, that is the
// agent.
func (a *agents) name(id string) string {
	if id == a.devin.ID() || id == a.cursor.ID() {
		engine, _ := a.of(id, nil) // these are always there
		return engine.Name()
	}
	return "the agent of the settings"
}

// wording is the name of an agent, and what a person is told before they choose it. It
// runs the program for its version.
func (a *agents) wording(ctx context.Context, id string, command []string) (name string, _ []string, _ error) {
	engine, err := a.of(id, command)
	if err != nil {
		return "", nil, err
	}
	about, err := engine.Identify(ctx)
	if about.Path == "" || ctx.Err() != nil {
		return "", nil, err
	}
	return engine.Name(), engine.Offer(about), nil // a version need not be known
}

// found reports whether an agent's program is there. It starts nothing.
func (a *agents) found(id string, command []string) bool {
	engine, err := a.of(id, command)
	if err == nil {
		_, err = engine.Program()
	}
	return err == nil
}

// agentAnswers reports whether prompts go to an agent, or can be offered to one.
func (p parts) agentAnswers(agents *agents) bool {
	s, err := p.chatSettings()
	return err == nil && (chat.IsAgent(s.Engine) || s.Engine == "" && agents.found(cli.Offered, nil))
}

// sweep removes what killed processes have left.
func (a *agents) sweep(ctx context.Context) error {
	if err := a.devin.Sweep(ctx); err != nil && ctx.Err() == nil { // there is one place for all
		a.parts.Log.WarnContext(ctx, "agents' directories not cleared", slog.Any("err", err))
	}
	return nil
}

// close ends the programs that wait for a prompt.
func (a *agents) close() {
	a.mu.Lock()
	custom := a.custom
	a.mu.Unlock()
	var closing sync.WaitGroup
	for _, e := range []*acp.Engine{a.devin, a.cursor, custom} {
		if e != nil {
			closing.Go(e.Close)
		}
	}
	closing.Wait()
}

// prompting are the settings for prompts.
type prompting struct {
	chat.Config

	variant string
}

// on are the settings with an engine in place of the configured one. The configured model
// is one of that one's.
func (s prompting) on(engine string) prompting {
	if engine != cmp.Or(s.Engine, chat.Cascade) {
		s.Engine, s.Model = engine, ""
	}
	return s
}

// service is the service of prompts to the engine of the settings. It takes Back and
// Ended from parts.
func (p parts) service(settings func() (prompting, error), agents *agents, table *touched.Table, logger *slog.Logger, parts chat.ServiceParts) *chat.Service {
	editor := cascade.New(cascade.EngineParts{
		Finder: p.newFinder(),
		Variants: func() ([]probe.Variant, error) {
			s, err := settings()
			if err != nil {
				return nil, err
			}
			return askable(s.variant)
		},
		Queue: table, Log: logger,
	})
	parts.Engine = func() (chat.Engine, error) {
		s, err := settings()
		if err != nil || !chat.IsAgent(s.Engine) {
			return editor, err
		}
		return agents.of(s.Engine, s.Agent)
	}
	parts.Model = func(engine string) (string, error) {
		s, err := settings()
		return s.on(engine).Model, err
	}
	return chat.NewService(parts)
}
