package acp

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"windsock/chat/acp/process"
	"windsock/chat/acp/wire"
	"windsock/probe/redact"
)

func (e *Engine) room() process.Room {
	return process.NewRoom(filepath.Join(e.parts.Dir, "agents"))
}

// startProgram starts the program and agrees on the protocol with it.
func (e *Engine) startProgram(ctx context.Context) (*agent, error) {
	path, err := e.Program()
	if err != nil {
		return nil, err
	}
	place, err := e.room().Make(ctx)
	if err != nil {
		return nil, &startError{err}
	}
	p := e.parts.Profile
	command := process.Command{Path: path, Args: p.args, Env: environ(os.Environ(), p.pass)}
	if p.fence != nil {
		args, env, err := p.fence(place.Settings)
		if err != nil {
			place.Remove()
			return nil, &startError{fmt.Errorf("write settings of agent: %w", redact.Path(err))}
		}
		command.Args = slices.Concat(args, p.args)
		command.Env = append(command.Env, env...)
	}
	child, err := place.Start(command)
	if err != nil {
		return nil, &startError{err}
	}
	return connect(ctx, &agent{
		profile: p, program: child, conn: wire.New(child.In, child.Out), work: place.Work, alone: place.Alone,
	}, e.parts.Version)
}

// connect agrees on the protocol with a program that has just been started. After an
// error the program is ended.
func connect(ctx context.Context, a *agent, version string) (*agent, error) {
	if err := a.initialize(ctx, version); err != nil {
		err = a.profile.failure(ctx, err)
		a.end()
		return nil, err
	}
	return a, nil
}
