package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"windsock/probe/languageserver"
	"windsock/probe/simulator"
)

// many is how many cascades somebody has who never archives one.
const many = 10_000

// clean plans the cleaning of many cascades, each with a file. The budget is for
// the whole command, which the server's time for the listing is part of.
func clean(ctx context.Context, at place, turns int, r *report) (err error) {
	server, err := at.start(ctx, simulator.Config{Cascade: simulator.Cascade{PanelReady: true, Old: many, FileSize: 4096}})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Stop()) }()
	request := filepath.Join(at.dir, "nothing.json")
	if err := os.WriteFile(request, []byte("{}"), 0o600); err != nil {
		return fmt.Errorf("keep request: %w", err)
	}
	ways := []way{
		at.windsock([]byte(`"dry_run": true`), "clean", "--dry-run", "--json"),
		at.curl(server.URL()+languageserver.LanguageServerServiceGetAllCascadeTrajectoriesProcedure, request, []byte("trajectorySummaries")),
	}
	times, err := race(ctx, ways, turns)
	if err != nil {
		return err
	}
	// One of each turn, and the turn that does not count.
	if n := server.Count()["GetAllCascadeTrajectories"]; n < 2*(turns+1) { //nolint:contextcheck // it takes none
		return errors.New("clean cascades: another server was asked")
	}
	r.times(fmt.Sprintf("plan of %d cascades", many), times[0], 300)
	r.times("the same listing by curl", times[1], 0)
	return nil
}
