package main

import (
	"context"
	"path/filepath"
	"time"

	"windsock/probe/simulator"
	"windsock/probe/simulator/simtest"
)

const (
	key   = "sk-ws-01-speed"
	token = "00000000-0000-4000-8000-00000000feed"
	// think is what the server takes for a GetUserStatus.
	think       = 10 * time.Millisecond
	tokenHeader = "X-Codeium-Csrf-Token" //nolint:gosec // a header's name
)

// place is where a server and its clients live.
type place struct {
	dir, home, program string
}

// newHome is the same place with a home of its own, in which somebody has signed in
// and no cascade is left of what was measured before.
func (p place) newHome(name string) (place, error) {
	p.home = filepath.Join(p.dir, name)
	return p, simtest.SignIn(filepath.Join(p.home, ".config", "Windsurf"), simtest.Auth{Key: key})
}

// start starts a simulated server that passes for an editor's own.
func (p place) start(ctx context.Context, config simulator.Config) (*simulator.Process, error) {
	config.Token = token
	return simulator.Start(ctx, simulator.Options{
		Root: p.dir, Home: p.home, IDEName: "windsurf", Config: config,
		// Empty, it is a server that Windsock does not take for a simulated one.
		Env: []string{"WINDSOCK_SIMULATOR="},
	})
}
